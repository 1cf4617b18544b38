#ifndef SCHEDLENS_STATS_LINKS_TOTAL_H_
#define SCHEDLENS_STATS_LINKS_TOTAL_H_

// Links over a whole window: see stats/links.h.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/bisect.h"
#include "stats/links_interval.h"

namespace schedlens {

/// The links that are used: all of them, or those of one name.
using LinkName = std::optional<std::string>;

/// One scrape interval of the target: its own cells and the links whose premise holds.
struct TargetInterval {
  Joint own;
  std::vector<LinkedInterval> links;

  /// Bounds of the number of observations above x; neither grows with x.
  CountBounds Above(double x, const LinkName& only) const;
};

/// All processes, interval by interval.
class LinkedTotal {
 public:
  /// `processes` must outlive this object.
  explicit LinkedTotal(std::span<const LinkedProcess> processes);

  CountBounds Above(double x, const LinkName& only) const;

  const std::vector<TargetInterval>& intervals() const { return intervals_; }
  /// Uses of the links.
  std::size_t Linked(const LinkName& only) const;
  /// Intervals with observations.
  std::size_t counted() const { return counted_; }

 private:
  void AddProcess(const LinkedProcess& process);

  std::vector<TargetInterval> intervals_;
  std::size_t counted_ = 0;
};

/// The same bounds for any x of [low, high], laid out for a bisection: an interval that says the
/// same at both ends says it everywhere between them, so only the others are asked again.
class LinkedTotalWithin {
 public:
  LinkedTotalWithin(const LinkedTotal& total, const LinkName& only, double low, double high);

  /// Bisects [low, high] for the x from which on `holds(bounds above x)` is true.
  Bracket Find(const std::function<bool(const CountBounds&)>& holds) const;
  CountBounds Above(double x) const;

 private:
  struct Moving {
    TargetInterval interval;
    CountBounds at_low, at_high;
  };

  double low_, high_;
  CountBounds constant_;
  std::vector<Moving> moving_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_LINKS_TOTAL_H_
