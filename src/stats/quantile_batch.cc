// Many quantiles at once. A first pass, which the compiler vectorises, proves for each histogram
// that no repair can touch it and counts the buckets below the rank; whatever it cannot prove goes
// through the plain kernel. Both give the same bits.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "schedlens/error.h"
#include "stats/classic_quantile.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

// Histograms per block: all rows of a block stay in the first level cache.
constexpr std::size_t kBlock = 64;
// Well above the server's 1e-12 tolerance: a larger relative rise is surely not flattened.
constexpr double kClearRise = 1e-11;
// Below it no sum or difference of two counts overflows.
constexpr double kLarge = 1e300;

struct Block {
  std::array<double, kBlock> rank;
  std::array<double, kBlock> below;  // finite buckets whose count is under the rank
  std::array<double, kBlock> plain;  // 1: no repair possible
};

void FirstPass(const double* rows, std::size_t stride, std::size_t bounds, std::size_t size,
               double q, Block* block) {
  const double* top = rows + (bounds - 1) * stride;
  for (std::size_t i = 0; i < size; ++i) {
    block->rank[i] = q * top[i];
    block->plain[i] = (rows[i] >= 0 ? 1.0 : 0.0) * (top[i] < kLarge ? 1.0 : 0.0);
    block->below[i] = 0;
  }
  for (std::size_t b = 0; b + 1 < bounds; ++b) {
    const double* row = rows + b * stride;
    const double* next = row + stride;
    for (std::size_t i = 0; i < size; ++i) {
      const double rise = next[i] - row[i];
      // |: both sides are computed, so that there is no branch in the loop.
      const bool same = static_cast<bool>(static_cast<int>(rise == 0) |
                                          static_cast<int>(rise > kClearRise * (next[i] + row[i])));
      block->plain[i] = same ? block->plain[i] : 0.0;
      block->below[i] += row[i] < block->rank[i] ? 1.0 : 0.0;
    }
  }
}

class Batch {
 public:
  Batch(double q, std::span<const double> bounds, std::span<const double> cumulative,
        const Semantics& semantics, std::span<double> values)
      : q_(q),
        bounds_(bounds),
        cumulative_(cumulative),
        semantics_(semantics),
        values_(values),
        counts_(bounds.size()) {}

  void Run() {
    for (std::size_t begin = 0; begin < values_.size(); begin += kBlock) {
      const std::size_t size = std::min(kBlock, values_.size() - begin);
      FirstPass(cumulative_.data() + begin, values_.size(), bounds_.size(), size, q_, &block_);
      for (std::size_t i = 0; i < size; ++i) {
        values_[begin + i] = block_.plain[i] != 0 ? Fast(begin + i, i) : Plain(begin + i);
      }
    }
  }

  double Plain(std::size_t histogram) {
    for (std::size_t b = 0; b < bounds_.size(); ++b) counts_[b] = At(b, histogram);
    return semantics_.IsVictoriaMetrics()
               ? VictoriaQuantileOfSorted(q_, bounds_, counts_, semantics_).value
               : QuantileOfSorted(q_, bounds_, counts_, semantics_).value;
  }

 private:
  double At(std::size_t bound, std::size_t histogram) const {
    return cumulative_[bound * values_.size() + histogram];
  }

  double Fast(std::size_t histogram, std::size_t i) const {
    const std::size_t last = bounds_.size() - 1;
    const auto at = static_cast<std::size_t>(block_.below[i]);
    if (At(last, histogram) == 0) return std::numeric_limits<double>::quiet_NaN();
    if (at == last) return bounds_[last - 1];
    if (at == 0 && bounds_[0] <= 0) return bounds_[0];
    double rank = block_.rank[i];
    double count = At(at, histogram);
    double lower = 0;
    if (at > 0) {
      const double before = At(at - 1, histogram);
      lower = bounds_[at - 1];
      count -= before;
      rank -= before;
    }
    return Interpolate(lower, bounds_[at] - lower, rank / count, semantics_.fma);
  }

  double q_;
  std::span<const double> bounds_;
  std::span<const double> cumulative_;
  Semantics semantics_;
  std::span<double> values_;
  std::vector<double> counts_;
  Block block_;
};

}  // namespace

void QuantilesOfHistograms(double q, std::span<const double> bounds,
                           std::span<const double> cumulative, const Semantics& semantics,
                           std::span<double> values) {
  if (cumulative.size() != bounds.size() * values.size()) {
    throw Error(ErrorKind::kFailed,
                fmt::format("quantiles of {} histograms with {} bounds need {} counts, not {}",
                            values.size(), bounds.size(), bounds.size() * values.size(),
                            cumulative.size()));
  }
  for (std::size_t b = 1; b < bounds.size(); ++b) {
    if (!(bounds[b - 1] < bounds[b])) {
      throw Error(ErrorKind::kFailed, "quantiles of histograms: the bounds do not ascend");
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double decided = nan;
  if (bounds.empty()) {
    std::fill(values.begin(), values.end(), nan);
    return;
  }
  const bool victoria = semantics.IsVictoriaMetrics();
  if (!victoria && (QuantileDecidedByQ(q, semantics, &decided) || bounds.back() != kInfinity ||
                    bounds.size() < 2)) {
    std::fill(values.begin(), values.end(), decided);
    return;
  }
  Batch batch(q, bounds, cumulative, semantics, values);
  if (victoria || std::isnan(q)) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = batch.Plain(i);
  } else {
    batch.Run();
  }
}

}  // namespace schedlens
