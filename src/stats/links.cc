#include <algorithm>
#include <iterator>

#include "base/not_finite.h"
#include "base/work_budget.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// The cells of several children over one scrape interval.
struct Joint {
  struct Cell {
    const ScrapeIncreases* child;
    std::size_t i;
    mutable LastBucket last;
  };
  std::vector<Cell> cells;
  double count = 0, sum = 0, slack = 0;
  double count_before = 0;  ///< since process start
  double count_after = 0;
  bool whole = true;  ///< every child is there, without reset, with a usable sum

  /// Bounds of the number of observations above x.
  CountBounds Above(double x) const {
    CheckBudget();
    CountBounds total;
    for (const Cell& cell : cells) AddBounds(CellAbove(*cell.child, cell.i, x, &cell.last), &total);
    return total;
  }
};

/// The children's cells over exactly (start, end]. A child that appears later counts zero so far.
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

/// What a link says about one interval.
struct LinkedInterval {
  /// A bound of either histogram, and the other histogram's count above it.
  struct Step {
    double at = 0;
    CountBounds above;
  };

  const Link* link = nullptr;
  double difference = 0;  ///< most that the two sums can differ by
  Joint other;
  bool counts = true;  ///< the other's count above x itself is of use
  std::vector<Step> steps;

  /// What a step beyond x says about the number above x: as many as there, but for those that the
  /// difference of the sums lets cross from one side to the other.
  double LeastAbove(const Step& step, double x) const {
    return step.above.low - std::floor(difference / (step.at - x));
  }
  double MostAbove(const Step& step, double x) const {
    return step.above.high + std::floor(difference / (x - step.at));
  }

  /// Adds what the link proves about the number of the target's observations above x.
  void Apply(double x, CountBounds* bounds) const {
    if (counts) {
      const CountBounds there = other.Above(x);
      if (link->above) {
        bounds->high = std::min(bounds->high, there.high);
      } else {
        bounds->low = std::max(bounds->low, there.low);
      }
    }
    for (const Step& step : steps) {
      if (link->above && step.at > x) {
        bounds->low = std::max(bounds->low, LeastAbove(step, x));
      } else if (!link->above && step.at < x) {
        bounds->high = std::min(bounds->high, MostAbove(step, x));
      }
    }
  }

  /// The part that can say more than the target's `own` cells for some x of [low, high].
  LinkedInterval UsefulWithin(const Joint& own, double low, double high) const {
    LinkedInterval out{link, difference, {}, true, {}};
    // Every bound falls as x grows: the least that the target's own says is at one end of the
    // range, the most that the link adds at the other.
    const double most = own.Above(low).high, least = own.Above(high).low;
    out.counts = link->above ? other.Above(high).high < most : other.Above(low).low > least;
    for (const Step& step : steps) {
      const bool useful = link->above ? step.at > low && LeastAbove(step, low) > least
                                      : step.at < high && MostAbove(step, high) < most;
      if (useful) out.steps.push_back(step);
    }
    if (out.counts) out.other = other;
    return out;
  }
};

/// What the link says where both hold the same attempts and the sums are ordered; nothing
/// elsewhere. Keeps the steps where it can be of use: where its count can be inside what the
/// interval holds.
std::optional<LinkedInterval> LinkedOver(const Joint& own, const Link& link, Joint other,
                                         std::span<const double> steps) {
  const bool same = own.whole && other.whole && !other.cells.empty() && own.count == other.count &&
                    own.count_before == other.count_before && own.count_after == other.count_after;
  const double slack = own.slack + other.slack;
  const double difference = (link.above ? other.sum - own.sum : own.sum - other.sum) + slack;
  if (!same || !(difference >= 0)) return std::nullopt;
  LinkedInterval out{&link, difference, std::move(other), true, {}};
  for (const double y : steps) {
    const CountBounds above = out.other.Above(y);
    const bool useful = link.above ? above.low > 0 : above.high < out.other.count;
    if (useful && std::isfinite(y)) out.steps.push_back({y, above});
  }
  return out;
}

template <typename T>
std::vector<T> SortedOnce(std::vector<T> all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The links that are used: those of this name, or all where it is null.
using LinkName = const std::string*;

bool Uses(LinkName only, const LinkedInterval& linked) {
  return only == nullptr || linked.link->name == *only;
}

/// One scrape interval of the target: its own cells and the links whose premise holds.
struct TargetInterval {
  Joint own;
  std::vector<LinkedInterval> links;

  /// Bounds of the number of observations above x; neither grows with x.
  CountBounds Above(double x, LinkName only) const {
    CountBounds bounds = own.Above(x);
    for (const LinkedInterval& linked : links) {
      if (Uses(only, linked)) linked.Apply(x, &bounds);
    }
    // Both ends hold, so a crossing can only be rounding within the sums' slack.
    bounds.high = std::max(bounds.low, bounds.high);
    return bounds;
  }
};

/// All processes, interval by interval.
struct LinkedTotal {
  std::vector<TargetInterval> intervals;
  std::size_t counted = 0;  ///< intervals with observations

  /// `processes` must outlive this object.
  explicit LinkedTotal(std::span<const LinkedProcess> processes) {
    for (const LinkedProcess& process : processes) AddProcess(process);
  }

  CountBounds Above(double x, LinkName only) const {
    CountBounds total;
    for (const TargetInterval& interval : intervals) AddBounds(interval.Above(x, only), &total);
    return total;
  }

  void AddProcess(const LinkedProcess& process) {
    std::vector<TimeMs> edges;
    std::size_t expected = 0;
    for (const ScrapeIncreases& child : process.children) {
      edges.insert(edges.end(), child.edges.begin(), child.edges.end());
      expected += child.cells();
    }
    edges = SortedOnce(std::move(edges));
    std::vector<std::vector<double>> steps;  // every bound of the link's histogram and the target's
    for (const Link& link : process.links) {
      std::vector<double> bounds = UnionOfBounds(link.children);
      const std::vector<double> own = UnionOfBounds(process.children);
      bounds.insert(bounds.end(), own.begin(), own.end());
      steps.push_back(SortedOnce(std::move(bounds)));
    }
    std::vector<TargetInterval> own;
    std::size_t cells = 0;
    for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
      TargetInterval interval{JointOver(process.children, edges[e], edges[e + 1]), {}};
      cells += interval.own.cells.size();
      if (interval.own.count == 0) continue;
      ++counted;
      for (std::size_t l = 0; l < process.links.size(); ++l) {
        const Link& link = process.links[l];
        Joint other = JointOver(link.children, edges[e], edges[e + 1]);
        auto linked = LinkedOver(interval.own, link, std::move(other), steps[l]);
        if (linked) interval.links.push_back(std::move(*linked));
      }
      own.push_back(std::move(interval));
    }
    if (cells != expected) {
      // Children that were scraped at different times have no interval in common: without links.
      own.clear();
      for (const ScrapeIncreases& child : process.children) {
        for (std::size_t i = 0; i < child.cells(); ++i) {
          own.emplace_back().own.cells.push_back({&child, i, {}});
        }
      }
    }
    std::move(own.begin(), own.end(), std::back_inserter(intervals));
  }
};

bool Same(const CountBounds& a, const CountBounds& b) { return a.low == b.low && a.high == b.high; }

/// The same bounds for any x of [low, high], laid out for a bisection: an interval that says the
/// same at both ends says it everywhere between them, so only the others are asked again.
class LinkedTotalWithin {
 public:
  LinkedTotalWithin(const LinkedTotal& total, LinkName only, double low, double high)
      : low_(low), high_(high) {
    for (const TargetInterval& interval : total.intervals) {
      const CountBounds at_low = interval.Above(low, only);
      const CountBounds at_high = interval.Above(high, only);
      if (Same(at_low, at_high)) {
        AddBounds(at_low, &constant_);
        continue;
      }
      Moving& moving = moving_.emplace_back(Moving{{interval.own, {}}, at_low, at_high});
      for (const LinkedInterval& linked : interval.links) {
        if (!Uses(only, linked)) continue;
        LinkedInterval part = linked.UsefulWithin(interval.own, low, high);
        if (part.counts || !part.steps.empty()) moving.interval.links.push_back(std::move(part));
      }
    }
  }

  /// Bisects [low, high] for the x from which on `holds(bounds above x)` is true.
  Bracket Find(const std::function<bool(const CountBounds&)>& holds) const {
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
        one.middle = one.interval->Above(x, nullptr);
        AddBounds(one.middle, &total);
      }
      const bool above = holds(total);
      for (Asked& one : asked) (above ? one.above : one.below) = one.middle;
      // The narrower the bracket, the fewer intervals still move in it.
      std::erase_if(asked, [&](const Asked& one) {
        const bool still = Same(one.below, one.above);
        if (still) AddBounds(one.below, &constant);
        return still;
      });
      return above;
    });
  }

  CountBounds Above(double x) const {
    CountBounds total = constant_;
    for (const Moving& moving : moving_) AddBounds(moving.interval.Above(x, nullptr), &total);
    return total;
  }

 private:
  struct Moving {
    TargetInterval interval;
    CountBounds at_low, at_high;
  };

  double low_, high_;
  CountBounds constant_;
  std::vector<Moving> moving_;
};

/// Inverts the bounds of the counts at the rank, inside the unlinked proof.
Interval Invert(const LinkedTotal& total, LinkName only, double n, const ProvenQuantile& proven) {
  Interval out = proven.proof.interval;
  if (!out.low) return out;
  const double low = *out.low, rank = proven.rank;
  const auto most = [&](const CountBounds& above) { return n - above.low >= rank; };
  const auto least = [&](const CountBounds& above) { return n - above.high >= rank; };
  double far = out.high.value_or(kInfinity);
  if (!std::isfinite(far)) {
    // No sum bounds the open bucket; a link may. Doubling finds where, or gives up.
    const auto holds = [&](double x) { return least(total.Above(x, only)); };
    far = std::max(1.0, 2 * low);
    for (int i = 0; i < 40 && !holds(far); ++i) far *= 2;
    if (!holds(far)) return out;
  }
  const double width = far - low;
  if (!(width > 0)) return out;
  const LinkedTotalWithin within(total, only, low, far);
  if (!most(within.Above(low + 1e-9 * width))) out.low = within.Find(most).below;
  if (least(within.Above(far - 1e-9 * width))) out.high = within.Find(least).above;
  return out;
}

std::vector<ScrapeIncreases> AllChildren(std::span<const LinkedProcess> processes) {
  std::vector<ScrapeIncreases> all;
  for (const LinkedProcess& process : processes) {
    all.insert(all.end(), process.children.begin(), process.children.end());
  }
  return all;
}

/// The names of the links whose premise holds somewhere, in order, and in how many intervals.
std::vector<std::pair<std::string, std::size_t>> UsedLinks(std::span<const LinkedProcess> processes,
                                                           const LinkedTotal& total) {
  std::vector<std::pair<std::string, std::size_t>> used;
  for (const LinkedProcess& process : processes) {
    for (const Link& link : process.links) {
      const bool known =
          std::ranges::any_of(used, [&](const auto& one) { return one.first == link.name; });
      if (known) continue;
      CheckBudget();
      std::size_t uses = 0;
      for (const TargetInterval& interval : total.intervals) {
        for (const LinkedInterval& one : interval.links) uses += Uses(&link.name, one) ? 1 : 0;
      }
      if (uses > 0) used.emplace_back(link.name, uses);
    }
  }
  return used;
}

}  // namespace

std::vector<ProvenQuantile> ProveLinked(std::span<const LinkedProcess> processes,
                                        std::span<const double> qs) {
  const std::vector<ScrapeIncreases> children = AllChildren(processes);
  const double n = TotalCount(children);
  const LinkedTotal total(processes);
  const auto used = UsedLinks(processes, total);
  std::vector<ProvenQuantile> all;
  for (const double q : qs) {
    ProvenQuantile& out = all.emplace_back(ProveQuantile(children, q));
    if (out.basis.empty() || used.empty()) continue;
    const ProvenQuantile unlinked = out;
    std::vector<Interval> alone;
    for (const auto& [name, uses] : used) alone.push_back(Invert(total, &name, n, unlinked));
    const Interval together = used.size() > 1 ? Invert(total, nullptr, n, unlinked) : alone.front();
    if (!Narrower(together, unlinked.proof.interval)) continue;
    out.proof.interval = together;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!Narrower(alone[i], unlinked.proof.interval)) continue;
      const auto& [name, uses] = used[i];
      out.basis.names.push_back(name);
      out.reasons.push_back(Message("reason.linked", {{"metric", arg::Metric(name)},
                                                      {"count", arg::Count(uses)},
                                                      {"all", arg::Count(total.counted)}}));
    }
  }
  return all;
}

CountBounds CountAboveLinked(std::span<const LinkedProcess> processes, double x) {
  return LinkedTotal(processes).Above(x, nullptr);
}

ThresholdVerdict JudgeThreshold(std::span<const LinkedProcess> processes, double q,
                                double threshold, std::string_view comparison) {
  ThresholdVerdict out;
  const std::vector<ScrapeIncreases> children = AllChildren(processes);
  std::vector<const ScrapeIncreases*> counting;
  bool complete = true, torn = false;
  for (const ScrapeIncreases& child : children) {
    if (child.cells() == 0) continue;
    counting.push_back(&child);
    torn = torn || (child.torn && TotalCount(child) > 0);
    complete = complete && std::isinf(child.bounds.back());
  }
  // Only at the bounds that every child has is counting exact.
  for (const double bound : PoolBuckets(counting).bounds) {
    if (!std::isfinite(bound)) continue;
    if (bound <= threshold) out.decidable_below = bound;
    if (bound >= threshold && !out.decidable_above) out.decidable_above = bound;
  }
  out.inside_bucket = out.decidable_below != threshold;
  for (const double bound : UnionOfBounds(children)) {
    if (std::isfinite(bound)) out.top_bound = bound;
  }
  if (out.top_bound) {
    out.can_never_fire = (comparison == ">" && threshold >= *out.top_bound) ||
                         (comparison == ">=" && threshold > *out.top_bound);
  }
  const double n = TotalCount(children);
  if (!complete || !(n > 0) || !std::isfinite(n) || !(q >= 0 && q <= 1) || std::isnan(threshold))
    return out;
  out.decided = Decided::kUndecidable;
  if (torn) {
    out.above = {0, n};
    return out;
  }
  out.above = CountAboveLinked(processes, threshold);
  const double rank = RankAmong(q, n);
  if (n - out.above.low < rank) {
    out.decided = Decided::kAbove;
  } else if (n - out.above.high >= rank) {
    out.decided = Decided::kBelow;
  }
  return out;
}

}  // namespace schedlens
