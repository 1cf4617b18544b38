#include "stats/summation.h"

namespace schedlens {

void GroupMean::Start(double x) {
  count_ = 1;
  incremental_ = false;
  mean_ = x;
  sum_ = {x, 0};
}

/// An infinite mean stays: adding a finite value, or the same infinity, would make it NaN.
bool GroupMean::Absorbed(double x) const {
  if (!std::isinf(mean_)) return false;
  if (std::isinf(x)) return (mean_ > 0) == (x > 0);
  return !std::isnan(x);
}

void GroupMean::Add(double x) {
  ++count_;
  if (!compensated_) {
    // Both sides are divided first, so that the difference cannot overflow.
    if (!Absorbed(x)) mean_ += x / count_ - mean_ / count_;
    return;
  }
  if (!incremental_) {
    CompensatedSum next = sum_;
    next.Add(x, true);
    if (!std::isinf(next.value)) {
      sum_ = next;
      return;
    }
    incremental_ = true;
    mean_ = sum_.value / (count_ - 1);
    sum_.compensation /= count_ - 1;
  }
  CompensatedSum mean{mean_, sum_.compensation};
  if (split_division_) {
    const double share = (count_ - 1) / count_;
    mean = {share * mean_, share * sum_.compensation};
    mean.Add(x / count_, true);
  } else {
    if (Absorbed(x)) return;
    const double corrected = mean_ + sum_.compensation;
    mean.Add(x / count_ - corrected / count_, true);
  }
  mean_ = mean.value;
  sum_.compensation = mean.compensation;
}

double GroupMean::Result() const {
  if (!compensated_) return mean_;
  if (incremental_) return mean_ + sum_.compensation;
  if (split_division_) return sum_.value / count_ + sum_.compensation / count_;
  return (sum_.value + sum_.compensation) / count_;
}

}  // namespace schedlens
