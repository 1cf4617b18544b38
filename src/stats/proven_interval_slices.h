#ifndef SCHEDLENS_STATS_PROVEN_INTERVAL_SLICES_H_
#define SCHEDLENS_STATS_PROVEN_INTERVAL_SLICES_H_

// What per-scrape sums say about the observations inside one bucket.

#include <limits>
#include <vector>

#include "schedlens/estimate.h"
#include "stats/cell_bounds.h"

namespace schedlens {

/// All children's cells in one bucket (lower, upper], laid out for the bisection: `room` is
/// cU - A (how much less than full the bucket is), `load` is B - cL.
struct BucketSlices {
  double lower = 0;
  double upper = 0;
  std::vector<double> count, room, load, mean_low;

  void Add(const Slice& slice);
  /// The most observations at most x, over all ways the sums allow.
  double MostUpTo(double x) const;
  /// The fewest.
  double LeastUpTo(double x) const;
  /// Whether all counts are whole numbers.
  bool Countable() const;
};

/// The bucket, narrowed for its j-th smallest observation; an open end is absent.
Interval NarrowInside(const BucketSlices& slices, double j);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_PROVEN_INTERVAL_SLICES_H_
