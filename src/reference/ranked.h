#ifndef SCHEDLENS_REFERENCE_RANKED_H_
#define SCHEDLENS_REFERENCE_RANKED_H_

// Distributions laid side by side, rank by rank.

#include <vector>

#include "sim/base/distribution.h"

namespace schedlens {

/// Values of the distribution, ascending: as many of each, and of every distribution as many.
std::vector<double> Ranked(const sim::Distribution& distribution);

/// Rank by rank the given part of the way from one to the other.
sim::Distribution Partway(const sim::Distribution& from, const sim::Distribution& to, double part);

/// Rank by rank the slower of the two.
sim::Distribution Slower(const sim::Distribution& a, const sim::Distribution& b);

/// The middle value of `now` is above that of `quiet` by at least half as much as the mean is.
bool GrewEvenly(const sim::Distribution& now, const sim::Distribution& quiet);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_RANKED_H_
