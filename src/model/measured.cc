// Constructors of measured numbers.

#include <algorithm>
#include <utility>

#include "schedlens/estimate.h"

namespace schedlens {

Measured Exact(double value, std::string unit) {
  return {value, value, value, std::move(unit), BasisKind::kExact};
}

Measured Estimated(double value, std::string unit, Basis basis) {
  return {value, std::nullopt, std::nullopt, std::move(unit), std::move(basis)};
}

Measured Bounded(double low, double value, double high, std::string unit, Basis basis) {
  // Not std::clamp: rounding may leave low a little above high, and then the bounds take
  // precedence.
  const double clamped = std::min(std::max(value, low), std::max(low, high));
  return {clamped, low, std::max(low, high), std::move(unit), std::move(basis)};
}

}  // namespace schedlens
