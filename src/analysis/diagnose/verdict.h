#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_VERDICT_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_VERDICT_H_

#include <vector>

#include "analysis/causes/window_evidence.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// Is it an incident? Yes where the alert is decided above its threshold. Where it is decided
/// below: an artifact if it fires all the same, else no. Without a decision yes where a cause is at
/// least likely, or attempts are proven slow and a cause is possible; `causes` are there only where
/// attempts are significantly and clearly slower, fail more, or wait more. What lasted too short a
/// time to matter is none. Numbers that contradict each other leave it open.
Verdict JudgeVerdict(const WindowEvidence& c, const std::vector<Finding>& causes,
                     const AlertVerdict& alert);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_VERDICT_H_
