#ifndef SCHEDLENS_STATS_NOT_FINITE_H_
#define SCHEDLENS_STATS_NOT_FINITE_H_

#include <limits>

// The two values of a quantile, a rate or a bound that are no number of seconds.
namespace schedlens {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_NOT_FINITE_H_
