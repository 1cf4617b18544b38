#ifndef SCHEDLENS_ANALYSIS_CAUSES_FINDINGS_H_
#define SCHEDLENS_ANALYSIS_CAUSES_FINDINGS_H_

#include <vector>

#include "analysis/causes/window_evidence.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The causes that the evidence supports, strongest first; remarks about the number come after them
/// and from elsewhere. Empty when nothing is slow and nothing fails. A cause is named only with
/// evidence that would be absent without it; `certain` only where proven bounds say so.
std::vector<Finding> FindCauses(const WindowEvidence& c);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_FINDINGS_H_
