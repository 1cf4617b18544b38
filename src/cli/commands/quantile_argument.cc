#include "cli/commands/quantile_argument.h"

#include <fmt/format.h>

#include "model/text.h"
#include "promql/metricsql.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

double ReadQ(const std::string& text) {
  const auto q = ParseNumber(text);
  if (q && *q >= 0 && *q <= 1) return *q;
  if (q && *q > 1 && *q <= 100) {
    throw Error(ErrorKind::kUsage,
                fmt::format("-q {}: expected a number from 0 to 1; p{} is -q {:.6g}", text, text,
                            *q / 100));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("-q {}: expected a number from 0 to 1, such as 0.99", text));
}

}  // namespace

QuantileRequest ReadQuantileArgument(const std::string& text, const std::string& selector) {
  QuantileRequest request;
  request.selector = selector;
  const promql::ExprPtr expr = promql::Parse(promql::WrittenOut(text));
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

Option QuantileOption(const std::string& help, std::optional<double>* q) {
  return {
      .names = "-q,--quantile", .value = "Q", .help = help, .target = [q](const std::string& text) {
        *q = ReadQ(text);
      }};
}

}  // namespace schedlens
