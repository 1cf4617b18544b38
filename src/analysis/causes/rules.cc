#include "analysis/causes/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/causes/rules_tables.h"
#include "kube/metrics.h"
#include "model/text.h"

namespace schedlens {

const std::vector<CauseRule>& Rules() {
  static const std::vector<CauseRule> rules = [] {
    std::vector<CauseRule> all;
    for (const auto& part : {AlgorithmRules(), AttemptRules(), BindRules()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return rules;
}

bool CpuStarved(const WindowEvidence& c) {
  // A processor less than a third used is not short, and one as used as before was not the change.
  constexpr double kBusyCores = 0.3;
  constexpr double kRise = 2;
  // Near zero where the API server is slow; well above one half where binds wait for the processor.
  constexpr double kFollows = 0.5;
  constexpr double kDearer = 0.5;
  if (!c.now.cpu || c.now.cpu->cores < kBusyCores) return false;
  if (c.baseline && c.baseline->cpu && c.now.cpu->cores < kRise * c.baseline->cpu->cores) {
    return false;
  }
  // More attempts keep the processor busy too; short of it, each takes longer.
  const double growth = c.Growth(kube::Stage::kAlgorithm);
  if (!(growth > 0) || c.CostGrowth(kube::Stage::kAlgorithm) < kDearer * growth) return false;
  return c.bind_follows_loop > kFollows;
}

std::string IncreaseQuery(const WindowEvidence& c, std::string_view metric,
                          std::string_view matchers) {
  std::string selector(matchers);
  if (!c.selector.empty()) {
    selector += (selector.empty() ? "" : ", ") + c.selector;
  }
  const TimeRange& window = c.now.breakdown.window;
  return fmt::format("sum(increase({}{}[{}]{}))", metric,
                     selector.empty() ? "" : "{" + selector + "}",
                     FormatDuration(window.end - window.start),
                     fmt::format(" @ {}", FormatNumber(static_cast<double>(window.end) / 1000)));
}

Evidence StageEvidence(const WindowEvidence& c, kube::Stage stage, const Value& what,
                       std::string query) {
  const TimeBreakdown& now = c.now.breakdown;
  const double seconds = now.Seconds(stage);
  Message text("evidence.stage",
               {{"stage", what},
                {"spent", arg::Duration(seconds)},
                {"all", arg::Duration(now.e2e.seconds)},
                {"share", arg::Share(seconds / std::max(1e-12, now.e2e.seconds))}});
  if (c.baseline && now.scheduled() > 0 && c.baseline->breakdown.scheduled() > 0) {
    text.id = "evidence.stage.baseline";
    text.args.push_back({"now", arg::Duration(seconds / now.scheduled())});
    text.args.push_back({"before", arg::Duration(c.baseline->breakdown.Seconds(stage) /
                                                 c.baseline->breakdown.scheduled())});
  }
  return {std::move(text), std::move(query)};
}

std::string PointQuery(const WindowEvidence& c, kube::ExtensionPoint point) {
  return IncreaseQuery(c, SumOf(kube::Metric::kExtensionPoint), PointMatcher(point));
}

std::string PointMatcher(kube::ExtensionPoint point) {
  return fmt::format("extension_point=\"{}\"", ToString(point));
}

}  // namespace schedlens
