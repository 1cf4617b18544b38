#include "analysis/lint/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kube/metrics.h"
#include "model/text.h"
#include "promql/alert_expression.h"
#include "promql/functions.h"

namespace schedlens {
namespace {

using promql::Aggregation;
using promql::Binary;
using promql::BinaryOp;
using promql::Expr;

/// Whether `count OP number` asks for a count below 1.
bool AsksForNone(BinaryOp op, double number) {
  return (op == BinaryOp::kEqual && number == 0) ||
         (op == BinaryOp::kLess && number > 0 && number <= 1) ||
         (op == BinaryOp::kLessEqual && number >= 0 && number < 1);
}

BinaryOp Mirrored(BinaryOp op) {
  return op == BinaryOp::kGreater        ? BinaryOp::kLess
         : op == BinaryOp::kGreaterEqual ? BinaryOp::kLessEqual
         : op == BinaryOp::kEqual        ? op
                                         : BinaryOp::kAdd;
}

/// Of the scheduler's own metrics, or with a `job` that is called after it.
bool IsOfScheduler(const Expr& expr) {
  if (promql::IsAboutScheduler(expr)) return true;
  const std::string_view word = kube::kOwnPrefix.substr(0, kube::kOwnPrefix.size() - 1);
  bool found = false;
  promql::Walk(expr, [&](const Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    if (selector == nullptr) return;
    found = found || std::any_of(selector->matchers.begin(), selector->matchers.end(),
                                 [&](const promql::Matcher& matcher) {
                                   return matcher.name == "job" &&
                                          matcher.value.find(word) != std::string::npos;
                                 });
  });
  return found;
}

}  // namespace

void MendCountOfNothing(Expr& node, const LintNote& note) {
  const auto* binary = std::get_if<Binary>(&node.node);
  if (binary == nullptr || binary->return_bool || !promql::IsComparison(binary->op)) return;
  const Expr* counted = &promql::WithoutParens(*binary->lhs);
  const Expr* limit = &promql::WithoutParens(*binary->rhs);
  BinaryOp op = binary->op;
  if (counted->As<promql::NumberLiteral>() != nullptr) {
    std::swap(counted, limit);
    op = Mirrored(op);
  }
  const auto* number = limit->As<promql::NumberLiteral>();
  const auto* count = counted->As<Aggregation>();
  if (number == nullptr || count == nullptr || count->op != promql::AggregateOp::kCount) return;
  if (!AsksForNone(op, number->value) || !IsOfScheduler(*count->expr)) return;
  const std::string absent = fmt::format("absent({})", ToString(*count->expr));
  note("count-of-nothing",
       Message("lint.count_zero", {{"comparison", std::string(promql::ToString(op))},
                                   {"number", arg::Number(number->value)}}),
       WriteInstead(absent));
  if (count->grouping != promql::Grouping::kNone) return;
  node.node = promql::Call{promql::FindFunction("absent"), {count->expr}};
  node.kind = ValueKind::kVector;
}

}  // namespace schedlens
