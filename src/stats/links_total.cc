#include "stats/links_total.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace schedlens {
namespace {

bool Uses(const LinkName& only, const LinkedInterval& linked) {
  return !only || linked.link->name == *only;
}

void Add(const CountBounds& one, CountBounds* total) {
  total->low += one.low;
  total->high += one.high;
}

bool Same(const CountBounds& a, const CountBounds& b) { return a.low == b.low && a.high == b.high; }

/// Edges common to all cells of the process's children.
std::vector<TimeMs> EdgesOf(std::span<const ScrapeIncreases> children) {
  std::vector<TimeMs> edges;
  for (const ScrapeIncreases& child : children) {
    edges.insert(edges.end(), child.edges.begin(), child.edges.end());
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Cell by cell, without links.
std::vector<TargetInterval> Separately(std::span<const ScrapeIncreases> children) {
  std::vector<TargetInterval> intervals;
  for (const ScrapeIncreases& child : children) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      TargetInterval& interval = intervals.emplace_back();
      interval.own.cells.push_back({&child, i, {}});
    }
  }
  return intervals;
}

}  // namespace

CountBounds TargetInterval::Above(double x, const LinkName& only) const {
  CountBounds bounds = own.Above(x);
  for (const LinkedInterval& linked : links) {
    if (Uses(only, linked)) Apply(linked, x, &bounds);
  }
  // Both ends hold, so a crossing can only be rounding within the sums' slack.
  bounds.high = std::max(bounds.low, bounds.high);
  return bounds;
}

LinkedTotal::LinkedTotal(std::span<const LinkedProcess> processes) {
  for (const LinkedProcess& process : processes) AddProcess(process);
}

void LinkedTotal::AddProcess(const LinkedProcess& process) {
  const std::vector<TimeMs> edges = EdgesOf(process.children);
  const std::vector<double> bounds = UnionOfBounds(process.children);
  std::vector<std::vector<double>> steps;
  for (const Link& link : process.links) steps.push_back(StepsOf(link, bounds));
  std::vector<TargetInterval> intervals;
  std::size_t cells = 0;
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    TargetInterval interval{JointOver(process.children, edges[e], edges[e + 1]), {}};
    cells += interval.own.cells.size();
    if (interval.own.count == 0) continue;
    ++counted_;
    for (std::size_t l = 0; l < process.links.size(); ++l) {
      const Link& link = process.links[l];
      Joint other = JointOver(link.children, edges[e], edges[e + 1]);
      double difference = 0;
      if (!PremiseHolds(interval.own, other, link.above, &difference)) continue;
      interval.links.push_back(MakeLinked(link, std::move(other), difference, steps[l]));
    }
    intervals.push_back(std::move(interval));
  }
  std::size_t expected = 0;
  for (const ScrapeIncreases& child : process.children) expected += child.cells();
  // Children that were scraped at different times have no interval in common.
  if (cells != expected) intervals = Separately(process.children);
  std::move(intervals.begin(), intervals.end(), std::back_inserter(intervals_));
}

CountBounds LinkedTotal::Above(double x, const LinkName& only) const {
  CountBounds total;
  for (const TargetInterval& interval : intervals_) Add(interval.Above(x, only), &total);
  return total;
}

std::size_t LinkedTotal::Linked(const LinkName& only) const {
  std::size_t linked = 0;
  for (const TargetInterval& interval : intervals_) {
    linked += static_cast<std::size_t>(
        std::count_if(interval.links.begin(), interval.links.end(),
                      [&](const LinkedInterval& link) { return Uses(only, link); }));
  }
  return linked;
}

LinkedTotalWithin::LinkedTotalWithin(const LinkedTotal& total, const LinkName& only, double low,
                                     double high)
    : low_(low), high_(high) {
  for (const TargetInterval& interval : total.intervals()) {
    const CountBounds at_low = interval.Above(low, only);
    const CountBounds at_high = interval.Above(high, only);
    if (Same(at_low, at_high)) {
      Add(at_low, &constant_);
      continue;
    }
    Moving& moving = moving_.emplace_back();
    moving.at_low = at_low;
    moving.at_high = at_high;
    moving.interval.own = interval.own;
    for (const LinkedInterval& linked : interval.links) {
      if (!Uses(only, linked)) continue;
      LinkedInterval part = UsefulWithin(linked, interval.own, low, high);
      if (part.counts || !part.steps.empty()) moving.interval.links.push_back(std::move(part));
    }
  }
}

Bracket LinkedTotalWithin::Find(const std::function<bool(const CountBounds&)>& holds) const {
  struct Asked {
    const TargetInterval* interval;
    CountBounds below, above, middle;  // at the ends of the bracket, and where it is asked
  };
  CountBounds constant = constant_;
  std::vector<Asked> asked;
  for (const Moving& moving : moving_) {
    asked.push_back({&moving.interval, moving.at_low, moving.at_high, {}});
  }
  return Bisect(low_, high_, [&](double x) {
    CountBounds total = constant;
    for (Asked& one : asked) {
      one.middle = one.interval->Above(x, std::nullopt);
      Add(one.middle, &total);
    }
    const bool above = holds(total);
    for (Asked& one : asked) (above ? one.above : one.below) = one.middle;
    // The narrower the bracket, the fewer intervals still move in it.
    std::erase_if(asked, [&](const Asked& one) {
      const bool still = Same(one.below, one.above);
      if (still) Add(one.below, &constant);
      return still;
    });
    return above;
  });
}

CountBounds LinkedTotalWithin::Above(double x) const {
  CountBounds total = constant_;
  for (const Moving& moving : moving_) Add(moving.interval.Above(x, std::nullopt), &total);
  return total;
}

}  // namespace schedlens
