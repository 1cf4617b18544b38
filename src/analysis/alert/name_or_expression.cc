#include "analysis/alert/name_or_expression.h"

#include <algorithm>
#include <cctype>

#include "kube/metrics.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

bool IsNumber(const promql::Expr& expr) {
  const auto* unary = expr.As<promql::Unary>();
  return (unary != nullptr ? *unary->expr : expr).As<promql::NumberLiteral>() != nullptr;
}

}  // namespace

bool LooksLikeName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ':' || c == '-' || c == '.' || c == ' ';
  });
}

bool ReadsAsExpression(const std::string& text,
                       const std::function<bool(const std::string&)>& answered) {
  const bool several_words = text.find(' ') != std::string::npos;
  try {
    const promql::ExprPtr expr = promql::Parse(text);
    const auto* selector = expr->As<promql::Selector>();
    if (selector != nullptr && selector->name == text) return kube::FindMetric(text) != nullptr;
    return several_words || IsNumber(*expr);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return several_words && answered && answered(text);
  }
}

}  // namespace schedlens
