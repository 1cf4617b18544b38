#include "stats/cell_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/not_finite.h"

namespace schedlens {
namespace {

/// The least and the most that the observations outside bucket `skip` can add up to.
struct Rest {
  double low = 0;
  double high = 0;
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
  if (!std::all_of(row.begin(), row.end(), Whole)) return SumUse::kNotWhole;
  const Rest all = OutsideOf(cells.bounds, row, row.size());
  const double slack = SumSlack(cells, i);
  if (cells.sums[i] < all.low - slack || cells.sums[i] > all.high + slack) {
    return SumUse::kContradicts;
  }
  return SumUse::kUsed;
}

Slice SliceOf(const ScrapeIncreases& cells, std::size_t i, std::size_t k, SumUse use) {
  const auto row = cells.Buckets(i);
  const double c = row[k];
  const double lower = LowerEdge(cells.bounds, k);
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

Slice SliceOf(const ScrapeIncreases& cells, std::size_t i, std::size_t k) {
  return cells.Buckets(i)[k] == 0 ? Slice() : SliceOf(cells, i, k, SumUseOf(cells, i));
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

CountBounds CellAbove(const ScrapeIncreases& cells, std::size_t i, double x) {
  LastBucket last;
  return CellAbove(cells, i, x, &last);
}

}  // namespace schedlens
