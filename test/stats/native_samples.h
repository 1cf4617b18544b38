#pragma once

// Native histograms as the API sends them, one of each kind.

#include <cmath>

#include "base/not_finite.h"
#include "stats/native_value.h"

namespace schedlens::test {

inline const NativeHistogram kZero{10, 12, {{-0.001, 0.001, 4, 3}, {1, 2, 4, 0}, {2, 4, 2, 0}}};
inline const NativeHistogram kTwoSided{7, 1, {{-4, -2, 1, 1}, {-0.5, 0.5, 2, 3}, {0.5, 1, 4, 0}}};
inline const NativeHistogram kCustom{
    10, 12, {{-kInfinity, 0.3, 4, 3}, {0.3, 0.7, 4, 0}, {0.7, kInfinity, 2, 0}}};

/// Schema 1: two buckets a doubling.
inline NativeHistogram Fine(double low, double high) {
  const double root = std::sqrt(2.0);
  return {low + high, 3, {{1, root, low, 0}, {root, 2, high, 0}}};
}

}  // namespace schedlens::test
