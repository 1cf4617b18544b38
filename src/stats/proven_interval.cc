#include "stats/proven_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/work_budget.h"
#include "stats/bisect.h"
#include "stats/not_finite.h"
#include "stats/proven_interval_slices.h"

namespace schedlens {
namespace {

bool Narrowed(const ProvenRank& proof) {
  constexpr double kWorthSaying = 1e-3;
  const Interval& inner = proof.interval;
  const Interval& outer = proof.bucket;
  if (inner.high && !outer.high) return true;
  if (!inner.high || !inner.low || !outer.low) return false;
  return (*inner.high - *inner.low) < (1 - kWorthSaying) * (*outer.high - *outer.low);
}

/// The first child that has cells; children without any have no say in the layout.
const ScrapeIncreases& FirstCounting(std::span<const ScrapeIncreases> children) {
  const auto it = std::find_if(children.begin(), children.end(),
                               [](const ScrapeIncreases& child) { return child.cells() > 0; });
  return it == children.end() ? children.front() : *it;
}

/// One layout: counts are exact at the bounds, so only the bucket of the rank needs work.
ProvenRank ProveInOneLayout(std::span<const ScrapeIncreases> children, double rank) {
  ProvenRank proof;
  const std::vector<double>& bounds = FirstCounting(children).bounds;
  std::vector<double> total(bounds.size(), 0.0);
  for (const ScrapeIncreases& child : children) {
    for (std::size_t i = 0; i < child.buckets.size(); i += bounds.size()) {
      for (std::size_t b = 0; b < bounds.size(); ++b) total[b] += child.buckets[i + b];
    }
  }
  std::size_t k = 0;
  while (k < total.size() && !(proof.below + total[k] >= rank)) proof.below += total[k++];
  if (k == total.size()) return {};
  proof.in_bucket = total[k];
  BucketSlices slices;
  slices.lower = LowerEdge(bounds, k);
  slices.upper = bounds[k];
  proof.bucket = {Finite(slices.lower), Finite(slices.upper)};
  for (const ScrapeIncreases& child : children) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      if (child.Buckets(i)[k] > 0) slices.Add(SliceOf(child, i, k));
    }
  }
  proof.interval = NarrowInside(slices, rank - proof.below);
  return proof;
}

/// Different layouts: at a bound that a child lacks its count is only bracketed, and the two ends
/// of the answer may come from different buckets.
ProvenRank ProveInMixedLayouts(std::span<const ScrapeIncreases> children, double n, double rank) {
  ProvenRank proof;
  const std::vector<double> bounds = UnionOfBounds(children);
  const auto most = [&](double x) { return n - CountAbove(children, x).low >= rank; };
  const auto least = [&](double x) { return n - CountAbove(children, x).high >= rank; };
  const auto low = std::find_if(bounds.begin(), bounds.end(), most);
  const auto high = std::find_if(bounds.begin(), bounds.end(), least);
  if (low == bounds.end() || high == bounds.end()) return {};
  const double low_edge = LowerEdge(bounds, static_cast<std::size_t>(low - bounds.begin()));
  const double high_edge = LowerEdge(bounds, static_cast<std::size_t>(high - bounds.begin()));
  proof.bucket = {Finite(low_edge), Finite(*high)};
  proof.below = std::isfinite(low_edge) ? n - CountAbove(children, low_edge).high : 0;
  proof.in_bucket = n - CountAbove(children, *high).low - proof.below;
  proof.interval = proof.bucket;
  if (std::isfinite(low_edge) && std::isfinite(*low)) {
    proof.interval.low = Bisect(low_edge, *low, most).below;
  }
  if (std::isfinite(high_edge) && std::isfinite(*high)) {
    proof.interval.high = Bisect(high_edge, *high, least).above;
  } else if (std::isfinite(high_edge)) {
    double far = high_edge;
    for (const ScrapeIncreases& child : children) far += std::max(0.0, TotalSum(child));
    if (std::isfinite(far) && least(far)) proof.interval.high = Bisect(high_edge, far, least).above;
  }
  return proof;
}

void AddSumReasons(std::span<const ScrapeIncreases> children, ProvenQuantile* out) {
  std::size_t by_use[6] = {};
  std::size_t cells = 0;
  for (const ScrapeIncreases& child : children) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      if (!(child.Count(i) > 0)) continue;
      ++cells;
      ++by_use[static_cast<std::size_t>(SumUseOf(child, i))];
    }
  }
  const auto say = [&](SumUse use, std::string why) {
    const std::size_t number = by_use[static_cast<std::size_t>(use)];
    if (number > 0) {
      out->reasons.push_back(Message("reason.buckets_only", {{"count", arg::Count(number)},
                                                             {"all", arg::Count(cells)},
                                                             {"why", Message(std::move(why))}}));
    }
  };
  say(SumUse::kMissing, "reason.no_sum");
  say(SumUse::kReset, "reason.reset");
  say(SumUse::kContradicts, "reason.contradicts");
  say(SumUse::kNotWhole, "reason.not_whole");
  say(SumUse::kNoZero, "reason.no_zero");
  if (by_use[static_cast<std::size_t>(SumUse::kMissing)] > 0) {
    out->narrower.emplace_back("narrower.sums");
  }
}

void AddRankReasons(std::span<const ScrapeIncreases> children, double q, ProvenQuantile* out) {
  const ProvenRank& proof = out->proof;
  const double n = out->observations;
  if (UnionOfBounds(children).size() == 1) {
    out->reasons.emplace_back("reason.no_bounds");
    out->narrower.emplace_back("narrower.finite");
  } else if (!proof.bucket.high) {
    out->reasons.push_back(
        Message("reason.open", {{"bound", arg::Duration(proof.bucket.low.value_or(0))}}));
    out->narrower.emplace_back("narrower.higher");
  }
  // H5.1: with C(bound) = q n and nothing in the next bucket, rounding picks the side of the gap.
  const double upto = proof.below + proof.in_bucket;
  if (proof.bucket.high && std::abs(upto - q * n) <= 1e-9 * n && upto < n) {
    const CountBounds beyond = CountAbove(children, *proof.bucket.high);
    const std::vector<double> bounds = UnionOfBounds(children);
    auto next = std::upper_bound(bounds.begin(), bounds.end(), *proof.bucket.high);
    double gap_end = *proof.bucket.high;
    while (next != bounds.end() && CountAbove(children, *next).low >= beyond.high) {
      gap_end = *next++;
    }
    if (gap_end > *proof.bucket.high) {
      out->reasons.push_back(
          Message("reason.knife_edge", {{"upto", arg::Count(upto)},
                                        {"all", arg::Count(n)},
                                        {"bound", arg::Duration(*proof.bucket.high)},
                                        {"gap", arg::Duration(gap_end)}}));
    }
  }
  if (!SameLayout(children)) {
    out->reasons.emplace_back("reason.layouts");
    out->narrower.emplace_back("narrower.layout");
  }
}

}  // namespace

double RankOf(double q, double n) {
  const double exact = q * n;
  const double whole = std::round(exact);
  const double rank =
      std::abs(exact - whole) <= 1e-12 * std::max(1.0, exact) ? whole : std::ceil(exact);
  return std::min(std::max(rank, 1.0), n);
}

double RankAmong(double q, double n) { return n == std::floor(n) ? RankOf(q, n) : q * n; }

bool SameLayout(std::span<const ScrapeIncreases> children) {
  return std::all_of(children.begin(), children.end(), [&](const ScrapeIncreases& child) {
    return child.cells() == 0 || child.bounds == FirstCounting(children).bounds;
  });
}

std::vector<double> UnionOfBounds(std::span<const ScrapeIncreases> children) {
  std::vector<double> all;
  for (const ScrapeIncreases& child : children) {
    if (child.cells() > 0) all.insert(all.end(), child.bounds.begin(), child.bounds.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

CountBounds CountAbove(const ScrapeIncreases& cells, double x) {
  CheckBudget();
  CountBounds sum;
  for (std::size_t i = 0; i < cells.cells(); ++i) {
    const CountBounds one = CellAbove(cells, i, x);
    sum.low += one.low;
    sum.high += one.high;
  }
  return sum;
}

CountBounds CountAbove(std::span<const ScrapeIncreases> children, double x) {
  CountBounds sum;
  for (const ScrapeIncreases& child : children) {
    const CountBounds one = CountAbove(child, x);
    sum.low += one.low;
    sum.high += one.high;
  }
  return sum;
}

ProvenRank ProveRank(std::span<const ScrapeIncreases> children, double rank) {
  double n = 0;
  for (const ScrapeIncreases& child : children) {
    const double count = TotalCount(child);
    if (count > 0 && (child.bounds.empty() || child.bounds.back() != kInfinity)) return {};
    if (count > 0 && child.torn) return {};
    n += count;
  }
  if (!(n > 0) || !std::isfinite(n) || !(rank > 0) || rank > n) return {};
  ProvenRank proof = SameLayout(children) ? ProveInOneLayout(children, rank)
                                          : ProveInMixedLayouts(children, n, rank);
  proof.narrowed = Narrowed(proof);
  return proof;
}

ProvenQuantile ProveQuantile(std::span<const ScrapeIncreases> children, double q) {
  ProvenQuantile out;
  for (const ScrapeIncreases& child : children) out.observations += TotalCount(child);
  const double n = out.observations;
  if (!(q >= 0 && q <= 1)) {
    out.reasons.push_back(Message("reason.rank", {{"q", arg::Number(q)}}));
    return out;
  }
  for (const ScrapeIncreases& child : children) {
    if (!child.torn || TotalCount(child) == 0) continue;
    out.reasons.emplace_back("reason.torn");
    return out;
  }
  if (!(n > 0) || !std::isfinite(n)) {
    out.reasons.emplace_back(n == 0 ? "reason.empty" : "reason.infinite");
    return out;
  }
  out.rank = RankAmong(q, n);
  out.proof = ProveRank(children, out.rank);
  if (!out.proof.bucket.low && !out.proof.bucket.high && out.proof.in_bucket == 0) {
    out.reasons.emplace_back("reason.no_infinity");
    return out;
  }
  out.basis = out.proof.narrowed ? BasisKind::kScrapeSums : BasisKind::kBuckets;
  AddSumReasons(children, &out);
  AddRankReasons(children, q, &out);
  if (!out.proof.narrowed && out.narrower.empty()) {
    out.narrower.emplace_back("narrower.finer");
  }
  return out;
}

}  // namespace schedlens
