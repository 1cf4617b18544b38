#include "analysis/alert/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/collect/targets.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

bool IsMeasurement(std::string_view label) {
  const std::vector<std::string>& labels = MeasurementLabels();
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The matchers as written, without braces.
std::string TextOf(const std::vector<promql::Matcher>& matchers) {
  promql::Selector selector;
  selector.matchers = matchers;
  const std::string text = promql::ToString(promql::Expr{.node = selector});
  return matchers.empty() ? "" : text.substr(1, text.size() - 2);
}

}  // namespace

std::vector<std::string> TargetSelectors(const promql::AlertExpression& alert,
                                         const Labels& firing) {
  std::vector<promql::Matcher> matchers = alert.matchers;
  std::erase_if(matchers, [](const promql::Matcher& m) { return IsMeasurement(m.name); });
  std::vector<std::string> selectors = {TextOf(matchers)};
  for (const auto& [name, value] : NameLabels(firing)) {
    const promql::Matcher one{promql::MatchOp::kEqual, std::string(name), std::string(value)};
    if (std::find(matchers.begin(), matchers.end(), one) == matchers.end()) {
      matchers.push_back(one);
    }
  }
  selectors.insert(selectors.begin(), TextOf(matchers));
  selectors.erase(std::unique(selectors.begin(), selectors.end()), selectors.end());
  std::erase(selectors, "");
  return selectors;
}

}  // namespace schedlens
