#pragma once

#include "base/exposition.h"
#include "base/hash_index.h"
#include "base/source.h"

namespace schedlens {

// Two raw /metrics pages of one process as a source: no Prometheus at all.

/// The series of both pages, each with one sample a page where it stands. A series that is on the
/// second page only started between them: Prometheus's increase needs two samples, so a counter, a
/// bucket, a sum or a count gets the sample 0 at the first page's time. Throws Error(kFailed)
/// naming the series when the process restarted in between: `process_start_time_seconds` changed,
/// or a counter of a known type decreased or went away; and when the pages have no time order.
std::vector<Series> JoinScrapes(const Exposition& before, const Exposition& after);

struct CaptureToOpen {
  std::string path;                    ///< `-` for standard input
  TimeMs default_time = 0;             ///< of samples without time
  std::optional<Semantics> semantics;  ///< instead of those that the capture names
  /// PromQL that will be asked, as far as it is known; empty: anything may be. It saves time and
  /// memory, answers are the same without.
  std::vector<std::string> questions;
  /// So much of what can be read only once is kept whole, whatever the questions.
  std::size_t whole_bytes = std::size_t{128} << 20;
  /// A single /metrics page begins when its (oldest) process started, with counters of 0. It is one
  /// if most of its series share one time; those with another are left out, with a warning.
  /// Whatever else it is, is read as without.
  bool since_start = false;
};

/// A capture, asked with our own PromQL dialect. Metrics that the expected questions do not select
/// are passed over in reading (see exposition.h); a question that selects one of them has the file
/// read a second time, whole. That cannot be done for standard input and pipes: of these the
/// beginning is kept whole, and a question for what was passed over behind it throws
/// Error(kFailed). So does a file that changed in between.
///
/// A histogram that is there as a native one alone is read in its classic form, too
/// (unfolding_source.h). Throws what ReadCapture throws, and Error(kInsufficientData) for a capture
/// without samples, and for a page that does not tell since when it counts, where that is wanted.
/// Questions may come from several threads.
std::unique_ptr<Source> OpenCaptureSource(CaptureToOpen capture);

/// Samples in memory, asked with our own PromQL dialect: a capture, a scrape pair, the simulator.
/// `info` says where they come from; its extent is filled in here.
std::unique_ptr<Source> NewLocalSource(std::vector<Series> series, SourceInfo info);

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
