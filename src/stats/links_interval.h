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

/// A bound of either histogram, and the other histogram's count above it.
struct LinkedStep {
  double at = 0;
  CountBounds above;
};

/// What a link says about one interval.
struct LinkedInterval {
  const Link* link = nullptr;
  Joint other;
  bool counts = true;     ///< the other's count above x itself is of use
  double difference = 0;  ///< most that the two sums can differ by
  std::vector<LinkedStep> steps;
};

/// Whether both hold the same attempts, and if so the most that their sums can differ by. `above`
/// as in Link.
bool PremiseHolds(const Joint& own, const Joint& other, bool above, double* difference);

/// Every bound of the link's histogram and of the target's, ascending.
std::vector<double> StepsOf(const Link& link, std::span<const double> target_bounds);

/// Keeps the steps where the link can be of use.
LinkedInterval MakeLinked(const Link& link, Joint other, double difference,
                          std::span<const double> steps);

/// Adds what the link proves about the number of the target's observations above x.
void Apply(const LinkedInterval& linked, double x, CountBounds* bounds);

/// The part of a link that can say more than the target's own cells for some x of [low, high].
LinkedInterval UsefulWithin(const LinkedInterval& linked, const Joint& own, double low,
                            double high);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_LINKS_INTERVAL_H_
