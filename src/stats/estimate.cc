#include "stats/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "messages/catalog.h"
#include "schedlens/estimate.h"
#include "stats/proven_interval.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

struct Place {
  double n = 0;
  double rank = 0;
  double below = 0;
  double inside = 0;
};

/// Share of the bucket's height at which the rank stands, as the server counts (q n, not its
/// ceiling).
double LinearShare(const Place& place, double q) {
  return std::clamp((q * place.n - place.below) / place.inside, 0.0, 1.0);
}

double LognormalCurve(double lower, double upper, const Place& place) {
  // Half an observation keeps the ends 0 and 1 away, where the probit is infinite; the rank counts
  // to the middle of its own step.
  const auto height = [&](double count) { return Probit((count + 0.5) / (place.n + 1)); };
  const double from = height(place.below);
  const double to = height(place.below + place.inside);
  const double at = height(std::clamp(place.rank - 0.5, place.below, place.below + place.inside));
  return to > from ? lower * std::pow(upper / lower, (at - from) / (to - from)) : upper;
}

/// H7: the index from the survival at the last two finite bounds.
double ParetoTail(std::span<const ScrapeIncreases> children, double edge, const Place& place) {
  const std::vector<double> bounds = UnionOfBounds(children);
  const auto it = std::lower_bound(bounds.begin(), bounds.end(), edge);
  if (it == bounds.begin() || !(*(it - 1) > 0)) return edge;
  const double before = CountAbove(children, *(it - 1)).low;
  const double beyond = CountAbove(children, edge).high;
  if (!(before > beyond) || !(beyond > 0)) return edge;
  const double index = std::log(before / beyond) / std::log(edge / *(it - 1));
  return edge * std::pow(beyond / (place.n - place.rank + 0.5), 1 / index);
}

double Harmonic(double low, double high) {
  return low > 0 ? 2 * low * high / (low + high) : (low + high) / 2;
}

/// Of the bucket's width, what the proof left over, in logarithms; 1 where it left all. The open
/// bucket has no width: its tail is drawn from its edge, and says nothing once the proof starts
/// above that.
double ShareLeft(const Interval& bucket, const Interval& interval) {
  if (!bucket.low) return 1;
  if (!bucket.high) return *interval.low > *bucket.low * (1 + 1e-3) ? 0 : 1;
  if (!(*bucket.low > 0)) return (*interval.high - *interval.low) / (*bucket.high - *bucket.low);
  return std::log(*interval.high / *interval.low) / std::log(*bucket.high / *bucket.low);
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
  if (fell) {
    reasons->emplace_back("reason.raised");
  }
  cell.edges = {0, 1};
  cell.sums = {sum.value_or(std::numeric_limits<double>::quiet_NaN())};
  cell.reset = {fell};
  return cell;
}

}  // namespace

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

Measured EstimateQuantile(std::span<const ScrapeIncreases> children, const ProvenQuantile& proven,
                          double q) {
  const Interval& interval = proven.proof.interval;
  const Interval& bucket = proven.proof.bucket;
  Measured out{std::nullopt, interval.low, interval.high, "s", proven.basis};
  if (!interval.low || !interval.high) return out;
  const Place place{proven.observations, proven.rank, proven.proof.below, proven.proof.in_bucket};
  const double low = *interval.low;
  const double high = *interval.high;
  double curve = 0;
  if (!bucket.low || !(place.inside > 0)) {
    curve = Harmonic(low, high);
  } else if (!bucket.high && !(*bucket.low > 0)) {
    // No finite bound at all: the sums give an interval and nothing a shape.
    return Bounded(low, low + (high - low) / 2, high, "s", proven.basis);
  } else if (!bucket.high) {
    curve = ParetoTail(children, *bucket.low, place);
  } else if (*bucket.low > 0) {
    curve = LognormalCurve(*bucket.low, *bucket.high, place);
  } else {
    curve = *bucket.low + (*bucket.high - *bucket.low) * LinearShare(place, q);
  }
  curve = std::clamp(curve, low, std::max(low, high));
  const double middle = Harmonic(low, high);
  const double share = ShareLeft(bucket, interval);
  const double weight = std::clamp(share, 0.0, 1.0) * (q >= kTailStartsAt ? 0.5 : 1);
  const double value = curve > 0 && middle > 0
                           ? std::pow(curve, weight) * std::pow(middle, 1 - weight)
                           : weight * curve + (1 - weight) * middle;
  return Bounded(low, value, high, "s", proven.basis);
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
  if (!proven.basis.empty())
    out.basis = proven.proof.narrowed ? BasisKind::kSum : BasisKind::kBuckets;
  out.estimate = EstimateQuantile(children, proven, q);
  out.estimate.basis = out.basis;
  if (!proven.basis.empty()) out.sampling = SamplingInterval(children, q);
  // The reasons of a recording speak of scrapes; here only those about the numbers are true.
  for (const Message& reason : proven.reasons) {
    if (reason.id != "reason.buckets_only") reasons.push_back(reason);
  }
  out.reasons = InEnglish(reasons);
  return out;
}

}  // namespace schedlens
