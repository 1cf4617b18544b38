#include "analysis/quantile/rows.h"

#include <algorithm>
#include <string>

#include "analysis/quantile/quantile.h"
#include "kube/words.h"

namespace schedlens {
namespace {

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};

/// The children of the family that have the label's value; all of them without a label.
std::vector<ScrapeIncreases> ChildrenOf(const std::vector<ScrapeIncreases>& cells,
                                        const std::string& family, std::string_view label,
                                        std::string_view value) {
  std::vector<ScrapeIncreases> out;
  if (family.empty()) return out;  // composed of others, without buckets
  for (const ScrapeIncreases* child : Select(cells, label, value)) {
    if (child->family == family) out.push_back(*child);
  }
  return out;
}

}  // namespace

std::vector<QuantileRow> QuantileRows(const Histograms& histograms, const WindowIncreases& cells,
                                      const Semantics& semantics) {
  const std::vector<ScrapeIncreases>* const all[] = {&cells.attempt,        &cells.algorithm,
                                                     &cells.binding,        &cells.extension_point,
                                                     &cells.pod_scheduling, &cells.superseded};
  std::vector<QuantileRow> rows;
  const auto add = [&](const std::string& family, std::vector<ScrapeIncreases> children,
                       const std::vector<std::string>& by) {
    const LinkedHistograms linked = LinkHistograms(std::move(children), all);
    for (const HistogramGroup& group : GroupBy(linked, promql::Grouping::kBy, by)) {
      for (const auto& explained : ExplainGroup(group, family, kQuantiles, semantics)) {
        rows.push_back(RowOf(explained));
      }
    }
  };
  const auto of = [&](const HistogramFacts& histogram, const std::vector<ScrapeIncreases>& found,
                      std::string_view label = "", std::string_view value = "") {
    return ChildrenOf(found, histogram.family, label, value);
  };
  add(histograms.attempt.family, of(histograms.attempt, cells.attempt), {"result"});
  add(histograms.algorithm.family, of(histograms.algorithm, cells.algorithm), {});
  add(histograms.binding.family, of(histograms.binding, cells.binding), {});
  add(histograms.extension_point.family,
      of(histograms.extension_point, cells.extension_point, "extension_point",
         ToString(kube::ExtensionPoint::kBind)),
      {"extension_point"});
  return rows;
}

}  // namespace schedlens
