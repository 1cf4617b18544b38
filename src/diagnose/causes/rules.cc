#include "diagnose/causes/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/causes/rules_tables.h"
#include "kube/metrics.h"

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
  constexpr double kFollowsLoop = 0.5;
  constexpr double kDearer = 0.5;
  if (!c.now.cpu || c.now.cpu->cores < kBusyCores) return false;
  // A limiter that is known to have held the binds back explains them already.
  if (c.limiter && c.limiter->low > 0.5 * c.now.breakdown.Seconds(kube::Stage::kBindPlugins)) {
    return false;
  }
  if (c.baseline && c.baseline->cpu && c.now.cpu->cores < kRise * c.baseline->cpu->cores) {
    return false;
  }
  // More attempts keep the processor busy too; short of it, each takes longer.
  const double growth = c.Growth(kube::Stage::kAlgorithm);
  if (!(growth > 0) || c.CostGrowth(kube::Stage::kAlgorithm) < kDearer * growth) return false;
  return c.bind_follows_loop > kFollowsLoop;
}

bool HoldsLoop(const WindowEvidence& c, kube::Stage stage) {
  constexpr double kCostlier = 5;    // times the baseline, an observation
  constexpr double kPart = 0.3;      // of what the loop's stages cost more
  constexpr double kBusyPart = 0.5;  // of the time
  constexpr double kLeastWait = 0.1;
  if (!kube::RunsInLoop(stage) || !c.baseline || c.baseline->breakdown.scheduled() < 1)
    return false;
  const auto mean = [stage](const TimeBreakdown& breakdown) {
    return breakdown.Seconds(stage) / std::max(1.0, RunsOf(breakdown, stage));
  };
  // A point that did not run before runs more often now; nothing says that it became slower.
  const double before = mean(c.baseline->breakdown);
  if (!(before > 0) || mean(c.now.breakdown) < kCostlier * before) return false;
  double costlier = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    const bool leaf = row.stage != kube::Stage::kAlgorithm && kube::RunsInLoop(row.stage);
    if (leaf && c.now.breakdown.seconds.contains(row.stage)) {
      costlier += std::max(0.0, c.CostGrowth(row.stage));
    }
  }
  if (!(c.CostGrowth(stage) > 0) || c.CostGrowth(stage) < kPart * costlier) return false;
  if (c.loop.busy >= kBusyPart) return true;
  if (!c.loop.wait || !c.loop.wait_before) return false;
  if (*c.loop.wait < std::max(kLeastWait, kCostlier * *c.loop.wait_before)) return false;
  const double slower = c.now.breakdown.e2e.mean() - c.baseline->breakdown.e2e.mean();
  return *c.loop.wait - *c.loop.wait_before >= kBusyPart * slower;
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
