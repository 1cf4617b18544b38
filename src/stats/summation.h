#ifndef SCHEDLENS_STATS_SUMMATION_H_
#define SCHEDLENS_STATS_SUMMATION_H_

// How the servers add floats, by version.

#include <cmath>

#include "schedlens/semantics.h"

namespace schedlens {

/// Neumaier's improvement of Kahan's compensated sum, as Prometheus writes it. The true sum is
/// value + compensation.
struct CompensatedSum {
  double value = 0;
  double compensation = 0;

  /// With `zero_at_infinity` (2.54 and newer) an infinite running sum drops its compensation.
  void Add(double x, bool zero_at_infinity) {
    const double t = value + x;
    if (zero_at_infinity && std::isinf(t)) {
      compensation = 0;
    } else if (std::fabs(value) >= std::fabs(x)) {
      compensation += (value - t) + x;
    } else {
      compensation += (x - t) + value;
    }
    value = t;
  }
};

/// `sum by (...)`: plain left-to-right addition up to 2.53 (and in VictoriaMetrics), compensated
/// from 2.54 on. The first element is the start, not zero plus it: -0 stays -0.
class GroupSum {
 public:
  explicit GroupSum(const Semantics& semantics) : compensated_(semantics.AtLeast(2, 54)) {}
  void Start(double x) { sum_ = {x, 0}; }
  void Add(double x) {
    if (compensated_) {
      sum_.Add(x, true);
    } else {
      sum_.value += x;
    }
  }
  double Result() const { return compensated_ ? sum_.value + sum_.compensation : sum_.value; }

 private:
  bool compensated_;
  CompensatedSum sum_;
};

/// `avg by (...)`: an incremental mean up to 2.54, compensated sum over count from 2.55 on (with an
/// incremental mean once that sum overflows).
class GroupMean {
 public:
  explicit GroupMean(const Semantics& semantics)
      : compensated_(semantics.AtLeast(2, 55)), split_division_(semantics.AtLeast(3, 5)) {}
  void Start(double x);
  void Add(double x);
  double Result() const;

 private:
  bool Absorbed(double x) const;

  bool compensated_;
  bool split_division_;  // sum/n + c/n instead of (sum + c)/n
  bool incremental_ = false;
  double count_ = 0;
  double mean_ = 0;
  CompensatedSum sum_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_SUMMATION_H_
