#ifndef SCHEDLENS_CLI_OPTIONS_AGAINST_H_
#define SCHEDLENS_CLI_OPTIONS_AGAINST_H_

// `--against FILE`: a diagnosis beside an earlier one.

#include <optional>
#include <string>

#include "cli/options/investigate.h"
#include "cli/options/output.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// `--against`. `file` must outlive the option.
Option AgainstOption(std::string* file);

/// What `--against` names: a saved diagnosis, or a capture that is still to be diagnosed.
struct EarlierFile {
  std::optional<Diagnosis> saved;
  std::string capture;  ///< its file; empty with `saved`
};

/// Reads the diagnosis that `diagnose -o json` saved in the file; of a capture, which may be large,
/// the first bytes alone. Throws Error(kFailed) for a file that cannot be read or begins as JSON
/// and is no diagnosis, and Error(kUsage) for a capture on standard input or in a pipe.
EarlierFile OpenEarlier(const std::string& file);

/// The earlier side: the saved diagnosis, else that of the capture, its window found, for the same
/// schedulers and the same alert as `now`. Throws what diagnosing throws.
Diagnosis EarlierSide(EarlierFile file, const InvestigateOptions& options, const Diagnosis& now,
                      const Context& context);

/// Throws Error(kUsage) for a form that two diagnoses side by side do not have: text, JSON,
/// Markdown and HTML they have.
void CheckAgainstOutput(const OutputOptions& options);

/// The export files, then the chosen format on `context.out`; the options passed
/// CheckAgainstOutput.
void WriteAgainst(Diagnosis then, Diagnosis now, const OutputOptions& options,
                  const Context& context);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_AGAINST_H_
