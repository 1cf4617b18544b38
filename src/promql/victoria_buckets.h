#ifndef SCHEDLENS_PROMQL_VICTORIA_BUCKETS_H_
#define SCHEDLENS_PROMQL_VICTORIA_BUCKETS_H_

#include "promql/ast.h"
#include "promql/evaluation.h"
#include "promql/step_vector.h"

namespace schedlens::promql {

/// VictoriaMetrics' own buckets, each a count between two bounds (`vmrange="1e-3...2e-3"`), as
/// cumulative `le` buckets: gaps get a bucket at their upper edge, the last bucket one at +Inf.
/// Rows with `le` only stay; rows with neither, or with an unreadable range, are left out.
StepVector LeFromVmrange(const StepVector& vector);

/// VictoriaMetrics' histogram_quantile; with a third argument the edges of the bucket in two more
/// rows, told apart by the label of that name.
StepVector VictoriaHistogramQuantile(const Evaluation& evaluation, const Call& call);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_VICTORIA_BUCKETS_H_
