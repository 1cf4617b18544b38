// The table of checks.

#include "analysis/lint/lint.h"

namespace schedlens {

const std::vector<LintCheck>& LintChecks() {
  static const std::vector<LintCheck> all = {
      {"syntax", LintSeverity::kError, "the expression does not parse"},
      {"threshold-inside-bucket", LintSeverity::kWarning,
       "the threshold is no bucket bound, so interpolation decides when the alert fires"},
      {"threshold-over-top", LintSeverity::kError,
       "the threshold is at or over the highest finite bound, so the alert can never fire"},
      {"missing-rate", LintSeverity::kError, "the quantile is taken over counters, not over rates"},
      {"missing-le", LintSeverity::kError, "the aggregation drops the label le"},
      {"short-window", LintSeverity::kWarning, "the window holds fewer than four scrapes"},
      {"averaged-quantiles", LintSeverity::kError, "quantiles are aggregated instead of buckets"},
      {"mixed-results", LintSeverity::kWarning,
       "attempts with different results are mixed in one quantile"},
      {"metric-removed", LintSeverity::kError, "the release does not have the metric any more"},
      {"metric-hidden", LintSeverity::kError, "the release hides the metric by default"},
      {"metric-too-new", LintSeverity::kError, "the release does not have the metric yet"},
      {"metric-may-be-gone", LintSeverity::kNote, "some releases hide or lack the metric"},
  };
  return all;
}

}  // namespace schedlens
