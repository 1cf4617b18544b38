#ifndef SCHEDLENS_STATS_LOG_GAMMA_H_
#define SCHEDLENS_STATS_LOG_GAMMA_H_

#include <math.h>

namespace schedlens {

/// ln |gamma(x)|; +Inf for 0 and negative integers. From any thread: std::lgamma writes its sign
/// into a variable of the whole process.
inline double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_LOG_GAMMA_H_
