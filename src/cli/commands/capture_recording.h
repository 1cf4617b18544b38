#ifndef SCHEDLENS_CLI_COMMANDS_CAPTURE_RECORDING_H_
#define SCHEDLENS_CLI_COMMANDS_CAPTURE_RECORDING_H_

// What `capture` records, before it is written: from a source, or from a scheduler's own /metrics.

#include <iosfwd>
#include <string>

#include "cli/options/time.h"
#include "model/exposition.h"
#include "source/capture/recording.h"
#include "source/open_source.h"

namespace schedlens {

struct CaptureOptions {
  SourceOptions source;
  TimeOptions time;
  std::string out;
  std::string alert;
  std::string scrape;
  std::string duration = "2m";
  std::string interval = "5s";
  bool redact = false;
};

/// What the options ask of the source, within `plan`'s callbacks; looks for schedulers where no
/// selector is given. Throws Error(kInsufficientData) when the range has no kube-scheduler metrics,
/// and what the source throws.
Exposition RecordFrom(const CaptureOptions& options, Source& source, const SourceInfo& info,
                      RecordingPlan plan);

/// Scrapes `options.scrape` for `options.duration`. Progress goes to `err`.
Exposition RecordPages(const CaptureOptions& options, std::ostream& err);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_CAPTURE_RECORDING_H_
