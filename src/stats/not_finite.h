#ifndef SCHEDLENS_STATS_NOT_FINITE_H_
#define SCHEDLENS_STATS_NOT_FINITE_H_

#include <cmath>
#include <limits>
#include <optional>

// The two values of a quantile, a rate or a bound that are no number of seconds.
namespace schedlens {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Nothing for an infinity or NaN.
inline std::optional<double> Finite(double x) {
  return std::isfinite(x) ? std::optional<double>(x) : std::nullopt;
}

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_NOT_FINITE_H_
