#ifndef SCHEDLENS_ANALYSIS_COMPARE_CASES_H_
#define SCHEDLENS_ANALYSIS_COMPARE_CASES_H_

// The case list of an inversion, in the order in which it is walked. One row a case.

#include <vector>

#include "analysis/compare/compare.h"

namespace schedlens {

/// One of the two compared histograms, added up.
struct Side {
  Side(const HistogramGroup& group_in, const QuantileGroups& data_in,
       const QuantileRequest& request_in);

  const HistogramGroup* group;
  const QuantileGroups* data;
  const QuantileRequest* request;
  std::vector<double> bounds;  ///< union of the children's
  bool one_layout = true;
  double n = 0;
  double sum = 0;  ///< NaN where unknown

  /// Observations above a bound that all children have.
  double Above(double bound) const;
};

/// Finite bounds that every child of both sides has, ascending.
std::vector<double> CommonFiniteBounds(const Side& part, const Side& whole);

/// Walks the cases until one is proven; fills in cases, verdict and believe. Without an inversion
/// it says so and walks nothing.
void WalkCases(Source& source, const Side& part, const Side& whole, Comparison* out);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COMPARE_CASES_H_
