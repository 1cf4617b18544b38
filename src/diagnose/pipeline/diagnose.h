#pragma once

#include "diagnose/control_plane/binding_path.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/pipeline/gather.h"
#include "diagnose/tail/estimate.h"

namespace schedlens {

/// The pipeline: collect, add up, bound, compare, find causes. Values in, values out; asks nothing
/// but PromQL. Missing metrics, repairs and gaps are in the result; throws only what the source
/// throws, and Error(kUsage) for an alert expression that does not parse.
Investigation Investigate(Source& source, const QuerySet& queries, const DiagnoseRequest& request);
Diagnosis Diagnose(Source& source, const QuerySet& queries, const DiagnoseRequest& request);

/// The second half of an investigation: the alert's value, shares, quantiles, verdict. `source` is
/// the one that was gathered from.
Diagnosis Conclude(Source& source, const Investigation& gathered);

/// Asks for the control plane's samples of what was gathered: those of pods for the window, and for
/// the baseline where a cause is about load. Changes `gathered->control_plane` alone, so that
/// others may read the rest meanwhile. Nothing where no scheduler was found, or the request wants
/// none.
void AskControlPlane(Source& source, const QuerySet& queries, Investigation* gathered);

/// The binding's path in the evidence's window and baseline, as far as the control plane's samples
/// go. Nothing without an API server that answered bindings, and where the samples contradict each
/// other.
std::optional<PathEvidence> MeasurePath(const Investigation& gathered, const WindowEvidence& c);

/// Adds the parts of the binding's path to the stages, below bind.request, and to each finding that
/// the scheduler alone cannot tell further what is behind it. None is surer than its finding, nor
/// than possible where there is no incident. Nothing where the samples contradict each other.
void LookPastTheDoor(const Investigation& gathered, const WindowEvidence& c,
                     const std::optional<PathEvidence>& path, Diagnosis* d);

/// Who was hit, what changed around the window's start, and which parts of the control plane
/// there are to tell. Nothing where there is too little data for a verdict; where samples
/// contradict each other nobody's wait is told.
void AddSurroundings(const Investigation& gathered, const std::optional<PathEvidence>& path,
                     Diagnosis* d);

/// The stage tree of the product's contract: seconds, share of all e2e seconds, excess with its
/// split into mix and cost, tail share (inside the proven bounds the value of `tail_estimates`, see
/// EstimateTail), what measures each stage. A remainder that the release
/// cannot tell apart has no seconds. Plugins hang below their extension point by their part of its
/// time.
std::vector<StageTime> StageTree(const WindowEvidence& c, const StageShares& tail_estimates);

/// What the pictures show over `range`: e2e buckets, attempts and queue lengths, one column a
/// scrape interval of the busiest scheduler, merged to at most 240. The alert's own line is left
/// empty.
Timeline MakeTimeline(const Facts& facts, const HistogramFacts& attempt, const TimeRange& range);

// Next steps that the tool takes itself: those that are a query.

/// Fills selector, window and time into the queries of all next steps, so that each is valid as it
/// stands, and writes what to do about each finding and what is behind it. `gathered` is what the
/// diagnosis rests on. A query about processes that were not found selects them by what their jobs
/// are mostly called.
void WriteNextSteps(const QuerySet& queries, const Investigation& gathered, Diagnosis* diagnosis);

/// WriteNextSteps, then asks each query once, at most 40 requests and four at a time, puts what
/// comes back beside its step, and notes the questions. Of several wordings by release the first
/// that has data counts. Whatever fails is said in one line beside its step; throws Error only when
/// interrupted. Nobody else is asked for where the request wants no control plane.
void AnswerNextSteps(Source& source, const QuerySet& queries, const Investigation& gathered,
                     Diagnosis* diagnosis);

/// An instant vector in words: its values with their labels and unit, the largest first, at most
/// five. Without a series, and with nothing but NaN (a mean of no observations), says so and has no
/// value.
StepAnswer ToStepAnswer(const Answer& answer, StepUnit unit);

/// Puts two diagnoses side by side. Findings are the same by their id, causes behind them by id and
/// object; a `possible` one counts, too. Stages are those that have a hundredth of a scheduled
/// pod's time on either side, and the parts of those that have a tenth; plugins are left out.
Against SetAgainst(Diagnosis then, Diagnosis now);

}  // namespace schedlens
