#ifndef SCHEDLENS_CLI_COMMANDS_DIAGNOSE_BY_H_
#define SCHEDLENS_CLI_COMMANDS_DIAGNOSE_BY_H_

// `diagnose --by LABEL`: many schedulers behind one source, each diagnosed, worst first.

#include <functional>
#include <string>

#include "cli/options/investigate.h"
#include "contract/report.h"

namespace schedlens {

/// Turns an investigation into the diagnosis that is shown; with the selector of its schedulers.
/// Called by several threads at a time.
using CompleteDiagnosis = std::function<Diagnosis(Investigation, const std::string& selector)>;

/// Asks once for all values of the label, with sums over processes made on the server, and
/// diagnoses each value's part. Worst first: incidents, then what cannot be decided, each by what
/// the alert shows. Throws Error(kUsage) for an invalid label name or one that no scheduler has,
/// Error(kInsufficientData) when no scheduler is found, and what the source throws.
SplitDiagnosis DiagnoseBy(const std::string& label, const InvestigateOptions& options,
                          const QuerySet& queries, const CompleteDiagnosis& complete,
                          const Context& context);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_DIAGNOSE_BY_H_
