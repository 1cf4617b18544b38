#include "stats/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/links_total.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

std::vector<ScrapeIncreases> AllChildren(std::span<const LinkedProcess> processes) {
  std::vector<ScrapeIncreases> all;
  for (const LinkedProcess& process : processes) {
    all.insert(all.end(), process.children.begin(), process.children.end());
  }
  return all;
}

/// Inverts the bounds of the counts at the rank, inside the unlinked proof.
Interval Invert(const LinkedTotal& total, const LinkName& only, double n, const ProvenRank& proof,
                double rank) {
  Interval out = proof.interval;
  if (!proof.interval.low) return out;
  const double low = *proof.interval.low;
  double far = proof.interval.high.value_or(kInfinity);
  if (!std::isfinite(far)) {
    // No sum bounds the open bucket; a link may. Doubling finds where, or gives up.
    const auto holds = [&](double x) { return n - total.Above(x, only).high >= rank; };
    far = std::max(1.0, 2 * low);
    for (int i = 0; i < 40 && !holds(far); ++i) far *= 2;
    if (!holds(far)) return out;
  }
  const double width = far - low;
  if (!(width > 0)) return out;
  const LinkedTotalWithin within(total, only, low, far);
  const auto most = [&](const CountBounds& above) { return n - above.low >= rank; };
  const auto least = [&](const CountBounds& above) { return n - above.high >= rank; };
  if (!most(within.Above(low + 1e-9 * width))) out.low = within.Find(most).below;
  if (least(within.Above(far - 1e-9 * width))) out.high = within.Find(least).above;
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
  explicit Impl(std::span<const LinkedProcess> processes)
      : children_(AllChildren(processes)), total_(processes) {
    for (const ScrapeIncreases& child : children_) n_ += TotalCount(child);
    for (const std::string& name : NamesOf(processes)) {
      if (const std::size_t uses = total_.Linked(name); uses > 0) used_.push_back({name, uses});
    }
  }

  ProvenQuantile Prove(double q) const {
    ProvenQuantile out = ProveQuantile(children_, q);
    if (out.basis.empty() || used_.empty()) return out;
    std::vector<Interval> alone;
    for (const UsedLink& link : used_) alone.push_back(InvertAt(out, link.name));
    const Interval together = used_.size() > 1 ? InvertAt(out, std::nullopt) : alone.front();
    const Interval unlinked = out.proof.interval;
    if (!Narrower(together, unlinked)) return out;
    out.proof.interval = together;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (!Narrower(alone[i], unlinked)) continue;
      out.basis.names.push_back(used_[i].name);
      out.reasons.push_back(Message("reason.linked", {{"metric", arg::Metric(used_[i].name)},
                                                      {"count", arg::Count(used_[i].intervals)},
                                                      {"all", arg::Count(total_.counted())}}));
    }
    return out;
  }

 private:
  struct UsedLink {
    std::string name;
    std::size_t intervals = 0;  ///< where its premise holds
  };

  Interval InvertAt(const ProvenQuantile& proven, const LinkName& only) const {
    return Invert(total_, only, n_, proven.proof, proven.rank);
  }

  std::vector<ScrapeIncreases> children_;
  double n_ = 0;
  LinkedTotal total_;
  std::vector<UsedLink> used_;
};

LinkedQuantiles::LinkedQuantiles(std::span<const LinkedProcess> processes)
    : impl_(std::make_unique<const Impl>(processes)) {}
LinkedQuantiles::~LinkedQuantiles() = default;

ProvenQuantile LinkedQuantiles::Prove(double q) const { return impl_->Prove(q); }

ProvenQuantile ProveLinkedQuantile(std::span<const LinkedProcess> processes, double q) {
  return LinkedQuantiles(processes).Prove(q);
}

CountBounds CountAboveLinked(std::span<const LinkedProcess> processes, double x) {
  return LinkedTotal(processes).Above(x, std::nullopt);
}

}  // namespace schedlens
