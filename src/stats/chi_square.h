#ifndef SCHEDLENS_STATS_CHI_SQUARE_H_
#define SCHEDLENS_STATS_CHI_SQUARE_H_

namespace schedlens {

/// P(chi-square with `degrees` of freedom <= x), by the series of the lower incomplete gamma
/// function. 0 for x <= 0; 1 for no degrees of freedom and for NaN.
double ChiSquareAtMost(double x, double degrees);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_CHI_SQUARE_H_
