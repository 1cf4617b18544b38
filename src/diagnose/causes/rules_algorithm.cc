// Rules about the scheduling loop: its extension points, extenders in it, and the processor.

#include <fmt/format.h>

#include <algorithm>

#include "diagnose/causes/rules_tables.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;

std::optional<CauseCandidate> JudgePoint(const WindowEvidence& c, kube::Stage stage) {
  const kube::ExtensionPoint point = RowOf(stage).point.value();
  // More failed attempts run the points more often: that is `attempts.unschedulable`, not a slow
  // point. Only costlier runs count here.
  const double growth = c.CostGrowth(stage);
  if (growth <= 0) return std::nullopt;
  CauseCandidate s{.stage = stage, .growth = growth, .proven_within = true};
  s.evidence.push_back(StageEvidence(c, stage, std::string(ToString(point)), PointQuery(c, point)));
  const Amount now = c.now.breakdown.points[point];
  if (c.baseline && now.count > 0) {
    s.evidence.push_back(
        {Message("evidence.point.mean",
                 {{"now", arg::Duration(now.mean())},
                  {"before", arg::Duration(c.baseline->breakdown.points[point].mean())}}),
         ""});
  }
  return s;
}

std::optional<CauseCandidate> JudgePreFilter(const WindowEvidence& c) {
  return JudgePoint(c, kube::Stage::kPreFilter);
}
std::optional<CauseCandidate> JudgeFilter(const WindowEvidence& c) {
  return JudgePoint(c, kube::Stage::kFilter);
}
std::optional<CauseCandidate> JudgePreScore(const WindowEvidence& c) {
  return JudgePoint(c, kube::Stage::kPreScore);
}
std::optional<CauseCandidate> JudgeScore(const WindowEvidence& c) {
  return JudgePoint(c, kube::Stage::kScore);
}

/// The loop waited for something that is no extension point. It waited, rather than computed, where
/// the unmeasured time grew by more than all CPU time of the process; the converse proves nothing.
std::optional<CauseCandidate> JudgeAlgorithmExtender(const WindowEvidence& c) {
  // Without the extension points the difference is all of the algorithm.
  if (c.now.cells.extension_point.empty()) return std::nullopt;
  const double growth = c.Growth(kube::Stage::kAlgorithmUnmeasured);
  if (growth <= 0) return std::nullopt;
  const bool waited = c.now.cpu && growth > c.now.cpu->seconds;
  CauseCandidate s{.stage = kube::Stage::kAlgorithmUnmeasured, .growth = growth, .tie = !waited};
  s.evidence.push_back(StageEvidence(c, kube::Stage::kAlgorithmUnmeasured,
                                     Message("evidence.stage.algorithm_rest"), ""));
  if (c.now.cpu) {
    s.evidence.push_back(
        {Message(waited ? "evidence.extender.waited" : "evidence.extender.unproven",
                 {{"growth", arg::Duration(growth)}, {"cpu", arg::Duration(c.now.cpu->seconds)}}),
         IncreaseQuery(c, NameOf(Metric::kProcessCpu), "")});
  }
  return s;
}

std::optional<CauseCandidate> JudgeCpuStarved(const WindowEvidence& c) {
  if (!CpuStarved(c)) return std::nullopt;
  CauseCandidate s{.growth = std::max(0.0, c.Growth(kube::Stage::kBindPlugins)), .companion = true};
  Message cores("evidence.cpu", {{"cores", arg::Number(c.now.cpu->cores)}});
  if (c.baseline && c.baseline->cpu) {
    cores.id = "evidence.cpu.baseline";
    cores.args.push_back({"before", arg::Number(c.baseline->cpu->cores)});
  }
  s.evidence.push_back({std::move(cores), IncreaseQuery(c, NameOf(Metric::kProcessCpu), "")});
  s.evidence.push_back({Message("evidence.cpu.bind_follows_loop",
                                {{"correlation", arg::Number(c.bind_follows_loop)}}),
                        ""});
  return s;
}

}  // namespace

std::vector<CauseRule> AlgorithmRules() {
  return {{ToString(kube::Stage::kPreFilter), JudgePreFilter},
          {ToString(kube::Stage::kFilter), JudgeFilter},
          {ToString(kube::Stage::kPreScore), JudgePreScore},
          {ToString(kube::Stage::kScore), JudgeScore},
          {"algorithm.extender", JudgeAlgorithmExtender},
          {"algorithm.cpu-starved", JudgeCpuStarved}};
}

}  // namespace schedlens
