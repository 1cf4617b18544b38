#ifndef SCHEDLENS_STATS_LINKS_INTERVAL_H_
#define SCHEDLENS_STATS_LINKS_INTERVAL_H_

// Links over one scrape interval: see stats/links.h.

#include <span>
#include <vector>

#include "stats/links.h"

namespace schedlens {

/// The cells of several children over one scrape interval.
struct Joint {
  struct Cell {
    const ScrapeIncreases* child;
    std::size_t i;
    mutable LastBucket last;
  };
  std::vector<Cell> cells;
  double count = 0;
  double sum = 0;
  double slack = 0;
  double count_before = 0;  ///< since process start
  double count_after = 0;
  bool whole = true;  ///< every child is there, without reset, with a usable sum

  /// Bounds of the number of observations above x.
  CountBounds Above(double x) const;
};

/// The children's cells over exactly (start, end]. A child that appears later counts zero so far.
Joint JointOver(std::span<const ScrapeIncreases> children, TimeMs start, TimeMs end);

/// What a link says about one interval: the other histogram's counts above each of its steps.
struct LinkedInterval {
  const Link* link = nullptr;
  Joint other;
  double difference = 0;  ///< most that the two sums can differ by
  std::vector<double> steps;
  std::vector<CountBounds> above;
};

/// Whether both hold the same attempts, and if so the most that their sums can differ by. `above`
/// as in Link.
bool PremiseHolds(const Joint& own, const Joint& other, bool above, double* difference);

/// Precomputes the steps where a link can be of use.
LinkedInterval MakeLinked(const Link& link, Joint other, double difference,
                          std::span<const double> target_bounds);

/// Adds what the link proves about the number of the target's observations above x.
void Apply(const LinkedInterval& linked, double x, CountBounds* bounds);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_LINKS_INTERVAL_H_
