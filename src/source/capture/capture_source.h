#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/exposition.h"
#include "base/series.h"
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
};

/// A capture, asked with our own PromQL dialect. Metrics that the expected questions do not select
/// are passed over in reading (see exposition.h); a question that selects one of them has the file
/// read a second time, whole. That cannot be done for standard input and pipes: of these the
/// beginning is kept whole, and a question for what was passed over behind it throws
/// Error(kFailed). So does a file that changed in between.
///
/// Throws what ReadCapture throws, and Error(kInsufficientData) for a capture without samples.
/// Questions may come from several threads.
std::unique_ptr<Source> OpenCaptureSource(CaptureToOpen capture);

/// Samples in memory, asked with our own PromQL dialect: a capture, a scrape pair, the simulator.
/// `info` says where they come from; its extent is filled in here.
std::unique_ptr<Source> NewLocalSource(std::vector<Series> series, SourceInfo info);

}  // namespace schedlens
