#pragma once

// Whether counts hurt, compared with those of calm time.

#include "diagnose/episodes/episodes.h"

namespace schedlens {

inline constexpr double kHurtShare = 0.01;
/// Without anything to compare with.
inline constexpr double kStandingShare = 0.02;
/// What is too short to be sure of must hurt this many.
inline constexpr double kShortShare = 0.05;

/// The counts of the columns [first, last).
StateCounts CountsIn(const ColumnCounts& counts, std::size_t first, std::size_t last);

/// What hurts of these counts (see HurtsAgainst) by that share of a tail; under 20 pods have none.
/// `dispersion` widens the standard error that is taken off a share.
std::vector<Hurt> HurtOf(const ColumnCounts& bounds, const StateCounts& now, const CalmState& calm,
                         double share, double dispersion);

/// Slow whatever it is compared with: of 20 pods (without them attempts) or more that share above a
/// second, or a median of 0.16 s; errors of 1 %, or unschedulable attempts of 10 %.
std::vector<Hurt> SlowAllTheTime(const ColumnCounts& bounds, const StateCounts& now, double share);

/// A calm state of these counts; rate and waiting are the caller's.
CalmState StateOfCounts(const ColumnCounts& bounds, const StateCounts& counts);

/// Mean number of bounds from 0.1 s on that a wait exceeds, and the share of errors.
double SlownessOf(const ColumnCounts& bounds, const StateCounts& counts);

/// Sum of all elements.
double SumOf(const std::vector<double>& counts);

}  // namespace schedlens
