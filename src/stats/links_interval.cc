#include "stats/links_interval.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace schedlens {

CountBounds Joint::Above(double x) const {
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

LinkedInterval MakeLinked(const Link& link, Joint other, double difference,
                          std::span<const double> target_bounds) {
  LinkedInterval out{&link, std::move(other), difference, UnionOfBounds(link.children), {}};
  out.steps.insert(out.steps.end(), target_bounds.begin(), target_bounds.end());
  std::sort(out.steps.begin(), out.steps.end());
  out.steps.erase(std::unique(out.steps.begin(), out.steps.end()), out.steps.end());
  // A step is of use only where its count can be inside what the interval holds at all.
  std::size_t kept = 0;
  for (const double y : out.steps) {
    const CountBounds above = out.other.Above(y);
    const bool useful = link.above ? above.low > 0 : above.high < out.other.count;
    if (!useful || !std::isfinite(y)) continue;
    out.steps[kept++] = y;
    out.above.push_back(above);
  }
  out.steps.resize(kept);
  return out;
}

void Apply(const LinkedInterval& linked, double x, CountBounds* bounds) {
  const CountBounds there = linked.other.Above(x);
  if (linked.link->above) {
    bounds->high = std::min(bounds->high, there.high);
  } else {
    bounds->low = std::max(bounds->low, there.low);
  }
  for (std::size_t s = 0; s < linked.steps.size(); ++s) {
    const double y = linked.steps[s];
    if (linked.link->above && y > x) {
      const double crossed = std::floor(linked.difference / (y - x));
      bounds->low = std::max(bounds->low, linked.above[s].low - crossed);
    } else if (!linked.link->above && y < x) {
      const double crossed = std::floor(linked.difference / (x - y));
      bounds->high = std::min(bounds->high, linked.above[s].high + crossed);
    }
  }
}

}  // namespace schedlens
