#include "analysis/lint/buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analysis/lint/variables.h"
#include "analysis/lint/words.h"
#include "kube/metrics.h"
#include "model/text.h"
#include "promql/ast.h"
#include "promql/functions.h"

namespace schedlens {
namespace {

using kube::MetricRow;
using kube::Presence;
using promql::Aggregation;
using promql::Call;
using promql::Expr;
using promql::ExprPtr;
using promql::Selector;

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

}  // namespace

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

}  // namespace schedlens
