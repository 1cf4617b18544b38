// What `lint` looks for, in the order in which its page of the reference lists them. Each id is
// explained by the texts `lint.check.ID` (what is wrong) and `lint.why.ID` (why it matters).

#include <string>

#include "analysis/glossary/glossary.h"

namespace schedlens {
namespace {

LintCheck Check(const std::string& id, LintSeverity severity) {
  return {id, severity, Message("lint.check." + id), Message("lint.why." + id)};
}

}  // namespace

const std::vector<LintCheck>& LintChecks() {
  using enum LintSeverity;
  static const std::vector<LintCheck> all = {
      Check("syntax", kError),
      Check("logql", kNote),
      Check("empty-expression", kError),
      Check("bad-duration", kError),
      Check("bad-name", kError),
      Check("bad-rule", kError),
      Check("bad-field", kError),
      Check("duplicate-group", kError),
      Check("quantile-out-of-range", kError),
      Check("missing-rate", kError),
      Check("counter-without-rate", kError),
      Check("rate-of-gauge", kError),
      Check("delta-of-counter", kError),
      Check("sum-before-rate", kError),
      Check("divided-by-itself", kError),
      Check("counted-per-plugin", kWarning),
      Check("missing-le", kError),
      Check("bare-histogram", kWarning),
      Check("native-histogram", kNote),
      Check("averaged-quantiles", kError),
      Check("mixed-results", kWarning),
      Check("short-window", kWarning),
      Check("interval-in-rate", kWarning),
      Check("threshold-inside-bucket", kWarning),
      Check("threshold-over-top", kError),
      Check("metric-removed", kError),
      Check("metric-hidden", kError),
      Check("metric-too-new", kError),
      Check("metric-may-be-gone", kNote),
      Check("unknown-metric", kWarning),
      Check("foreign-metric", kNote),
      Check("absent-of-dead-metric", kError),
      Check("count-of-nothing", kError),
      Check("unknown-label", kError),
      Check("unknown-label-value", kError),
      Check("unknown-grouping", kWarning),
      Check("short-for", kWarning),
      Check("mixed-jobs", kWarning),
      Check("cluster-dropped", kWarning),
      Check("not-mended", kNote),
  };
  return all;
}

}  // namespace schedlens
