// The table of checks.

#include "analysis/lint/lint.h"

namespace schedlens {

const std::vector<LintCheck>& LintChecks() {
  static const std::vector<LintCheck> all = {
      {"syntax", LintSeverity::kError, Message("lint.check.syntax")},
      {"quantile-out-of-range", LintSeverity::kError, Message("lint.check.quantile_out_of_range")},
      {"threshold-inside-bucket", LintSeverity::kWarning,
       Message("lint.check.threshold_inside_bucket")},
      {"threshold-over-top", LintSeverity::kError, Message("lint.check.threshold_over_top")},
      {"missing-rate", LintSeverity::kError, Message("lint.check.missing_rate")},
      {"missing-le", LintSeverity::kError, Message("lint.check.missing_le")},
      {"short-window", LintSeverity::kWarning, Message("lint.check.short_window")},
      {"averaged-quantiles", LintSeverity::kError, Message("lint.check.averaged_quantiles")},
      {"mixed-results", LintSeverity::kWarning, Message("lint.check.mixed_results")},
      {"metric-removed", LintSeverity::kError, Message("lint.check.metric_removed")},
      {"metric-hidden", LintSeverity::kError, Message("lint.check.metric_hidden")},
      {"metric-too-new", LintSeverity::kError, Message("lint.check.metric_too_new")},
      {"metric-may-be-gone", LintSeverity::kNote, Message("lint.check.metric_may_be_gone")},
  };
  return all;
}

}  // namespace schedlens
