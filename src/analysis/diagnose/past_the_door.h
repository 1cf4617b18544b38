#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_PAST_THE_DOOR_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_PAST_THE_DOOR_H_

#include <optional>

#include "analysis/diagnose/gather.h"
#include "analysis/neighbours/behind.h"

namespace schedlens {

/// Asks for the neighbours' samples of what was gathered, and notes the questions. Nothing where no
/// scheduler was found.
void AskNeighbours(Source& source, const QuerySet& queries, Investigation* gathered);

/// The binding's path of the window and of the baseline, as far as the neighbours' samples go.
/// Nothing without an API server that answered bindings, and where the samples contradict each
/// other.
std::optional<PathEvidence> MeasurePath(const Investigation& gathered);

/// Adds the path's parts to the stages, below bind.request, and what is behind them to the findings
/// that the scheduler alone cannot tell further: bind.apiserver and attempts.error. None is surer
/// than its finding, nor than possible where there is no incident.
void LookPastTheDoor(const PathEvidence& path, const WindowEvidence& c, Diagnosis* d);

/// Who was hit, what changed around the window's start, and which neighbours there are to tell.
/// Nothing where there is too little data for a verdict; where samples contradict each other
/// nobody's wait is told.
void AddSurroundings(const Investigation& gathered, const std::optional<PathEvidence>& path,
                     Diagnosis* d);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_PAST_THE_DOOR_H_
