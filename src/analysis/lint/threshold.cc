#include "analysis/lint/threshold.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/lint/averages.h"
#include "analysis/lint/program.h"
#include "analysis/lint/variables.h"
#include "kube/metrics.h"
#include "promql/alert_expression.h"
#include "promql/ast.h"

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
ExprPtr ReplaceThreshold(const ExprPtr& tree, const RecordedRules& recorded,
                         const promql::AlertExpression& alert, double better) {
  bool done = false;
  return Rewrite(tree, [&](Expr& node) {
    auto* binary = std::get_if<promql::Binary>(&node.node);
    if (done || binary == nullptr || !promql::IsComparison(binary->op)) return;
    for (ExprPtr* side : {&binary->rhs, &binary->lhs}) {
      const ExprPtr& other = side == &binary->rhs ? binary->lhs : binary->rhs;
      if (promql::WithoutParens(**side).As<promql::NumberLiteral>() == nullptr) continue;
      bool holds = false;
      promql::Walk(*other, [&](const Expr& below) {
        holds = holds || QuantileOf(below, recorded) != nullptr;
      });
      if (!holds) continue;
      *side =
          MakeExpr(promql::NumberLiteral{better * alert.scale + alert.added}, ValueKind::kScalar);
      done = true;
      return;
    }
  });
}

/// The tree with the quantiles behind recorded names in their place.
ExprPtr SeenThrough(const ExprPtr& tree, const RecordedRules& recorded) {
  return Rewrite(tree, [&](Expr& node) {
    if (node.As<promql::Selector>() == nullptr) return;
    if (const promql::Call* quantile = QuantileOf(node, recorded))
      node.node = promql::Call(*quantile);
  });
}

bool IsOfAnother(const Expr& tree) {
  bool another = false;
  promql::Walk(tree, [&](const Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    another = another || (selector != nullptr && IsOfAnotherProgram(*selector));
  });
  return another;
}

}  // namespace

ExprPtr MendThreshold(const ExprPtr& tree, const RecordedRules& recorded,
                      std::optional<int> release, const LintNote& note) {
  const promql::AlertExpression alert =
      promql::ParseAlertExpression(ToString(*SeenThrough(tree, recorded)));
  if (!alert.is_histogram_quantile || !alert.threshold || alert.native) return tree;
  const kube::MetricRow* row = kube::FindMetric(alert.family);
  if (row == nullptr || IsOfAnother(*tree)) return tree;
  const std::vector<double> bounds = BoundsIn(*row, release);
  if (bounds.size() < 2) return tree;
  const double threshold = *alert.threshold;
  if (IsVariableNumber(threshold * alert.scale + alert.added)) return tree;
  const bool at_least = alert.comparison == ">=";
  const bool upwards = alert.comparison == ">" || at_least;
  double better = threshold;
  // No value is infinite where a histogram has finite bounds.
  const bool infinite =
      threshold > bounds.back() && std::isinf(threshold) && alert.comparison == "==";
  if (infinite ||
      (upwards && (threshold > bounds.back() || (!at_least && threshold == bounds.back())))) {
    if (!infinite) better = bounds[bounds.size() - 2];
    Message never = Compared("lint.threshold.over_top", alert.comparison, threshold);
    never.args.push_back({"metric", arg::Metric(alert.family)});
    never.args.push_back({"bound", arg::Duration(bounds.back())});
    note("threshold-over-top", never,
         infinite ? Message() : Compared("lint.threshold.fix", alert.comparison, better));
  } else if (threshold > 0 && !std::binary_search(bounds.begin(), bounds.end(), threshold)) {
    better = NearestBound(bounds, threshold);
    Message inside = Compared("lint.threshold.inside", alert.comparison, threshold);
    inside.args.push_back({"metric", arg::Metric(alert.family)});
    note("threshold-inside-bucket", inside,
         OnEitherSide(alert.comparison, bounds, threshold, better));
  }
  return better == threshold ? tree : ReplaceThreshold(tree, recorded, alert, better);
}

}  // namespace schedlens
