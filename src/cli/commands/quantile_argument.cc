#include "cli/commands/quantile_argument.h"

#include "promql/parser.h"

namespace schedlens {

QuantileRequest ReadQuantileArgument(const std::string& text, const std::string& selector) {
  QuantileRequest request;
  request.selector = selector;
  const promql::ExprPtr expr = promql::Parse(text);
  const auto* plain = promql::WithoutParens(*expr).As<promql::Selector>();
  if (plain == nullptr || plain->name.empty() || plain->range_ms > 0) {
    request.expression = promql::ParseAlertExpression(text);
    return request;
  }
  request.metric = plain->name;
  const std::string own = promql::MatchersToString(*plain);
  request.selector += (own.empty() || selector.empty() ? "" : ",") + own;
  return request;
}

}  // namespace schedlens
