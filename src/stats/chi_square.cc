#include "stats/chi_square.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/log_gamma.h"

namespace schedlens {

double ChiSquareAtMost(double x, double degrees) {
  if (!(degrees > 0) || std::isnan(x)) return 1;
  if (x <= 0) return 0;
  // P(a, y) = y^a e^-y / Gamma(a + 1) * (1 + y / (a + 1) + y^2 / ((a + 1) (a + 2)) + ...)
  const double a = degrees / 2, y = x / 2;
  // Nothing is left there, and the series would take as many terms as y is large.
  if (y > a + 40 * std::sqrt(a) + 800) return 1;
  double term = 1, sum = 1;
  for (double n = 1; term > sum * std::numeric_limits<double>::epsilon(); ++n) {
    term *= y / (a + n);
    sum += term;
  }
  return std::min(1.0, sum * std::exp(a * std::log(y) - y - LogGamma(a + 1)));
}

}  // namespace schedlens
