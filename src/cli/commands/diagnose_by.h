#ifndef SCHEDLENS_CLI_COMMANDS_DIAGNOSE_BY_H_
#define SCHEDLENS_CLI_COMMANDS_DIAGNOSE_BY_H_

// `diagnose --by LABEL`: many schedulers behind one source, each diagnosed, worst first.

#include <cstddef>
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

/// So many at a time, whatever the machine has: each may hold a part of what is known in memory.
constexpr std::size_t kMostSideBySide = 8;

/// Calls work(0), ..., work(count - 1), each once, on as many threads as the process may use
/// processors; returns when all have ended. Where some throw, nothing more is begun, and what the
/// first of them by number threw is thrown. Nothing is called for a count of 0.
void SideBySide(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_DIAGNOSE_BY_H_
