#include "analysis/lint/averages.h"

#include <algorithm>

#include "analysis/lint/words.h"
#include "promql/ast.h"
#include "promql/functions.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using promql::AggregateOp;
using promql::Aggregation;
using promql::Call;
using promql::Expr;
using promql::ExprPtr;
using promql::FunctionId;
using promql::Selector;

constexpr char kFix[] = "histogram_quantile(q, sum by (le) (rate(...)))";

bool Averages(AggregateOp op) {
  return op == AggregateOp::kAvg || op == AggregateOp::kSum || op == AggregateOp::kStddev ||
         op == AggregateOp::kStdvar;
}

bool AveragesOverTime(FunctionId id) {
  return id == FunctionId::kAvgOverTime || id == FunctionId::kSumOverTime ||
         id == FunctionId::kStddevOverTime || id == FunctionId::kStdvarOverTime;
}

/// The quantile behind a node: itself, or what its name records. `mendable` is false where the
/// recorded series were chosen by matchers, which need not fit the buckets.
struct Quantile {
  const Call* call = nullptr;
  std::string name = "histogram_quantile(...)";
  bool mendable = true;
};

Quantile QuantileBehind(const Expr& expr, const RecordedRules& recorded) {
  const Expr& node = promql::WithoutParens(expr);
  if (IsHistogramQuantile(node)) return {node.As<Call>(), "histogram_quantile(...)", true};
  const auto* selector = node.As<Selector>();
  if (selector == nullptr) return {};
  const auto rule = recorded.find(selector->name);
  if (rule == recorded.end()) return {};
  const std::vector<ExprPtr>& all = rule->second;
  if (!std::all_of(all.begin(), all.end(), [](const auto& e) { return IsHistogramQuantile(*e); })) {
    return {};
  }
  const bool plain = std::all_of(selector->matchers.begin(), selector->matchers.end(),
                                 [](const auto& matcher) { return matcher.name == "__name__"; });
  return {promql::WithoutParens(*all.front()).As<Call>(), selector->name, plain && all.size() == 1};
}

ExprPtr WithoutSum(const ExprPtr& expr) {
  const auto* aggregation = promql::WithoutParens(*expr).As<Aggregation>();
  return aggregation != nullptr ? aggregation->expr : expr;
}

/// The quantile of the buckets, added up by the labels of the average.
void MendOverSeries(Expr& node, const Aggregation& average, const Call& quantile) {
  Aggregation inner;
  inner.op = AggregateOp::kSum;
  inner.grouping = average.grouping;
  inner.labels = average.labels;
  if (inner.grouping != promql::Grouping::kWithout) {
    inner.grouping = promql::Grouping::kBy;
    if (!Contains(inner.labels, "le")) {
      inner.labels.push_back("le");
    }
  }
  inner.expr = WithoutSum(quantile.args[1]);
  Call mended = quantile;
  mended.args[1] = promql::MakeExpr(inner, ValueKind::kVector);
  node.node = mended;
  node.kind = ValueKind::kVector;
}

/// The quantile over the whole range, instead of the average of those over its parts.
void MendOverTime(Expr& node, const Call& quantile, std::int64_t range_ms) {
  Call mended = quantile;
  mended.args[1] = promql::Rewrite(quantile.args[1], [&](Expr& below) {
    auto* selector = std::get_if<Selector>(&below.node);
    if (selector != nullptr && selector->range_ms > 0) {
      selector->range_ms = std::max(selector->range_ms, range_ms);
    }
  });
  node.node = mended;
  node.kind = ValueKind::kVector;
}

void Judge(const std::string& outer, const Quantile& quantile, const LintNote& note) {
  note("averaged-quantiles",
       Message("lint.averages", {{"outer", outer}, {"quantile", quantile.name}}),
       WriteInstead(kFix));
}

}  // namespace

bool IsHistogramQuantile(const Expr& expr) {
  const auto* call = promql::WithoutParens(expr).As<Call>();
  return call != nullptr && call->function->id == FunctionId::kHistogramQuantile &&
         call->args.size() == 2;
}

RecordedRules FindRecordedRules(const std::vector<LintRule>& rules) {
  RecordedRules recorded;
  for (const LintRule& rule : rules) {
    if (rule.alerting || rule.panel || rule.name.empty()) continue;
    try {
      const ExprPtr tree = promql::Parse(rule.expr);
      auto& all = recorded[rule.name];
      if (std::none_of(all.begin(), all.end(),
                       [&](const auto& known) { return promql::SameTree(*known, *tree); })) {
        all.push_back(tree);
      }
    } catch (const Error&) {
      // Its own finding, "syntax".
    }
  }
  return recorded;
}

const Call* QuantileOf(const Expr& expr, const RecordedRules& recorded) {
  return QuantileBehind(expr, recorded).call;
}

void MendAveragedQuantiles(Expr& node, const RecordedRules& recorded, const LintNote& note) {
  if (const auto* aggregation = std::get_if<Aggregation>(&node.node)) {
    if (!Averages(aggregation->op)) return;
    const Quantile quantile = QuantileBehind(*aggregation->expr, recorded);
    if (quantile.call == nullptr) return;
    Judge(std::string(ToString(aggregation->op)), quantile, note);
    if (quantile.mendable) MendOverSeries(node, Aggregation(*aggregation), Call(*quantile.call));
    return;
  }
  const auto* call = std::get_if<Call>(&node.node);
  if (call == nullptr || !AveragesOverTime(call->function->id) || call->args.empty()) return;
  const Expr& argument = promql::WithoutParens(*call->args[0]);
  const auto* subquery = argument.As<promql::Subquery>();
  const auto* selector = argument.As<Selector>();
  const Quantile quantile =
      QuantileBehind(subquery != nullptr ? *subquery->expr : argument, recorded);
  if (quantile.call == nullptr) return;
  Judge(std::string(call->function->name), quantile, note);
  const std::int64_t range =
      subquery != nullptr ? subquery->range_ms : (selector != nullptr ? selector->range_ms : 0);
  if (quantile.mendable && range > 0) MendOverTime(node, Call(*quantile.call), range);
}

}  // namespace schedlens
