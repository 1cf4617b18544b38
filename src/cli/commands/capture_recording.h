#ifndef SCHEDLENS_CLI_COMMANDS_CAPTURE_RECORDING_H_
#define SCHEDLENS_CLI_COMMANDS_CAPTURE_RECORDING_H_

// What `capture` records, before it is written: from a source, or from a scheduler's own /metrics.

#include <iosfwd>
#include <string>

#include "cli/options/time.h"
#include "model/exposition.h"
#include "source/capture/part_file.h"
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

/// The source and the options that decide what it is asked, as text (see AskedText).
std::string AskedBy(const CaptureOptions& options, const SourceInfo& info);

/// The range and selector to record, and `asked`; looks for schedulers where no selector is given.
CapturePartHead NewHead(const CaptureOptions& options, Source& source, const SourceInfo& info,
                        const std::string& asked);

/// Throws Error(kInsufficientData) when the range has no kube-scheduler metrics, and what the
/// source throws.
Exposition RecordFrom(const CaptureOptions& options, Source& source, const SourceInfo& info,
                      const CapturePartHead& head, RecordingPlan plan);

/// The same with answers kept in `part`, resuming from those of an earlier run. A failure says how
/// to resume; warnings go to `err`.
Exposition RecordKeeping(const CaptureOptions& options, Source& source, const SourceInfo& info,
                         RecordingPlan plan, CapturePartFile& part, std::ostream& err);

/// Scrapes `options.scrape` for `options.duration`. Progress goes to `err`.
Exposition RecordPages(const CaptureOptions& options, std::ostream& err);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_CAPTURE_RECORDING_H_
