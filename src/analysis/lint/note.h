#ifndef SCHEDLENS_ANALYSIS_LINT_NOTE_H_
#define SCHEDLENS_ANALYSIS_LINT_NOTE_H_

#include <functional>
#include <string>

namespace schedlens {

/// Takes what one check found: an id of LintChecks(), the sentence, and what to write instead.
using LintNote =
    std::function<void(const std::string& id, const std::string& message, const std::string& fix)>;

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_NOTE_H_
