#ifndef SCHEDLENS_PROMQL_BUCKET_GROUPS_H_
#define SCHEDLENS_PROMQL_BUCKET_GROUPS_H_

// The rows of a vector as classic histograms, step by step.

#include <span>
#include <utility>
#include <vector>

#include "promql/evaluation.h"
#include "schedlens/histogram.h"

namespace schedlens::promql {

/// One classic histogram: its bucket rows by ascending bound.
struct BucketGroup {
  Labels labels;  // without le; with the metric name, which keeps groups apart
  std::vector<std::pair<double, std::size_t>> buckets;  // bound, row
};

/// Groups in order of first appearance. Rows without a readable `le` are left out, with a remark at
/// `arg`. VictoriaMetrics groups without the metric name.
std::vector<BucketGroup> GroupBuckets(const Evaluation& evaluation, const StepVector& vector,
                                      const Expr& arg);

/// The buckets that have a value at one step: sorted, equal bounds added. Storage is reused.
class BucketsAtStep {
 public:
  BucketsAtStep(const StepVector& vector, const BucketGroup& group);

  /// False when no bucket is present.
  bool Move(std::size_t i);
  std::span<const double> bounds() const { return bounds_; }
  std::span<double> counts() { return counts_; }

 private:
  struct Column {
    double bound;
    const double* values;
  };
  std::vector<Column> columns_;
  std::vector<double> bounds_;
  std::vector<double> counts_;
};

/// The server's histogram_quantile at one step; repairs the counts in place.
ClassicQuantile QuantileAtStep(double q, BucketsAtStep* buckets, const Semantics& semantics);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_BUCKET_GROUPS_H_
