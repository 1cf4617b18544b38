#ifndef SCHEDLENS_ANALYSIS_TAIL_IN_FLIGHT_H_
#define SCHEDLENS_ANALYSIS_TAIL_IN_FLIGHT_H_

// Attempts that have passed a stage but have not ended: what a window's edge cuts apart.

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/breakdown/time_breakdown.h"

namespace schedlens {

/// Attempts of one target (its number) that had passed a stage at a time but had not ended: in the
/// stage's count but not yet in e2e's, since the process started. Without `point` the stage is the
/// algorithm, and its gap is the number of running attempts. Zero where the counts are not there.
double GapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
             TimeMs t, std::optional<kube::ExtensionPoint> point = {});

/// The gap of all targets together.
double GapAt(const Histograms& histograms, std::span<const Target> targets,
             const TimeBreakdown& breakdown, TimeMs t,
             std::optional<kube::ExtensionPoint> point = {});

/// Attempts of one target whose bind was observed at a time but that had not ended: the two are
/// microseconds apart, so hardly ever any.
double BindGapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
                 TimeMs t);

/// Everything that was observed until then: a scrape before the first makes the first one's counts
/// increases.
WindowIncreases History(const Histograms& histograms, std::span<const Target> targets,
                        TimeMs until);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_IN_FLIGHT_H_
