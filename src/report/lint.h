#ifndef SCHEDLENS_REPORT_LINT_H_
#define SCHEDLENS_REPORT_LINT_H_

// How `lint` prints what it found.

#include <string>
#include <vector>

#include "contract/lint.h"
#include "report/messages/messages.h"

namespace schedlens {

/// For a person: each finding with its rule and what to write instead, then what is mended as a
/// diff.
std::string LintText(const Messages& t, const std::vector<LintedFile>& files,
                     const LintedFor& linted_for);
/// Schema schedlens.lint/1.
std::string LintJson(const std::vector<LintedFile>& files, const LintedFor& linted_for);
/// SARIF 2.1.0. `checks` are all there are; `version` is ours.
std::string LintSarif(const std::vector<LintedFile>& files, const std::vector<LintCheck>& checks,
                      const std::string& version);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_LINT_H_
