#include "stats/proven_interval_slices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stats/bisect.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

/// std::trunc of what is not negative, without a call: from 2^53 on all are whole.
double CutToWhole(double x) {
  return x < kMostCounted ? static_cast<double>(static_cast<std::int64_t>(x)) : x;
}

}  // namespace

void BucketSlices::Add(const Slice& slice) {
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

double BucketSlices::MostUpTo(double x) const {
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

double BucketSlices::LeastUpTo(double x) const {
  double least = 0;
  const double inverse = 1 / (x - lower);
  for (std::size_t i = 0; i < count.size(); ++i) {
    const double beyond = std::min(count[i], load[i] * inverse);
    least += count[i] - CutToWhole(beyond);
  }
  return least;
}

bool BucketSlices::Countable() const {
  return std::all_of(count.begin(), count.end(),
                     [](double c) { return c < kMostCounted && c == std::floor(c); });
}
Interval NarrowInside(const BucketSlices& slices, double j) {
  Interval out{Finite(slices.lower), Finite(slices.upper)};
  if (!std::isfinite(slices.lower) || !slices.Countable()) return out;
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
  const double near_low = slices.lower + 1e-9 * width;
  const double near_high = far - 1e-9 * width;
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

}  // namespace schedlens
