#include "analysis/quantile/rows.h"

#include <fmt/format.h>

#include "analysis/quantile/quantile.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};

/// One histogram to show: its grouping, and matchers that pick a part of it.
struct Shown {
  std::string family;
  std::string_view by;
  std::string_view matchers;
};

}  // namespace

std::vector<QuantileRow> QuantileRows(Source& source, const Facts& facts,
                                      const Histograms& histograms, const TimeRange& window,
                                      const Semantics& semantics) {
  const Shown shown[] = {
      {histograms.attempt.family, "le, result", ""},
      {histograms.algorithm.family, "le", ""},
      {histograms.binding.family, "le", ""},
      {histograms.extension_point.family, "le, extension_point", "extension_point=\"Bind\""},
  };
  std::vector<QuantileRow> rows;
  for (const Shown& s : shown) {
    if (s.family.empty()) continue;
    std::string selector(s.matchers);
    if (!facts.selector.empty()) selector += (selector.empty() ? "" : ", ") + facts.selector;
    QuantileRequest request;
    request.expression = promql::ParseAlertExpression(
        fmt::format("histogram_quantile(0.99, sum by ({}) (rate({}_bucket{{{}}}[5m])))", s.by,
                    s.family, selector));
    request.window = window;
    request.semantics = semantics;
    try {
      for (const HistogramGroup& group : FetchQuantileGroups(source, request).groups) {
        for (const auto& explained : ExplainGroup(group, s.family, kQuantiles, semantics)) {
          rows.push_back(RowOf(explained));
        }
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInsufficientData) throw;
    }
  }
  return rows;
}

}  // namespace schedlens
