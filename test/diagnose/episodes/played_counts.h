#pragma once

// Counts in columns of 15 s, as invented stretches of calm and trouble make them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "diagnose/episodes/column_counts.h"

namespace schedlens::test {

inline constexpr TimeMs kColumn = 15'000;

/// What a stretch of columns does.
struct Stretch {
  int columns = 0;
  double slow = 0;     ///< share of pods that take 2 to 8 s
  double errors = 0;   ///< share of attempts
  double rate = 5;     ///< pods a second
  double waiting = 0;  ///< pods in the queue
  bool nobody = false;
  double standing = 0.008;  ///< share that takes 1.1 s, always
};

inline ColumnCounts EmptyColumns(std::size_t columns) {
  ColumnCounts c;
  c.period = 15;
  for (double b = 0.001; b < 20; b *= 2) c.pod_bounds.push_back(b);
  c.pod_bounds.push_back(std::numeric_limits<double>::infinity());
  c.attempt_bounds = c.pod_bounds;
  c.pods = c.attempts = CountTable(columns, c.pod_bounds.size());
  c.results = c.waiting = CountTable(columns, 3);
  c.has_pods = true;
  for (std::size_t i = 0; i <= columns; ++i) c.edges.push_back(static_cast<TimeMs>(i) * kColumn);
  return c;
}

/// The stretches one after the other, drawn by chance.
inline ColumnCounts Play(const std::vector<Stretch>& stretches, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::lognormal_distribution<double> quick(std::log(0.015), 0.5);
  std::size_t columns = 0, column = 0;
  for (const Stretch& s : stretches) columns += static_cast<std::size_t>(s.columns);
  ColumnCounts c = EmptyColumns(columns);
  const auto bind = [&](double took) {
    const auto at = std::lower_bound(c.pod_bounds.begin(), c.pod_bounds.end(), took);
    const auto kind = static_cast<std::size_t>(at - c.pod_bounds.begin());
    c.pods.Add(column, kind, 1);
    c.attempts.Add(column, kind, 1);
    c.results.Add(column, 0, 1);
  };
  for (const Stretch& s : stretches) {
    for (int k = 0; k < s.columns; ++k, ++column) {
      c.nobody_here.push_back(s.nobody);
      c.waiting.Set(column, 0, s.waiting);
      const int pods = s.nobody ? 0 : std::poisson_distribution<int>(s.rate * 15)(random);
      for (int p = 0; p < pods; ++p) {
        if (unit(random) < s.errors) {
          c.results.Add(column, 2, 1);
        } else if (unit(random) < s.slow) {
          bind(2 + 6 * unit(random));
        } else {
          bind(unit(random) < s.standing ? 1.1 : quick(random));
        }
      }
    }
  }
  return c;
}

}  // namespace schedlens::test
