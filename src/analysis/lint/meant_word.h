#ifndef SCHEDLENS_ANALYSIS_LINT_MEANT_WORD_H_
#define SCHEDLENS_ANALYSIS_LINT_MEANT_WORD_H_

#include <string>
#include <vector>

namespace schedlens {

/// The known word that this one is a slip of: written otherwise (`extensionPoint`), one or two
/// letters off, or another name of the same thing (`verb` for `method`). Empty where none is near;
/// `unscheduled` is no slip of `scheduled`, nor are words of fewer than five letters of others.
std::string MeantWord(const std::string& word, const std::vector<std::string>& known);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_MEANT_WORD_H_
