#ifndef SCHEDLENS_SOURCE_CAPTURE_CAPTURE_READER_H_
#define SCHEDLENS_SOURCE_CAPTURE_CAPTURE_READER_H_

// What all formats of a capture but the exposition formats are read through: bytes in, series out.

#include <memory>
#include <string>
#include <string_view>

#include "model/exposition.h"

namespace schedlens {

class CaptureReader {
 public:
  virtual ~CaptureReader() = default;
  /// The next bytes, in pieces of any size. Throws Error(kFailed), one line: the file, where in it,
  /// what is wrong there.
  virtual void Feed(std::string_view piece) = 0;
  /// The end of the file: all series, without types and comments. Throws as Feed does, also for a
  /// file that ends too early.
  virtual Exposition Finish() = 0;
};

/// What `promtool tsdb dump` prints: `{__name__="x", a="b"} VALUE MILLISECONDS` a line. The dump
/// shows stale markers as NaN, so every NaN is taken for one.
std::unique_ptr<CaptureReader> NewTsdbDumpReader(std::string name);

/// Answers of `/api/v1/query` and `/api/v1/query_range` as they came, or only their `data`: one, or
/// several one after the other or in a list. Scalars and strings are refused: they are no series.
std::unique_ptr<CaptureReader> NewAnswerFileReader(std::string name);

/// What VictoriaMetrics' `/api/v1/export` answers: an object with metric, values and timestamps
/// (milliseconds) a line. null is a stale marker.
std::unique_ptr<CaptureReader> NewExportReader(std::string name);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_CAPTURE_READER_H_
