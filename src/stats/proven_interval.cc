#include "stats/proven_interval.h"

#include <algorithm>

#include "base/not_finite.h"
#include "base/work_budget.h"
#include "messages/catalog.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

/// The least and the most that the observations outside bucket `skip` can add up to.
struct Rest {
  double low = 0, high = 0;
};

Rest OutsideOf(std::span<const double> bounds, std::span<const double> row, std::size_t skip) {
  Rest rest;
  double lower = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] > 0 && i != skip) {
      rest.low += row[i] * lower;
      rest.high += row[i] * bounds[i];
    }
    lower = bounds[i];
  }
  return rest;
}

bool Whole(double count) {
  return count >= 0 && count <= kMostCounted && count == std::floor(count);
}

/// floor(a / b) for a >= 0, b >= 0, at most `limit`; nothing to divide by means no limit.
double CappedQuotient(double a, double b, double limit) {
  if (!(b > 0)) return limit;
  const double quotient = a / b;
  return quotient >= limit ? limit : std::floor(quotient);
}

/// std::trunc of what is not negative, without a call: from 2^53 on all are whole.
double CutToWhole(double x) {
  return x < kMostCounted ? static_cast<double>(static_cast<std::int64_t>(x)) : x;
}

/// All children's cells in one bucket (lower, upper], laid out for the bisection: `room` is
/// cU - A (how much less than full the bucket is), `load` is B - cL.
struct BucketSlices {
  double lower = 0, upper = 0;
  std::vector<double> count, room, load, mean_low;

  void Add(const Slice& slice) {
    const double c = slice.count;
    if (c == 0) return;
    count.push_back(c);
    const bool low = std::isfinite(slice.sum_low);
    const bool high = std::isfinite(slice.sum_high) && std::isfinite(lower);
    room.push_back(low && std::isfinite(upper) ? std::max(0.0, c * upper - slice.sum_low)
                                               : kInfinity);
    load.push_back(high ? std::max(0.0, slice.sum_high - c * lower) : kInfinity);
    mean_low.push_back(low ? slice.sum_low / c : -kInfinity);
  }

  /// The most observations at most x, over all ways the sums allow.
  double MostUpTo(double x) const {
    double most = 0;
    if (std::isfinite(upper)) {
      const double inverse = 1 / (upper - x);
      for (std::size_t i = 0; i < count.size(); ++i) {
        most += CutToWhole(std::min(count[i], room[i] * inverse));
      }
    } else {
      for (std::size_t i = 0; i < count.size(); ++i) most += count[i] - (x < mean_low[i] ? 1 : 0);
    }
    return most;
  }

  /// The fewest.
  double LeastUpTo(double x) const {
    double least = 0;
    const double inverse = 1 / (x - lower);
    for (std::size_t i = 0; i < count.size(); ++i) {
      least += count[i] - CutToWhole(std::min(count[i], load[i] * inverse));
    }
    return least;
  }
};

/// The bucket, narrowed for its j-th smallest observation; an open end is absent.
Interval NarrowInside(const BucketSlices& slices, double j) {
  Interval out{Finite(slices.lower), Finite(slices.upper)};
  if (!std::isfinite(slices.lower) || !std::ranges::all_of(slices.count, Whole)) return out;
  double far = slices.upper;
  if (!std::isfinite(far)) {
    far = slices.lower;
    for (const double load : slices.load) {
      if (std::isfinite(load)) far = std::max(far, slices.lower + load);
    }
    far = std::nextafter(far, kInfinity) * (1 + 1e-12);
  }
  const double width = far - slices.lower;
  if (!(width > 0) || !std::isfinite(width)) return out;
  const double near_low = slices.lower + 1e-9 * width, near_high = far - 1e-9 * width;
  if (slices.MostUpTo(near_low) < j) {
    const auto most = [&](double x) { return slices.MostUpTo(x) >= j; };
    out.low = Bisect(near_low, far, most).below;
  }
  const auto least = [&](double x) { return slices.LeastUpTo(x) >= j; };
  if (least(near_high)) {
    out.high = Bisect(slices.lower, near_high, least).above;
  } else if (!std::isfinite(slices.upper) && least(far)) {
    out.high = far;
  }
  return out;
}

/// The first child that has cells; children without any have no say in the layout.
const ScrapeIncreases& FirstCounting(std::span<const ScrapeIncreases> children) {
  const auto it = std::ranges::find_if(
      children, [](const ScrapeIncreases& child) { return child.cells() > 0; });
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
  BucketSlices slices{LowerEdge(bounds, k), bounds[k], {}, {}, {}, {}};
  proof.bucket = {Finite(slices.lower), Finite(slices.upper)};
  for (const ScrapeIncreases& child : children) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      if (child.Buckets(i)[k] > 0) slices.Add(SliceOf(child, i, k, SumUseOf(child, i)));
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
  const auto low = std::ranges::find_if(bounds, most);
  const auto high = std::ranges::find_if(bounds, least);
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
  std::size_t by_use[6] = {}, cells = 0;
  for (const ScrapeIncreases& child : children) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      if (!(child.Count(i) > 0)) continue;
      ++cells;
      ++by_use[static_cast<std::size_t>(SumUseOf(child, i))];
    }
  }
  constexpr const char* kWhy[] = {"",
                                  "reason.no_sum",
                                  "reason.reset",
                                  "reason.contradicts",
                                  "reason.not_whole",
                                  "reason.no_zero"};  // by SumUse
  for (std::size_t use = 1; use < std::size(kWhy); ++use) {
    if (by_use[use] == 0) continue;
    out->reasons.push_back(Message("reason.buckets_only", {{"count", arg::Count(by_use[use])},
                                                           {"all", arg::Count(cells)},
                                                           {"why", Message(kWhy[use])}}));
  }
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

/// A monotone cubic through points that ascend in both: Fritsch and Butland, "A method for
/// constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5 (1984),
/// with the ends as SciPy's PchipInterpolator has them.
struct Pchip {
  std::vector<double> x, y;

  double Width(std::size_t i) const { return x[i + 1] - x[i]; }
  double Secant(std::size_t i) const { return (y[i + 1] - y[i]) / Width(i); }
  double Slope(std::size_t i) const {
    const std::size_t last = x.size() - 1;
    if (last == 1) return Secant(0);
    const std::size_t one = i == 0 ? 0 : i - 1, other = i == 0 ? 1 : i == last ? last - 2 : i;
    const double w = Width(one), v = Width(other), a = Secant(one), b = Secant(other);
    if (i == 0 || i == last) return std::max(0.0, ((2 * w + v) * a - w * b) / (w + v));
    return 3 * (w + v) / ((2 * v + w) / a + (v + 2 * w) / b);
  }
  /// At least two points, `at` not beyond the last; before the first a straight line.
  double At(double at) const {
    if (at < x[0]) return y[0] + Slope(0) * (at - x[0]);
    std::size_t i = 0;
    while (i + 2 < x.size() && x[i + 1] < at) ++i;
    const double t = (at - x[i]) / Width(i), u = 1 - t;
    return y[i] * u * u * (1 + 2 * t) + y[i + 1] * t * t * (1 + 2 * u) +
           Width(i) * t * u * (u * Slope(i) - t * Slope(i + 1));
  }
};

/// The estimate before it is clipped, from the counts at the bounds that all children have.
double CurveAtRank(std::span<const ScrapeIncreases> children, const ProvenQuantile& proven) {
  std::vector<const ScrapeIncreases*> counting;
  for (const ScrapeIncreases& child : children) {
    if (child.cells() > 0) counting.push_back(&child);
  }
  const PooledBuckets all = PoolBuckets(counting);
  const auto at = std::ranges::lower_bound(all.cumulative, proven.rank) - all.cumulative.begin();
  const std::size_t k = std::min(static_cast<std::size_t>(at), all.bounds.size() - 1);
  const double lower = LowerEdge(all.bounds, k), upper = all.bounds[k];
  if (!std::isfinite(upper - lower)) {
    const double low = std::max(*proven.proof.interval.low, lower);
    const double high = *proven.proof.interval.high;
    const double middle = lower > 0 ? 2 * low * high / (low + high) : (low + high) / 2;
    return std::clamp(middle, lower, upper);
  }

  // Rates are of many observations, nobody knows how many.
  const double n = proven.observations, one = Whole(n) ? 1 : n / 1000;
  // Where the count-th and the next observation meet by Blom's places of normal order statistics,
  // (i - 3/8) / (n + 1/4): no share is 0 or 1, whose probits are infinite.
  const auto share = [&](double count) {
    return std::max(1e-18, (count + one / 8) / (n + one / 4));
  };
  const auto place = [&](double count) {
    return 2 * count > n ? -Probit(share(n - count)) : Probit(share(count));
  };
  Pchip curve;
  for (std::size_t i = k - std::min<std::size_t>(k, 2); i < std::min(k + 3, all.bounds.size() - 1);
       ++i) {
    if (!(all.bounds[i] > 0)) continue;
    const double x = place(all.cumulative[i]);
    if (!curve.x.empty() && !(x > curve.x.back())) {
      if (i >= k) break;  // an empty bucket ends the run
      curve = {};
    }
    curve.x.push_back(x);
    curve.y.push_back(std::log(all.bounds[i]));
  }
  const double below = k > 0 ? all.cumulative[k - 1] : 0, inside = all.cumulative[k] - below;
  const double count = std::clamp(proven.rank - one / 2 - below, 0.0, inside);
  const double linear = lower + (upper - lower) * (count / inside);
  if (lower < 0 || curve.x.size() < 2) return linear;
  const double value = std::exp(curve.At(place(below + count)));
  return lower > 0 ? value : (linear + value) / 2;
}

/// One cell without scrapes: everything is one interval.
ScrapeIncreases CellOf(std::span<const Bucket> buckets, std::optional<double> sum,
                       std::vector<Message>* reasons) {
  std::map<double, double> merged;
  for (const Bucket& bucket : buckets) {
    if (std::isnan(bucket.upper)) {
      reasons->emplace_back("reason.bad_bound");
      continue;
    }
    merged[bucket.upper] += bucket.count;
  }
  ScrapeIncreases cell;
  double upto = 0;
  bool fell = false;
  for (const auto& [bound, count] : merged) {
    fell = fell || count < upto;
    cell.bounds.push_back(bound);
    // NaN must stay visible: the count is unknown, not zero.
    cell.buckets.push_back(std::isnan(count) ? count : std::max(0.0, count - upto));
    upto = std::isnan(count) ? upto : std::max(upto, count);
  }
  if (fell) reasons->emplace_back("reason.raised");
  cell.edges = {0, 1};
  cell.sums = {sum.value_or(kNaN)};
  cell.reset = {fell};
  return cell;
}

}  // namespace

double LowerEdge(std::span<const double> bounds, std::size_t k) {
  if (k > 0) return bounds[k - 1];
  return bounds[0] > 0 ? 0 : -kInfinity;
}

std::size_t BucketOf(std::span<const double> bounds, double x) {
  const auto it = std::lower_bound(bounds.begin(), bounds.end(), x);
  return it == bounds.end() ? bounds.size() - 1 : static_cast<std::size_t>(it - bounds.begin());
}

double SumSlack(const ScrapeIncreases& cells, std::size_t i) {
  constexpr double kRelative = 1e-9;
  double slack = kRelative * std::max(1.0, std::abs(cells.sums[i]));
  if (i + 1 < cells.sum_at.size()) {
    const double level = std::max(std::abs(cells.sum_at[i]), std::abs(cells.sum_at[i + 1]));
    slack += (cells.Count(i) + 2) * level * std::numeric_limits<double>::epsilon() / 2;
  }
  return slack;
}

SumUse SumUseOf(const ScrapeIncreases& cells, std::size_t i) {
  if (!std::isfinite(cells.sums[i])) return SumUse::kMissing;
  if (i < cells.reset.size() && cells.reset[i]) return SumUse::kReset;
  if (cells.bounds.empty() || !(cells.bounds[0] > 0)) return SumUse::kNoZero;
  const auto row = cells.Buckets(i);
  if (!std::ranges::all_of(row, Whole)) return SumUse::kNotWhole;
  const Rest all = OutsideOf(cells.bounds, row, row.size());
  const double slack = SumSlack(cells, i);
  if (cells.sums[i] < all.low - slack || cells.sums[i] > all.high + slack) {
    return SumUse::kContradicts;
  }
  return SumUse::kUsed;
}

Slice SliceOf(const ScrapeIncreases& cells, std::size_t i, std::size_t k, SumUse use) {
  const auto row = cells.Buckets(i);
  const double c = row[k], lower = LowerEdge(cells.bounds, k);
  const double upper = cells.bounds[k];
  if (c == 0) return {};
  Slice slice{c, c * lower, c * upper};
  if (use != SumUse::kUsed) return slice;
  const Rest rest = OutsideOf(cells.bounds, row, k);
  const double slack = SumSlack(cells, i);
  slice.sum_low = std::max(slice.sum_low, cells.sums[i] - rest.high - slack);
  slice.sum_high = std::min(slice.sum_high, cells.sums[i] - rest.low + slack);
  return slice;
}

CountBounds AtMost(const Slice& slice, double lower, double upper, double x) {
  const double c = slice.count;
  if (x >= upper) return {c, c};
  if (x <= lower || c == 0) return {0, 0};
  CountBounds out{0, c};
  if (std::isfinite(lower) && std::isfinite(slice.sum_high)) {
    out.low = c - CappedQuotient(std::max(0.0, slice.sum_high - c * lower), x - lower, c);
  }
  if (std::isfinite(upper)) {
    if (std::isfinite(slice.sum_low)) {
      out.high = CappedQuotient(std::max(0.0, c * upper - slice.sum_low), upper - x, c);
    }
  } else if (c * x < slice.sum_low) {
    out.high = c - 1;
  }
  // Rounding at an edge of the sums' slack must not turn the two around.
  out.high = std::max(out.high, out.low);
  return out;
}

CountBounds CellAbove(const ScrapeIncreases& cells, std::size_t i, double x, LastBucket* last) {
  const auto row = cells.Buckets(i);
  if (row.empty()) return {};
  LastBucket none;
  if (last == nullptr) last = &none;
  if (!(x > last->lower && x < last->upper)) {
    const std::size_t k = BucketOf(cells.bounds, x);
    double beyond = 0;
    for (std::size_t b = k + 1; b < row.size(); ++b) beyond += row[b];
    if (x >= cells.bounds[k]) return {beyond, beyond};
    if (!last->use) last->use = SumUseOf(cells, i);
    last->lower = LowerEdge(cells.bounds, k);
    last->upper = cells.bounds[k];
    last->from = beyond + row[k];
    last->slice = SliceOf(cells, i, k, *last->use);
  }
  const CountBounds inside = AtMost(last->slice, last->lower, last->upper, x);
  return {last->from - inside.high, last->from - inside.low};
}

double RankOf(double q, double n) {
  const double exact = q * n, whole = std::round(exact);
  const double rank =
      std::abs(exact - whole) <= 1e-12 * std::max(1.0, exact) ? whole : std::ceil(exact);
  return std::min(std::max(rank, 1.0), n);
}

double RankAmong(double q, double n) { return n == std::floor(n) ? RankOf(q, n) : q * n; }

bool SameLayout(std::span<const ScrapeIncreases> children) {
  return std::ranges::all_of(children, [&](const ScrapeIncreases& child) {
    return child.cells() == 0 || child.bounds == FirstCounting(children).bounds;
  });
}

std::vector<double> UnionOfBounds(std::span<const ScrapeIncreases> children) {
  std::vector<double> all;
  for (const ScrapeIncreases& child : children) {
    if (child.cells() > 0) all.insert(all.end(), child.bounds.begin(), child.bounds.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

CountBounds CountAbove(std::span<const ScrapeIncreases> children, double x) {
  CountBounds sum;
  for (const ScrapeIncreases& child : children) {
    CheckBudget();
    for (std::size_t i = 0; i < child.cells(); ++i) AddBounds(CellAbove(child, i, x), &sum);
  }
  return sum;
}

bool Narrower(const Interval& inner, const Interval& outer) {
  const auto width = [](const Interval& interval) {
    return interval.low && interval.high ? *interval.high - *interval.low : kInfinity;
  };
  if (!std::isfinite(width(outer))) return std::isfinite(width(inner));
  return width(inner) < (1 - 1e-3) * width(outer);
}

ProvenRank ProveRank(std::span<const ScrapeIncreases> children, double rank) {
  for (const ScrapeIncreases& child : children) {
    const bool whole = !child.torn && !child.bounds.empty() && child.bounds.back() == kInfinity;
    if (!whole && TotalCount(child) > 0) return {};
  }
  const double n = TotalCount(children);
  if (!(n > 0) || !std::isfinite(n) || !(rank > 0) || rank > n) return {};
  ProvenRank proof = SameLayout(children) ? ProveInOneLayout(children, rank)
                                          : ProveInMixedLayouts(children, n, rank);
  proof.narrowed = Narrower(proof.interval, proof.bucket);
  return proof;
}

ProvenQuantile ProveQuantile(std::span<const ScrapeIncreases> children, double q) {
  ProvenQuantile out;
  const double n = TotalCount(children);
  out.observations = n;
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
  if (!out.proof.narrowed && out.narrower.empty()) out.narrower.emplace_back("narrower.finer");
  return out;
}

double Probit(double p) {
  // Newton's steps from a logistic start; the derivative is the density, and erfc keeps both tails
  // exact. Six steps reach rounding for 1e-300 < p < 1 - 1e-16.
  if (p > 0.5) return -Probit(1 - p);
  constexpr double kSqrtHalf = 0.70710678118654752440;
  constexpr double kDensityAtZero = 0.39894228040143267794;
  double z = p < 0.02 ? -std::sqrt(-2 * std::log(p)) + 0.5 : std::log(p / (1 - p)) / 1.702;
  for (int step = 0; step < 60; ++step) {
    // In logarithms the tail is nearly a parabola, so the step neither overshoots nor crawls.
    const double cdf = 0.5 * std::erfc(-z * kSqrtHalf);
    const double slope = kDensityAtZero * std::exp(-z * z / 2) / cdf;
    const double move = (std::log(p) - std::log(cdf)) / slope;
    z += move;
    if (std::abs(move) < 1e-14 * std::max(1.0, std::abs(z))) break;
  }
  return z;
}

Measured EstimateQuantile(std::span<const ScrapeIncreases> children, const ProvenQuantile& proven) {
  const Interval& interval = proven.proof.interval;
  if (!interval.low || !interval.high) {
    return {std::nullopt, interval.low, interval.high, "s", proven.basis};
  }
  return Bounded(*interval.low, CurveAtRank(children, proven), *interval.high, "s", proven.basis);
}

QuantileWorth WorthOfQuantile(std::span<const Bucket> buckets, std::optional<double> sum,
                              double q) {
  QuantileWorth out;
  std::vector<Message> reasons;
  const ScrapeIncreases cell = CellOf(buckets, sum, &reasons);
  const std::span<const ScrapeIncreases> children(&cell, 1);
  const ProvenQuantile proven = ProveQuantile(children, q);
  out.observations = proven.observations;
  out.rank = proven.rank;
  out.bucket = proven.proof.bucket;
  out.in_bucket = proven.proof.in_bucket;
  out.interval = proven.proof.interval;
  out.estimate = EstimateQuantile(children, proven);
  if (!proven.basis.empty()) {
    out.basis = proven.proof.narrowed ? BasisKind::kSum : BasisKind::kBuckets;
    out.sampling = SamplingInterval(children, q);
  }
  out.estimate.basis = out.basis;
  // The reasons of a recording speak of scrapes; here only those about the numbers are true.
  for (const Message& reason : proven.reasons) {
    if (reason.id != "reason.buckets_only") reasons.push_back(reason);
  }
  out.reasons = InEnglish(reasons);
  return out;
}

}  // namespace schedlens
