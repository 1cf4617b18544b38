#include "analysis/lint/threshold.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/lint/averages.h"
#include "kube/metrics.h"
#include "promql/alert_expression.h"
#include "promql/rewrite.h"

namespace schedlens {
namespace {

using promql::Expr;
using promql::ExprPtr;

Message Compared(const char* id, const std::string& comparison, double threshold) {
  return Message(id, {{"comparison", comparison}, {"threshold", arg::Duration(threshold)}});
}

/// The nearest bound first, then the one on the other side.
Message OnEitherSide(const std::string& comparison, const std::vector<double>& bounds,
                     double threshold, double nearest) {
  Message text = Compared("lint.threshold.fix", comparison, nearest);
  const auto above = std::upper_bound(bounds.begin(), bounds.end(), threshold);
  if (above == bounds.begin() || above == bounds.end()) return text;
  const double other = *above == nearest ? *(above - 1) : *above;
  text.id = "lint.threshold.fix.either";
  text.args.push_back({"other", arg::Duration(other)});
  return text;
}

double NearestBound(const std::vector<double>& bounds, double x) {
  const auto distance = [x](double bound) { return std::abs(std::log(bound / x)); };
  return *std::min_element(bounds.begin(), bounds.end(),
                           [&](double a, double b) { return distance(a) < distance(b); });
}

/// Changes the number literal next to the comparison that holds the quantile.
ExprPtr ReplaceThreshold(const ExprPtr& tree, const promql::AlertExpression& alert, double better) {
  bool done = false;
  return Rewrite(tree, [&](Expr& node) {
    auto* binary = std::get_if<promql::Binary>(&node.node);
    if (done || binary == nullptr || !promql::IsComparison(binary->op)) return;
    for (ExprPtr* side : {&binary->rhs, &binary->lhs}) {
      const ExprPtr& other = side == &binary->rhs ? binary->lhs : binary->rhs;
      if (promql::WithoutParens(**side).As<promql::NumberLiteral>() == nullptr) continue;
      bool holds = false;
      promql::Walk(*other, [&](const Expr& below) { holds = holds || IsHistogramQuantile(below); });
      if (!holds) continue;
      *side =
          MakeExpr(promql::NumberLiteral{better * alert.scale + alert.added}, ValueKind::kScalar);
      done = true;
      return;
    }
  });
}

}  // namespace

ExprPtr MendThreshold(const ExprPtr& tree, std::optional<int> release, const LintNote& note) {
  const promql::AlertExpression alert = promql::ParseAlertExpression(ToString(*tree));
  if (!alert.is_histogram_quantile || !alert.threshold || alert.native) return tree;
  const kube::MetricRow* row = kube::FindMetric(alert.family);
  if (row == nullptr) return tree;
  const std::vector<double> bounds = BoundsIn(*row, release);
  if (bounds.size() < 2) return tree;
  const double threshold = *alert.threshold;
  const bool at_least = alert.comparison == ">=";
  const bool upwards = alert.comparison == ">" || at_least;
  double better = threshold;
  if (upwards && (threshold > bounds.back() || (!at_least && threshold == bounds.back()))) {
    better = bounds[bounds.size() - 2];
    Message never = Compared("lint.threshold.over_top", alert.comparison, threshold);
    never.args.push_back({"metric", arg::Metric(alert.family)});
    never.args.push_back({"bound", arg::Duration(bounds.back())});
    note("threshold-over-top", never, Compared("lint.threshold.fix", alert.comparison, better));
  } else if (threshold > 0 && !std::binary_search(bounds.begin(), bounds.end(), threshold)) {
    better = NearestBound(bounds, threshold);
    Message inside = Compared("lint.threshold.inside", alert.comparison, threshold);
    inside.args.push_back({"metric", arg::Metric(alert.family)});
    note("threshold-inside-bucket", inside,
         OnEitherSide(alert.comparison, bounds, threshold, better));
  }
  return better == threshold ? tree : ReplaceThreshold(tree, alert, better);
}

}  // namespace schedlens
