#include "stats/links_interval.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/work_budget.h"

namespace schedlens {
namespace {

/// What a step beyond x says about the number above x: as many as there, but for those that the
/// difference of the sums lets cross from one side to the other.
double LeastAbove(const LinkedInterval& linked, const LinkedStep& step, double x) {
  return step.above.low - std::floor(linked.difference / (step.at - x));
}
double MostAbove(const LinkedInterval& linked, const LinkedStep& step, double x) {
  return step.above.high + std::floor(linked.difference / (x - step.at));
}

}  // namespace

CountBounds Joint::Above(double x) const {
  CheckBudget();
  CountBounds total;
  for (const Cell& cell : cells) {
    const CountBounds one = CellAbove(*cell.child, cell.i, x, &cell.last);
    total.low += one.low;
    total.high += one.high;
  }
  return total;
}

Joint JointOver(std::span<const ScrapeIncreases> children, TimeMs start, TimeMs end) {
  Joint joint;
  for (const ScrapeIncreases& child : children) {
    if (child.cells() == 0 || child.edges.front() >= end) continue;
    const auto edge = std::lower_bound(child.edges.begin(), child.edges.end(), start);
    const auto i = static_cast<std::size_t>(edge - child.edges.begin());
    const bool there = i < child.cells() && child.edges[i] == start && child.edges[i + 1] == end;
    if (!there || child.count_at.size() != child.edges.size()) {
      joint.whole = false;
      continue;
    }
    const SumUse use = SumUseOf(child, i);
    joint.whole = joint.whole && use == SumUse::kUsed;
    joint.cells.push_back({&child, i, {}});
    joint.cells.back().last.use = use;
    joint.count += child.Count(i);
    joint.sum += child.sums[i];
    joint.slack += SumSlack(child, i);
    joint.count_before += child.count_at[i];
    joint.count_after += child.count_at[i + 1];
  }
  return joint;
}

bool PremiseHolds(const Joint& own, const Joint& other, bool above, double* difference) {
  if (!own.whole || !other.whole || other.cells.empty()) return false;
  if (own.count != other.count || own.count_before != other.count_before ||
      own.count_after != other.count_after) {
    return false;
  }
  const double slack = own.slack + other.slack;
  *difference = (above ? other.sum - own.sum : own.sum - other.sum) + slack;
  return *difference >= 0;
}

std::vector<double> StepsOf(const Link& link, std::span<const double> target_bounds) {
  std::vector<double> steps = UnionOfBounds(link.children);
  steps.insert(steps.end(), target_bounds.begin(), target_bounds.end());
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

LinkedInterval MakeLinked(const Link& link, Joint other, double difference,
                          std::span<const double> steps) {
  LinkedInterval out;
  out.link = &link;
  out.other = std::move(other);
  out.difference = difference;
  // A step is of use only where its count can be inside what the interval holds at all.
  for (const double y : steps) {
    const CountBounds above = out.other.Above(y);
    const bool useful = link.above ? above.low > 0 : above.high < out.other.count;
    if (useful && std::isfinite(y)) out.steps.push_back({y, above});
  }
  return out;
}

void Apply(const LinkedInterval& linked, double x, CountBounds* bounds) {
  if (linked.counts) {
    const CountBounds there = linked.other.Above(x);
    if (linked.link->above) {
      bounds->high = std::min(bounds->high, there.high);
    } else {
      bounds->low = std::max(bounds->low, there.low);
    }
  }
  for (const LinkedStep& step : linked.steps) {
    if (linked.link->above && step.at > x) {
      bounds->low = std::max(bounds->low, LeastAbove(linked, step, x));
    } else if (!linked.link->above && step.at < x) {
      bounds->high = std::min(bounds->high, MostAbove(linked, step, x));
    }
  }
}

LinkedInterval UsefulWithin(const LinkedInterval& linked, const Joint& own, double low,
                            double high) {
  LinkedInterval out;
  out.link = linked.link;
  out.difference = linked.difference;
  // Every bound falls as x grows: the least that the target's own says is at one end of the range,
  // the most that the link adds at the other.
  const double most = own.Above(low).high;
  const double least = own.Above(high).low;
  if (linked.link->above) {
    out.counts = linked.other.Above(high).high < most;
    for (const LinkedStep& step : linked.steps) {
      if (step.at > low && LeastAbove(linked, step, low) > least) out.steps.push_back(step);
    }
  } else {
    out.counts = linked.other.Above(low).low > least;
    for (const LinkedStep& step : linked.steps) {
      if (step.at < high && MostAbove(linked, step, high) < most) out.steps.push_back(step);
    }
  }
  if (out.counts) out.other = linked.other;
  return out;
}

}  // namespace schedlens
