#ifndef SCHEDLENS_ESTIMATE_H_
#define SCHEDLENS_ESTIMATE_H_

#include <optional>
#include <string>

namespace schedlens {

/// Proven bounds. An absent end means nothing is proven on that side.
struct Interval {
  std::optional<double> low;
  std::optional<double> high;
  bool operator==(const Interval&) const = default;
};

/// A measured number is never a bare double: the best estimate, the bounds that are proven, and
/// what they rest on. `value` is never outside [low, high]; absent when nothing can be said.
struct Measured {
  std::optional<double> value;
  std::optional<double> low;
  std::optional<double> high;
  std::string unit;   ///< "s", "1" (a ratio), "count"
  std::string basis;  ///< "exact", "buckets", "sums per scrape", ...
  bool operator==(const Measured&) const = default;
};

/// A number that is known exactly: low = value = high.
Measured Exact(double value, std::string unit);
/// An estimate with no proven bounds.
Measured Estimated(double value, std::string unit, std::string basis);
/// Bounds and a best point, which is clamped into them.
Measured Bounded(double low, double value, double high, std::string unit, std::string basis);

}  // namespace schedlens

#endif  // SCHEDLENS_ESTIMATE_H_
