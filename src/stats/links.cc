#include "stats/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "stats/bisect.h"
#include "stats/links_interval.h"

namespace schedlens {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One scrape interval of the target: its own cells and the links whose premise holds.
struct TargetInterval {
  Joint own;
  std::vector<LinkedInterval> links;
};

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
    for (const ScrapeIncreases* child : unlinked_) {
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
    for (const ScrapeIncreases& child : process.children) expected += child.cells();
    if (cells == expected) {
      std::move(intervals.begin(), intervals.end(), std::back_inserter(intervals_));
      return;
    }
    // The children were scraped at different times: no interval is common to them.
    for (const ScrapeIncreases& child : process.children) unlinked_.push_back(&child);
  }

  std::vector<TargetInterval> intervals_;
  std::vector<const ScrapeIncreases*> unlinked_;
  std::size_t linked_ = 0;
  std::size_t counted_ = 0;
};

std::vector<ScrapeIncreases> AllChildren(std::span<const LinkedProcess> processes) {
  std::vector<ScrapeIncreases> all;
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

class LinkedQuantiles::Impl {
 public:
  explicit Impl(std::span<const LinkedProcess> processes) : children_(AllChildren(processes)) {
    for (const ScrapeIncreases& child : children_) n_ += TotalCount(child);
    for (const std::string& name : NamesOf(processes)) alone_.emplace_back(name, processes);
    linked_ = std::any_of(alone_.begin(), alone_.end(),
                          [](const Alone& one) { return one.total.linked() > 0; });
    if (linked_ && alone_.size() > 1) together_.emplace(processes, nullptr);
  }

  ProvenQuantile Prove(double q) const {
    ProvenQuantile out = ProveQuantile(children_, q);
    if (out.basis.empty() || !linked_) return out;
    std::vector<Interval> narrowed;
    for (const Alone& one : alone_) {
      narrowed.push_back(one.total.linked() > 0 ? Invert(one.total, n_, out.proof, out.rank)
                                                : out.proof.interval);
    }
    const Interval interval =
        together_ ? Invert(*together_, n_, out.proof, out.rank) : narrowed.front();
    const Interval unlinked = out.proof.interval;
    if (!Narrower(interval, unlinked)) return out;
    out.proof.interval = interval;
    for (std::size_t i = 0; i < alone_.size(); ++i) {
      if (!Narrower(narrowed[i], unlinked)) continue;
      const Alone& one = alone_[i];
      out.basis += " and " + one.name;
      out.reasons.push_back(Message("reason.linked", {{"metric", arg::Metric(one.name)},
                                                      {"count", arg::Count(one.total.linked())},
                                                      {"all", arg::Count(one.total.counted())}}));
    }
    return out;
  }

 private:
  /// What one of the links proves by itself.
  struct Alone {
    Alone(const std::string& link, std::span<const LinkedProcess> processes)
        : name(link), total(processes, &name) {}
    std::string name;
    LinkedTotal total;
  };

  std::vector<ScrapeIncreases> children_;
  double n_ = 0;
  std::vector<Alone> alone_;
  bool linked_ = false;  ///< some premise holds somewhere
  std::optional<LinkedTotal> together_;
};

LinkedQuantiles::LinkedQuantiles(std::span<const LinkedProcess> processes)
    : impl_(std::make_unique<const Impl>(processes)) {}
LinkedQuantiles::~LinkedQuantiles() = default;

ProvenQuantile LinkedQuantiles::Prove(double q) const { return impl_->Prove(q); }

ProvenQuantile ProveLinkedQuantile(std::span<const LinkedProcess> processes, double q) {
  return LinkedQuantiles(processes).Prove(q);
}

CountBounds CountAboveLinked(std::span<const LinkedProcess> processes, double x) {
  return LinkedTotal(processes, nullptr).Above(x);
}

}  // namespace schedlens
