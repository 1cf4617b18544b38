#include "stats/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/bisect.h"

namespace schedlens {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The cells of several children over one scrape interval.
struct Joint {
  struct Cell {
    const HistogramCells* child;
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

  CountBounds Above(double x) const {
    CountBounds total;
    for (const Cell& cell : cells) {
      const CountBounds one = CellAbove(*cell.child, cell.i, x, &cell.last);
      total.low += one.low;
      total.high += one.high;
    }
    return total;
  }
};

/// The children's cells over exactly (start, end]. A child that appears later counts zero so far.
Joint JointOver(std::span<const HistogramCells> children, TimeMs start, TimeMs end) {
  Joint joint;
  for (const HistogramCells& child : children) {
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

/// What a link says about one interval: the other histogram's counts above each of its steps.
struct LinkedInterval {
  const Link* link = nullptr;
  Joint other;
  double difference = 0;  ///< most that the two sums can differ by
  std::vector<double> steps;
  std::vector<CountBounds> above;
};

/// One scrape interval of the target: its own cells and the links whose premise holds.
struct TargetInterval {
  Joint own;
  std::vector<LinkedInterval> links;
};

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

/// Edges common to all cells of the process's children.
std::vector<TimeMs> EdgesOf(std::span<const HistogramCells> children) {
  std::vector<TimeMs> edges;
  for (const HistogramCells& child : children) {
    edges.insert(edges.end(), child.edges.begin(), child.edges.end());
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

LinkedInterval MakeLinked(const Link& link, Joint other, double difference,
                          std::span<const double> target_bounds) {
  LinkedInterval out{&link, std::move(other), difference, UnionOfBounds(link.children), {}};
  out.steps.insert(out.steps.end(), target_bounds.begin(), target_bounds.end());
  std::sort(out.steps.begin(), out.steps.end());
  out.steps.erase(std::unique(out.steps.begin(), out.steps.end()), out.steps.end());
  for (const double y : out.steps) out.above.push_back(out.other.Above(y));
  return out;
}

/// Adds what the link proves about the number of the target's observations above x.
void Apply(const LinkedInterval& linked, double x, CountBounds* bounds) {
  const CountBounds there = linked.other.Above(x);
  if (linked.link->above) {
    bounds->high = std::min(bounds->high, there.high);
  } else {
    bounds->low = std::max(bounds->low, there.low);
  }
  for (std::size_t s = 0; s < linked.steps.size(); ++s) {
    const double y = linked.steps[s];
    if (!std::isfinite(y)) continue;
    if (linked.link->above && y > x) {
      const double crossed = std::floor(linked.difference / (y - x));
      bounds->low = std::max(bounds->low, linked.above[s].low - crossed);
    } else if (!linked.link->above && y < x) {
      const double crossed = std::floor(linked.difference / (x - y));
      bounds->high = std::min(bounds->high, linked.above[s].high + crossed);
    }
  }
}

/// All processes, interval by interval; children without a common interval stay as they are.
class LinkedTotal {
 public:
  LinkedTotal(std::span<const LinkedProcess> processes, const std::string* only) {
    for (const LinkedProcess& process : processes) AddProcess(process, only);
  }

  CountBounds Above(double x) const {
    CountBounds total;
    for (const TargetInterval& interval : intervals_) {
      CountBounds one = interval.own.Above(x);
      for (const LinkedInterval& linked : interval.links) Apply(linked, x, &one);
      total.low += one.low;
      // Both ends hold, so a crossing can only be rounding within the sums' slack.
      total.high += std::max(one.low, one.high);
    }
    for (const HistogramCells* child : unlinked_) {
      const CountBounds one = CountAbove(*child, x);
      total.low += one.low;
      total.high += one.high;
    }
    return total;
  }

  std::size_t linked() const { return linked_; }
  std::size_t counted() const { return counted_; }

 private:
  void AddProcess(const LinkedProcess& process, const std::string* only) {
    const std::vector<TimeMs> edges = EdgesOf(process.children);
    std::vector<TargetInterval> intervals;
    std::size_t cells = 0;
    const std::vector<double> bounds = UnionOfBounds(process.children);
    for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
      TargetInterval interval{JointOver(process.children, edges[e], edges[e + 1]), {}};
      cells += interval.own.cells.size();
      if (interval.own.count == 0) continue;
      ++counted_;
      for (const Link& link : process.links) {
        if (only != nullptr && link.name != *only) continue;
        Joint other = JointOver(link.children, edges[e], edges[e + 1]);
        double difference = 0;
        if (!PremiseHolds(interval.own, other, link.above, &difference)) continue;
        interval.links.push_back(MakeLinked(link, std::move(other), difference, bounds));
        if (only != nullptr) ++linked_;
      }
      intervals.push_back(std::move(interval));
    }
    std::size_t expected = 0;
    for (const HistogramCells& child : process.children) expected += child.cells();
    if (cells == expected) {
      std::move(intervals.begin(), intervals.end(), std::back_inserter(intervals_));
      return;
    }
    // The children were scraped at different times: no interval is common to them.
    for (const HistogramCells& child : process.children) unlinked_.push_back(&child);
  }

  std::vector<TargetInterval> intervals_;
  std::vector<const HistogramCells*> unlinked_;
  std::size_t linked_ = 0;
  std::size_t counted_ = 0;
};

std::vector<HistogramCells> AllChildren(std::span<const LinkedProcess> processes) {
  std::vector<HistogramCells> all;
  for (const LinkedProcess& process : processes) {
    all.insert(all.end(), process.children.begin(), process.children.end());
  }
  return all;
}

/// Inverts the bounds of the counts at the rank, inside the unlinked proof.
Interval Invert(const LinkedTotal& total, double n, const ProvenRank& proof, double rank) {
  Interval out = proof.interval;
  if (!proof.interval.low) return out;
  const double low = *proof.interval.low;
  double far = proof.interval.high.value_or(kInfinity);
  const auto most = [&](double x) { return n - total.Above(x).low >= rank; };
  const auto least = [&](double x) { return n - total.Above(x).high >= rank; };
  if (!std::isfinite(far)) {
    // No sum bounds the open bucket; a link may. Doubling finds where, or gives up.
    far = std::max(1.0, 2 * low);
    for (int i = 0; i < 40 && !least(far); ++i) far *= 2;
    if (!least(far)) return out;
  }
  const double width = far - low;
  if (!(width > 0)) return out;
  if (!most(low + 1e-9 * width)) out.low = Bisect(low, far, most).below;
  if (least(far - 1e-9 * width)) out.high = Bisect(low, far, least).above;
  return out;
}

double WidthOf(const Interval& interval) {
  return interval.low && interval.high ? *interval.high - *interval.low : kInfinity;
}

bool Narrower(const Interval& inner, const Interval& outer) {
  if (!std::isfinite(WidthOf(outer))) return std::isfinite(WidthOf(inner));
  return WidthOf(inner) < (1 - 1e-3) * WidthOf(outer);
}

std::vector<std::string> NamesOf(std::span<const LinkedProcess> processes) {
  std::vector<std::string> names;
  for (const LinkedProcess& process : processes) {
    for (const Link& link : process.links) {
      if (std::find(names.begin(), names.end(), link.name) == names.end()) {
        names.push_back(link.name);
      }
    }
  }
  return names;
}

}  // namespace

LinkedRank NarrowByLinks(std::span<const LinkedProcess> processes, const ProvenRank& proof,
                         double rank) {
  LinkedRank out{proof.interval, {}};
  double n = 0;
  for (const LinkedProcess& process : processes) {
    for (const HistogramCells& child : process.children) n += TotalCount(child);
  }
  for (const std::string& name : NamesOf(processes)) {
    const LinkedTotal alone(processes, &name);
    const bool narrowed =
        alone.linked() > 0 && Narrower(Invert(alone, n, proof, rank), proof.interval);
    out.uses.push_back({name, alone.linked(), alone.counted(), narrowed});
  }
  const bool any = std::any_of(out.uses.begin(), out.uses.end(),
                               [](const LinkUse& use) { return use.linked > 0; });
  if (any) out.interval = Invert(LinkedTotal(processes, nullptr), n, proof, rank);
  return out;
}

ProvenQuantile ProveLinkedQuantile(std::span<const LinkedProcess> processes, double q) {
  const std::vector<HistogramCells> children = AllChildren(processes);
  ProvenQuantile out = ProveQuantile(children, q);
  if (out.basis.empty()) return out;
  const LinkedRank linked = NarrowByLinks(processes, out.proof, out.rank);
  if (!Narrower(linked.interval, out.proof.interval)) return out;
  out.proof.interval = linked.interval;
  for (const LinkUse& use : linked.uses) {
    if (!use.narrowed) continue;
    out.basis += " and " + use.name;
    out.reasons.push_back(fmt::format(
        "{} holds the same attempts in {} of {} scrape intervals (equal counts since process "
        "start, ordered sums) and narrows the interval",
        use.name, use.linked, use.intervals));
  }
  return out;
}

CountBounds CountAboveLinked(std::span<const LinkedProcess> processes, double x) {
  return LinkedTotal(processes, nullptr).Above(x);
}

}  // namespace schedlens
