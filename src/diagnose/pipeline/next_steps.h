#pragma once

#include "base/source.h"
#include "contract/diagnosis.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/pipeline/gather.h"

namespace schedlens {

// Next steps that the tool takes itself: those that are a query.

/// Fills selector, window and time into the queries of all next steps, so that each is valid as it
/// stands. `gathered` is what the diagnosis rests on. A query about processes that were not found
/// selects them by what their jobs are mostly called.
void WriteNextSteps(const QuerySet& queries, const Investigation& gathered, Diagnosis* diagnosis);

/// WriteNextSteps, then asks each query once, at most 40 requests and four at a time, puts what
/// comes back beside its step, and notes the questions. Of several wordings by release the first
/// that has data counts. Whatever fails is said in one line beside its step; throws Error only when
/// interrupted. Nobody else is asked for where the request wants no neighbours.
void AnswerNextSteps(Source& source, const QuerySet& queries, const Investigation& gathered,
                     Diagnosis* diagnosis);

/// An instant vector in words: its values with their labels and unit, the largest first, at most
/// five. Without a series, and with nothing but NaN (a mean of no observations), says so and has no
/// value.
StepAnswer ToStepAnswer(const Answer& answer, StepUnit unit);

}  // namespace schedlens
