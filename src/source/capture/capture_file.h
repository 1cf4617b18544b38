#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/hash_index.h"
#include "base/series.h"

namespace schedlens {

class ByteSource;

// A capture of any format, told by its content: OpenMetrics and Prometheus text, a dump of
// promtool, answers of the query API, an export of VictoriaMetrics.

/// Reads a file: plain or gzip (by content), `-` for standard input. Samples without time, which
/// only the exposition formats have, get `default_time`. Throws Error(kFailed), one line with the
/// file and the place in it, for what is of no format, damaged or cut off; see CaptureReader and
/// exposition.h.
///
/// Of the exposition formats, metrics that are not `wanted` are passed over where they stand behind
/// the first `whole_bytes`; the passed-over ones among these are dropped as soon as there is more.
LongExposition ReadCapture(const std::string& path, TimeMs default_time,
                           const MetricFilter& wanted = {}, std::size_t whole_bytes = 0);

/// The same for bytes in memory, not packed; `name` is the file's name in messages.
Exposition ParseCapture(std::string_view bytes, const std::string& name, TimeMs default_time);

/// Up to `size` bytes; fewer only at the end.
std::string ReadAhead(ByteSource& source, std::size_t size);

/// Whether JSON that begins so is a capture: an answer of the query API, or an export.
bool IsJsonCapture(std::string_view head);

// What all formats of a capture but the exposition formats are read through: bytes in, series out.

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

// Samples of a file by series, whatever order the file has them in.

class SeriesCollector {
 public:
  /// The series with these labels, a new one where there is none. The reference lasts until the
  /// next call.
  Series& Of(const Labels& labels);
  /// Adds all samples of a series.
  void Add(Series series);

  /// In order of first appearance, samples by time; of several at one time the first stays. Series
  /// without samples are left out. The collector is empty afterwards.
  std::vector<Series> Take();

 private:
  std::vector<Series> series_;
  HashIndex by_labels_;
};

}  // namespace schedlens
