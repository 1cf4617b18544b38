#include "analysis/tail/draw.h"

#include <algorithm>
#include <cmath>

namespace schedlens {
namespace {

/// [0, 1) from the engine's own bits: the standard distributions differ between libraries.
double Uniform(std::mt19937_64* random) {
  return static_cast<double>((*random)() >> 11) * 0x1.0p-53;
}

/// `count` observations of the same value.
struct Observation {
  double value, low, high, count;
};

/// Moves every value toward its upper edge (or lower, for negative `missing`) by the same fraction.
void Bend(double missing, std::vector<Observation>* drawn) {
  double room = 0, open = 0;
  for (const Observation& o : *drawn) {
    if (std::isinf(o.high)) {
      ++open;
      room += missing < 0 ? o.value - o.low : 0;
    } else {
      room += o.count * (missing < 0 ? o.value - o.low : o.high - o.value);
    }
  }
  if (missing > 0 && open > 0) {
    for (Observation& o : *drawn) {
      if (std::isinf(o.high)) o.value += missing / open;
    }
    return;
  }
  if (!(room > 0)) return;
  const double part = std::min(1.0, std::abs(missing) / room);
  for (Observation& o : *drawn) {
    if (missing < 0 || std::isfinite(o.high)) {
      o.value += part * ((missing < 0 ? o.low : o.high) - o.value);
    }
  }
}

}  // namespace

bool IsSmallByMean(const CellView& cell, double least) {
  return cell.bounds.size() == 1 && std::isinf(cell.bounds[0]) &&
         cell.sum <= least * std::round(std::max(0.0, cell.buckets[0]));
}

DrawnCell DrawObservations(const CellView& cell, double least, std::mt19937_64* random) {
  if (IsSmallByMean(cell, least)) {
    return {{}, std::round(std::max(0.0, cell.buckets[0])), std::max(0.0, cell.sum)};
  }
  std::vector<Observation> drawn;
  std::size_t small = 0;  // entries of buckets that are not drawn one by one
  double sum = 0;
  for (std::size_t b = 0; b < cell.bounds.size(); ++b) {
    const double n = std::round(std::max(0.0, cell.buckets[b]));
    if (n == 0) continue;
    const double low = b == 0 ? 0 : cell.bounds[b - 1], high = cell.bounds[b];
    if (high <= least) {
      drawn.push_back({(low + high) / 2, low, high, n});
      sum += n * drawn.back().value;
      ++small;
      continue;
    }
    for (double i = 0; i < n; ++i) {
      const double u = Uniform(random);
      double value = high * u;
      if (std::isinf(high)) {
        value = low * (1 - 0.3 * std::log(1 - u));
      } else if (low > 0) {
        value = low * std::pow(high / low, u);
      }
      drawn.push_back({value, low, high, 1});
      sum += value;
    }
  }
  if (!std::isnan(cell.sum)) Bend(cell.sum - sum, &drawn);
  DrawnCell out;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (i >= small) {
      out.large.push_back(drawn[i].value);
    } else {
      out.small_count += drawn[i].count;
      out.small_seconds += drawn[i].count * drawn[i].value;
    }
  }
  return out;
}

}  // namespace schedlens
