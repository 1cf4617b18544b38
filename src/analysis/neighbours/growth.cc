#include "analysis/neighbours/growth.h"

#include <cmath>

#include "analysis/causes/slowness.h"
#include "stats/significance.h"

namespace schedlens {

bool HasGrown(const Counted& counted, std::size_t tried) {
  if (!(counted.seconds_now > 0) || !(counted.seconds_before > 0)) return false;
  const double now = std::floor(counted.now), before = std::ceil(counted.before);
  if (now / counted.seconds_now < kLeastGrowth * (before + 0.5) / counted.seconds_before)
    return false;
  const double part = counted.seconds_now / (counted.seconds_now + counted.seconds_before);
  return BinomialAtLeast(now + before, part, now) * static_cast<double>(tried) <= kSignificant;
}

}  // namespace schedlens
