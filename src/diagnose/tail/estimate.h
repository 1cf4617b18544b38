#pragma once

// Attempts pieced together again: an estimate of what the slowest spent their time on.

#include <random>

#include "diagnose/tail/top_total.h"

namespace schedlens {

/// By the leaves of the stage tree; a bind by its plugins as a whole.
using PartSeconds = kube::EnumMap<kube::Stage, double>;

/// The parts that one observation brings along.
enum Group : std::size_t {
  kAlgorithmGroup,
  kReserveGroup,
  kPermitGroup,
  kPermitWaitGroup,
  kPreBindGroup,
  kBindGroup,
  kGroupCount
};

/// Something observed as a whole, and what of it has been found so far.
struct ReconstructedAttempt {
  double seconds = 0;
  double free = 0;  ///< seconds not yet given to a part; negative when too much was given
  PartSeconds parts{};
  std::array<bool, kGroupCount> has{};

  explicit ReconstructedAttempt(double s) : seconds(s), free(s) {}
  void Give(kube::Stage part, double s) {
    parts[part] += s;
    free -= s;
  }
  void Take(const PartSeconds& more);
  double SecondsOf(Group group) const;
  void Exchange(Group group, ReconstructedAttempt* other);
};

/// ReconstructedAttempts of one cell; those too small to matter are only added up.
struct ReconstructedAttempts {
  std::vector<ReconstructedAttempt> large;
  double small_count = 0;
  PartSeconds small{};       ///< all small ones together
  double small_seconds = 0;  ///< not yet given to a part

  double count() const { return static_cast<double>(large.size()) + small_count; }
  /// Gives each the same.
  void Spread(kube::Stage part, double s);
  /// What is left is `rest`'s, as much as the sums leave in all: where some were given too much and
  /// others have too little, it is their drawn length that was wrong, not the parts.
  void Close(kube::Stage rest);
};

/// The whole that `s` more seconds fill best: the least free time that still holds them, give or
/// take the blur of a bucket, and that has none of `group` yet. When none has room: the roomiest if
/// it `must` go somewhere, else null.
ReconstructedAttempt* BestFit(std::vector<ReconstructedAttempt>* wholes, std::optional<Group> group,
                              double s, bool must);

/// Where a whole was given more than it took, exchanges its observations with other wholes' as long
/// as that takes more than `least` seconds of excess away in all.
void Repair(double least, std::vector<ReconstructedAttempt>* wholes);

using StageShares = kube::PartialEnumMap<kube::Stage, double>;

/// Shares of the time of the `attempts` slowest attempts by stage: an estimate, next to the
/// bounds of BoundTail. Several times over, each scrape interval's observations are drawn inside
/// their buckets and pieced together again: the largest parts first, each into the attempt of its
/// interval that it fills best; parts observed before their attempt ended wait for a later
/// interval. What an attempt has left is the remainder. Empty without e2e or algorithm buckets,
/// and where too many attempts are about as slow as the slowest to be told apart.
StageShares EstimateTail(const TailPopulations& populations, const TimeBreakdown& breakdown,
                         std::size_t attempts);

/// Observations of one cell, in seconds: the large ones one by one, the small ones added up.
struct DrawnCell {
  std::vector<double> large;
  double small_count = 0, small_seconds = 0;
};

/// Whether a cell has no buckets but the open one, so that its observations are all taken to be as
/// long as their mean, and that is at most `least`.
bool IsSmallByMean(const CellView& cell, double least);

/// Observations that fit a cell: as many in each bucket as it counts (fractions rounded),
/// log-uniform inside (uniform in the first), then all bent toward the lower or the upper edges
/// until they add up to the cell's sum, as far as the edges allow. What an open bucket holds comes
/// from the sum. Without a sum nothing is bent. Buckets that end at or below `least` are small and
/// enter with the middle of their edges; so is all of a cell that IsSmallByMean. An empty cell
/// gives none.
DrawnCell DrawObservations(const CellView& cell, double least, std::mt19937_64* random);

}  // namespace schedlens
