#pragma once

#include <optional>

#include "diagnose/control_plane/behind.h"
#include "diagnose/pipeline/gather.h"

namespace schedlens {

/// Asks for the neighbours' samples of what was gathered: those of pods for the window, and for the
/// baseline where a cause is about load. Changes `gathered->neighbours` alone, so that others may
/// read the rest meanwhile. Nothing where no scheduler was found, or the request wants none.
void AskNeighbours(Source& source, const QuerySet& queries, Investigation* gathered);

/// The binding's path of the window and of the baseline, as far as the neighbours' samples go.
/// Nothing without an API server that answered bindings, and where the samples contradict each
/// other.
std::optional<PathEvidence> MeasurePath(const Investigation& gathered);

/// Adds the parts of the binding's path to the stages, below bind.request, and to each finding that
/// the scheduler alone cannot tell further what is behind it. None is surer than its finding, nor
/// than possible where there is no incident. Nothing where the samples contradict each other.
void LookPastTheDoor(const Investigation& gathered, const std::optional<PathEvidence>& path,
                     Diagnosis* d);

/// Who was hit, what changed around the window's start, and which neighbours there are to tell.
/// Nothing where there is too little data for a verdict; where samples contradict each other
/// nobody's wait is told.
void AddSurroundings(const Investigation& gathered, const std::optional<PathEvidence>& path,
                     Diagnosis* d);

}  // namespace schedlens
