#ifndef SCHEDLENS_REFERENCE_COUPLING_H_
#define SCHEDLENS_REFERENCE_COUPLING_H_

// No metric joins the stages of one attempt. The algorithm's own histogram says whether an attempt
// that is expensive in one of its stages is expensive in the others too.

#include <utility>
#include <vector>

#include "reference/latency_shape.h"
#include "sim/scenario/scenario.h"

namespace schedlens {

/// Classes of attempts by how expensive they are: the share of all attempts in each.
const std::vector<double>& AttemptClasses();

/// What each class pays for each stage when the dearest attempts are so in every stage: as many
/// entries as classes. Empty where drawing the stages independently comes closer to the histogram
/// of their sum.
std::vector<sim::CostOverrides> CoupledCosts(
    const std::vector<std::pair<sim::Cost, FineBuckets>>& stages, const LatencyShape& sum);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_COUPLING_H_
