#include "lint/quantiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/text.h"
#include "kube/metrics.h"
#include "lint/names.h"
#include "lint/variables.h"
#include "promql/alert_expression.h"
#include "promql/ast.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using kube::MetricRow;
using kube::Presence;
using promql::AggregateOp;
using promql::Aggregation;
using promql::Call;
using promql::Expr;
using promql::ExprPtr;
using promql::Selector;

constexpr char kFix[] = "histogram_quantile(q, sum by (le) (rate(...)))";

bool Averages(AggregateOp op) {
  return op == AggregateOp::kAvg || op == AggregateOp::kSum || op == AggregateOp::kStddev ||
         op == AggregateOp::kStdvar;
}

bool AveragesOverTime(const promql::Function& function) {
  return function.Is({"avg_over_time", "sum_over_time", "stddev_over_time", "stdvar_over_time"});
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

bool AnyVariable(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return HoldsVariable(name); });
}

/// Percent where a fraction is wanted shows +Inf for ever.
void MendRank(Call& call, const LintNote& note) {
  const auto* rank = promql::WithoutParens(*call.args[0]).As<promql::NumberLiteral>();
  if (rank == nullptr || (rank->value >= 0 && rank->value <= 1)) return;
  const bool percent = rank->value > 1 && rank->value <= 100;
  const double meant = rank->value / 100;
  note("quantile-out-of-range", Message("lint.rank", {{"rank", arg::Number(rank->value)}}),
       percent ? WriteInstead(FormatNumber(meant)) : Message());
  if (percent) call.args[0] = MakeExpr(promql::NumberLiteral{meant}, ValueKind::kScalar);
}

/// A bare `x_bucket` counts since process start: the quantile of a lifetime.
ExprPtr MendRate(const ExprPtr& expr, std::int64_t window_ms, const LintNote& note) {
  if (const auto* selector = promql::WithoutParens(*expr).As<Selector>()) {
    if (selector->range_ms > 0 || !selector->name.ends_with("_bucket")) return expr;
    note("missing-rate", Message("lint.rate", {{"metric", arg::Metric(selector->name)}}),
         WriteInstead(fmt::format("rate({}[{}])", selector->name, FormatDuration(window_ms))));
    Selector ranged = *selector;
    ranged.range_ms = window_ms;
    Call rate{promql::FindFunction("rate"), {MakeExpr(ranged, ValueKind::kMatrix)}};
    return MakeExpr(rate, ValueKind::kVector);
  }
  if (const auto* aggregation = promql::WithoutParens(*expr).As<Aggregation>()) {
    Aggregation mended = *aggregation;
    mended.expr = MendRate(aggregation->expr, window_ms, note);
    return MakeExpr(mended, ValueKind::kVector);
  }
  return expr;
}

/// The family's selector below a node, if there is one.
const Selector* SelectorBelow(const Expr& expr) {
  const Selector* found = nullptr;
  promql::Walk(expr, [&](const Expr& node) {
    if (const auto* s = node.As<Selector>(); s != nullptr && found == nullptr) found = s;
  });
  return found;
}

/// A native histogram has no buckets by name, and so no `le`.
bool IsNative(const Expr& expr) {
  const Selector* selector = SelectorBelow(expr);
  if (selector == nullptr || selector->name.ends_with("_bucket")) return false;
  const MetricRow* row = kube::FindMetric(selector->name);
  return row != nullptr && row->name == selector->name && row->kind == kube::MetricKind::kHistogram;
}

void MendLe(Aggregation& aggregation, const LintNote& note) {
  auto& labels = aggregation.labels;
  if (IsNative(*aggregation.expr)) return;
  if (aggregation.grouping == promql::Grouping::kWithout) {
    if (!Contains(labels, "le")) return;
    labels.erase(std::remove(labels.begin(), labels.end(), "le"), labels.end());
  } else {
    if (Contains(labels, "le") || AnyVariable(labels)) return;
    aggregation.grouping = promql::Grouping::kBy;
    labels.push_back("le");
  }
  note("missing-le", Message("lint.le"),
       WriteInstead(fmt::format("{} by (le, ...)", ToString(aggregation.op))));
}

/// Not mended: the rule would answer with other series than its readers expect.
void JudgeResults(const Aggregation& aggregation, const LintOptions& options,
                  const LintNote& note) {
  const Selector* selector = SelectorBelow(*aggregation.expr);
  if (selector == nullptr) return;
  const MetricRow* row = kube::FindMetric(selector->name);
  if (row == nullptr) return;
  const int release = options.release.value_or(kube::kNewestRelease);
  if (PresenceIn(*row, release) == Presence::kNotYet) return;
  const auto& own = EraIn(*row, release).labels;
  if (std::find(own.begin(), own.end(), "result") == own.end()) return;
  const bool chosen =
      std::any_of(selector->matchers.begin(), selector->matchers.end(), [](const auto& matcher) {
        return matcher.name == "result" && matcher.op == promql::MatchOp::kEqual;
      });
  const auto& labels = aggregation.labels;
  const bool without = aggregation.grouping == promql::Grouping::kWithout;
  if (chosen || AnyVariable(labels) || Contains(labels, "result") != without) return;
  note("mixed-results", Message("lint.results", {{"metric", arg::Metric(row->name)}}),
       Message("lint.results.fix"));
}

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

bool IsHistogramQuantile(const Expr& expr) {
  const auto* call = promql::WithoutParens(expr).As<Call>();
  return call != nullptr && call->function->name == "histogram_quantile" && call->args.size() == 2;
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
  if (call == nullptr || !AveragesOverTime(*call->function) || call->args.empty()) return;
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

void MendQuantileCall(Call& call, const LintOptions& options, std::int64_t window_ms,
                      const LintNote& note) {
  MendRank(call, note);
  call.args[1] = MendRate(call.args[1], window_ms, note);
  Expr argument = promql::WithoutParens(*call.args[1]);
  auto* aggregation = std::get_if<Aggregation>(&argument.node);
  if (aggregation == nullptr) return;
  MendLe(*aggregation, note);
  JudgeResults(*aggregation, options, note);
  call.args[1] = std::make_shared<const Expr>(argument);
}

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
