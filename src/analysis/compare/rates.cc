#include "analysis/compare/rates.h"

#include <algorithm>
#include <cmath>

#include "contract/source.h"
#include "promql/ast.h"
#include "promql/functions.h"

namespace schedlens {
namespace {

bool HoldsQuantile(const promql::Expr& expr) {
  bool holds = false;
  promql::Walk(expr, [&](const promql::Expr& node) {
    const auto* call = node.As<promql::Call>();
    holds =
        holds || (call != nullptr && call->function->id == promql::FunctionId::kHistogramQuantile);
  });
  return holds;
}

bool Joins(promql::BinaryOp op) {
  return promql::IsComparison(op) || op == promql::BinaryOp::kOr || op == promql::BinaryOp::kAnd ||
         op == promql::BinaryOp::kUnless;
}

/// The side of the comparisons (and of and, or, unless) that holds the quantile.
std::string WithoutComparison(const promql::AlertExpression& alert) {
  const promql::Expr* node = &promql::WithoutParens(*alert.ast);
  while (const auto* binary = node->As<promql::Binary>()) {
    if (!Joins(binary->op)) break;
    node = &promql::WithoutParens(HoldsQuantile(*binary->lhs) ? *binary->lhs : *binary->rhs);
  }
  return promql::ToString(*node);
}

std::optional<double> Ask(Source& source, const QuantileRequest& request, Rates* out) {
  if (request.lifetime) return std::nullopt;
  const auto& alert = request.expression;
  // With a quantile of its own (-q) the expression's text asks for another one.
  const bool own_q = alert && (!request.q || request.q == alert->quantile);
  const std::string expr = !alert ? ExpressionFor(request) : WithoutComparison(*alert);
  if (alert && !own_q) return std::nullopt;
  out->queries.push_back(expr);
  const Answer answer = source.Ask({expr, request.window.end, request.window.end, 0});
  for (const auto* notes : {&answer.warnings, &answer.infos}) {
    for (const std::string& note : *notes) {
      out->repaired =
          out->repaired || note.find("needed to be fixed for monotonicity") != note.npos;
      out->notes.push_back(SourceNote(note));
    }
  }
  std::optional<double> value;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    double shown = series.samples.back().v;
    if (alert) shown = (shown - alert->added) / alert->scale;
    value = std::max(value.value_or(-HUGE_VAL), shown);
  }
  return value;
}

}  // namespace

Rates AskRates(Source& source, const CompareRequest& request) {
  Rates rates;
  rates.part = Ask(source, request.part, &rates);
  rates.whole = Ask(source, request.whole, &rates);
  return rates;
}

}  // namespace schedlens
