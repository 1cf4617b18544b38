#pragma once

// Where the true quantile of a window must lie: the ceil(q n)-th smallest of its n observations.
// Every child and every scrape interval is bounded by itself and the bounds are added up: they are
// independent, so the result is sharp given all the data.
//
// What one cell (one child, one scrape interval) proves: its buckets, and the sum it adds to them.
// Nothing is assumed about where in a bucket the observations lie.
//
// Let bucket k = (L, U] hold c of the cell's observations. Those c add up to some V in [A, B]:
//   A = max(cL, S - sum of c_i u_i over the other buckets)
//   B = min(cU, S - sum of c_i u_(i-1) over the other buckets)
// With m of them at most x: the other c - m are above x, so m L + (c - m) x <= B; and at most U, so
// m x + (c - m) U >= A. Hence, for L < x < U,
//   m >= c - floor((B - cL) / (x - L))      m <= floor((cU - A) / (U - x))
// and in the open bucket (U = +Inf) m = c only if c x >= A. Both ends are attained.

#include "contract/commands.h"
#include "stats/scrape_increases.h"

namespace schedlens {

struct Bracket {
  double below = 0;  ///< the condition is false here (or this is the start)
  double above = 0;  ///< the condition is true here (or this is the start)
};

/// Narrows [below, above], where `holds(x)` is false up to some point and true from it on, to a
/// relative width of 1e-12 (the sums' own slack is wider). `holds` is never asked at the ends.
template <typename Condition>
Bracket Bisect(double below, double above, Condition holds) {
  constexpr int kEnough = 100;  // 1e-12 from any double's span takes fewer
  for (int i = 0; i < kEnough && above - below > 1e-12 * above; ++i) {
    const double middle = below + (above - below) / 2;
    (holds(middle) ? above : below) = middle;
  }
  return {below, above};
}

/// Whether a cell's sum can narrow its buckets, and why not.
enum class SumUse {
  kUsed,
  kMissing,      ///< no `_sum` sample at both edges
  kReset,        ///< a counter reset in the cell: the sum may belong to other observations
  kContradicts,  ///< outside what the buckets allow: negative observations or torn samples
  kNotWhole,     ///< counts are fractions or beyond 2^53: recorded rates, not counters
  kNoZero,       ///< the first bound is not positive, so no observation has a lower edge
};

/// The part of a cell that lies in one bucket: `count` observations adding up to something in
/// [`sum_low`, `sum_high`] (an empty `sum_high` of the open bucket is +Inf).
struct Slice {
  double count = 0, sum_low = 0, sum_high = 0;
};

/// The lower edge of bucket k: the bound before it; 0 for a first bucket that reaches above zero,
/// else -Inf.
double LowerEdge(std::span<const double> bounds, std::size_t k);

/// Index of the first bound at or above x; a value equal to a bound belongs below it, as in `le`.
std::size_t BucketOf(std::span<const double> bounds, double x);

/// How far the cell's sum may be from the true one: rounding of the counter (half a unit in the
/// last place of its size an observation) and 1e-9 of the sum, at least 1e-9 s.
double SumSlack(const ScrapeIncreases& cells, std::size_t i);

SumUse SumUseOf(const ScrapeIncreases& cells, std::size_t i);

/// Cell i in bucket k. Uses the sum where `use`, which is SumUseOf(cells, i), allows, else the
/// bucket's edges alone.
Slice SliceOf(const ScrapeIncreases& cells, std::size_t i, std::size_t k, SumUse use);

/// Bounds of the slice's observations at most x, for a bucket (lower, upper].
CountBounds AtMost(const Slice& slice, double lower, double upper, double x);

/// What one cell's bucket says whatever x in it is: a bisection stays in one bucket.
struct LastBucket {
  double lower = 0, upper = 0;  ///< it is (lower, upper]; none before the first call
  double from = 0;              ///< observations of this bucket and those after it
  Slice slice;
  std::optional<SumUse> use;  ///< of the cell, once it was asked for
};

/// Bounds of cell i's observations above x, any x. Never negative, never above the cell's count.
/// `last` is of this cell alone, and spares the work where x is in the bucket of the call before.
CountBounds CellAbove(const ScrapeIncreases& cells, std::size_t i, double x,
                      LastBucket* last = nullptr);

/// ceil(q n), but q n within rounding of a whole number is that number: q = 0.07 of 100 is the
/// seventh. At least 1, at most n.
double RankOf(double q, double n);

/// The same where n is a whole number; where counts are fractions, q n itself.
double RankAmong(double q, double n);

/// Whether `inner` says more than `outer`, which holds it, by so much that it is worth saying.
bool Narrower(const Interval& inner, const Interval& outer);

/// Children may differ in layout; then each is bracketed by itself. The proof is empty (bucket and
/// interval without ends) when there is no observation, a count is not finite, a child is torn or
/// lacks its +Inf bucket, or the rank is not within 1..n.
ProvenRank ProveRank(std::span<const ScrapeIncreases> children, double rank);

/// q within [0, 1]; outside it (or NaN), without data, and where a child is torn, the proof is
/// empty and a reason says so.
ProvenQuantile ProveQuantile(std::span<const ScrapeIncreases> children, double q);

/// Bounds of the number of observations above x, all children. Exact where x is a bound of each.
CountBounds CountAbove(std::span<const ScrapeIncreases> children, double x);
inline CountBounds CountAbove(const ScrapeIncreases& cells, double x) {
  return CountAbove(std::span(&cells, 1), x);
}

inline void AddBounds(const CountBounds& one, CountBounds* total) {
  total->low += one.low;
  total->high += one.high;
}

/// Every bound of any child, ascending, +Inf last.
std::vector<double> UnionOfBounds(std::span<const ScrapeIncreases> children);
bool SameLayout(std::span<const ScrapeIncreases> children);

// The best single number for a quantile, always inside what is proven, and never falling with q.
//
// A monotone cubic of ln(bound) over the probit of the share at or below it, through the buckets
// with observations around the rank's: exact for a lognormal, and it sees which way a bucket leans.
// A bucket from zero has no logarithm there: the mean of a straight line, which is too high where
// most observations are in that bucket, and of the curve continued downwards, which is too low. In
// the open bucket 2LU/(L+U) of the proven interval, whose worst relative error is smallest, or its
// middle where no bound is positive.

/// `proven` is of the same children. Never outside its interval; without an upper bound (open
/// bucket, no sums) there is no value, only the low end: an extrapolated number would be made up.
Measured EstimateQuantile(std::span<const ScrapeIncreases> children, const ProvenQuantile& proven);

/// The standard normal distribution's inverse, for p in (0, 1).
double Probit(double p);

// Histograms of the same attempts narrow each other. Where every attempt's value in `b` is at least
// its value in `a` (pod >= e2e >= binding >= Bind), and an interval holds the same attempts in
// both:
//   N(b > x) >= N(a > x)
//   N(b > x) <= N(a > y) + floor(W / (x - y))   for y < x,   W = sum(b) - sum(a)
// since an attempt with a <= y and b > x adds more than x - y to W. Read from the other side the
// same two bound `a` by `b`. A histogram with other bounds so becomes a second, offset bucket
// layout.
//
// The premise is checked for every scrape interval by itself: the counts since process start are
// equal at both of its edges (which makes the attempts the same ones), no reset lies in it, and the
// sums are ordered. Where it fails the interval keeps the bounds of its own buckets and sums.

/// Another histogram of the attempts, in one process.
struct Link {
  std::string name;                       ///< as a basis names it: "pod_scheduling_duration"
  bool above = false;                     ///< each attempt's value there is >= the target's
  std::vector<ScrapeIncreases> children;  ///< all of it that the target's attempts are in
};

/// One process: the children whose quantile is asked, and what they may be linked to.
struct LinkedProcess {
  std::vector<ScrapeIncreases> children;
  std::vector<Link> links;
};

/// ProveQuantile over all children for each of `qs`, narrowed by the links whose premise holds; the
/// basis names the ones that narrowed it. Never wider than ProveQuantile's.
std::vector<ProvenQuantile> ProveLinked(std::span<const LinkedProcess> processes,
                                        std::span<const double> qs);

/// Bounds of the number of observations above x, links included.
CountBounds CountAboveLinked(std::span<const LinkedProcess> processes, double x);

/// Is the true quantile above an alert's threshold? Easier than the quantile itself: at a bound it
/// is a matter of counting. `comparison` is the alert's (">", ">=", "<", "<="), used only for
/// can_never_fire.
ThresholdVerdict JudgeThreshold(std::span<const LinkedProcess> processes, double q,
                                double threshold, std::string_view comparison);

}  // namespace schedlens
