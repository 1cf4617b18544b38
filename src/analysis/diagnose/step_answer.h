#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_STEP_ANSWER_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_STEP_ANSWER_H_

#include "analysis/glossary/step_questions.h"
#include "contract/diagnosis.h"
#include "contract/source.h"

namespace schedlens {

/// An instant vector in words: its values with their labels and unit, the largest first, at most
/// five. Without a series, and with nothing but NaN (a mean of no observations), says so and has no
/// value.
StepAnswer ToStepAnswer(const Answer& answer, StepUnit unit);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_STEP_ANSWER_H_
