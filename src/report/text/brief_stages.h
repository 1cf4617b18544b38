#ifndef SCHEDLENS_REPORT_TEXT_BRIEF_STAGES_H_
#define SCHEDLENS_REPORT_TEXT_BRIEF_STAGES_H_

// One small picture of where the time of a scheduled pod went.

#include <string>

#include "contract/diagnosis.h"
#include "report/text/sections.h"

namespace schedlens {

/// The stages that matter (stages_per_pod.h), at most `most`, as bars with milliseconds before and
/// now. Empty where there are none.
std::string BriefStages(const TextPage& page, const Diagnosis& diagnosis, std::size_t most);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_TEXT_BRIEF_STAGES_H_
