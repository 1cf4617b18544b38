// The PromQL parser and evaluator on arbitrary text: errors are Error, what parses prints and reads
// back to the same tree, and evaluating it over a few series neither crashes nor hangs.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "promql/alert_expression.h"
#include "promql/evaluate.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace {

using namespace schedlens;

promql::SeriesStore Store() {
  std::vector<Series> all;
  for (const char* le : {"0.1", "1", "+Inf", "x"}) {
    Series series;
    series.labels = Labels({{"__name__", "m"}, {"a", "1"}, {"le", le}});
    for (int i = 0; i < 20; ++i) {
      series.samples.push_back({i * 15'000, i == 7 ? StaleMarker() : i % 9 * 1.5});
    }
    all.push_back(std::move(series));
  }
  return promql::SeriesStore(std::move(all));
}

void Check(bool holds) {
  if (!holds) std::abort();
}

void Ask(const promql::SeriesStore& store, const std::string& text, const char* version,
         TimeMs end) {
  promql::EvaluateOptions options;
  options.semantics = ParseSemantics(version);
  try {
    promql::Evaluate(store, {text, 200'000, end, 20'000}, options);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 2000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  promql::ExprPtr tree;
  try {
    tree = promql::Parse(text);
  } catch (const Error& error) {
    Check(error.kind() == ErrorKind::kUsage);
    Check(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return 0;
  }
  Check(promql::SameTree(*tree, *promql::Parse(promql::ToString(*tree))));
  promql::ParseAlertExpression(text);
  // A huge range of a tiny subquery step is honest work, but not this program's.
  bool quick = true;
  promql::Walk(*tree, [&](const promql::Expr& expr) {
    if (expr.As<promql::Subquery>() != nullptr) quick = false;
  });
  if (!quick) return 0;
  static const promql::SeriesStore store = Store();
  Ask(store, text, "2.20", 200'000);
  Ask(store, text, "3.13", 260'000);
  Ask(store, text, "victoriametrics", 260'000);
  return 0;
}
