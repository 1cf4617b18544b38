#ifndef SCHEDLENS_ANALYSIS_FINDINGS_H_
#define SCHEDLENS_ANALYSIS_FINDINGS_H_

#include <vector>

#include "analysis/case.h"
#include "schedlens/diagnosis.h"

namespace schedlens {

/// The causes that the evidence supports, strongest first; remarks about the number come after them
/// and from elsewhere. Empty when nothing is slow and nothing fails. A cause is named only with
/// evidence that would be absent without it; `certain` only where proven bounds say so.
std::vector<Finding> FindCauses(const Case& c);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_FINDINGS_H_
