#include "report/stage_tree.h"

#include <algorithm>
#include <map>
#include <set>

#include "kube/stage.h"

namespace schedlens {

namespace {

StageLine LineOf(const Diagnosis& d, const StageTime& stage, int depth) {
  StageLine line{&stage, depth, StageName(d, stage), {}};
  const bool below = depth > 0 && !stage.parent.empty() && line.name.size() > stage.parent.size() &&
                     line.name.starts_with(stage.parent);
  line.label = below ? line.name.substr(stage.parent.size()) : line.name;
  return line;
}

}  // namespace

std::string StageName(const Diagnosis& d, const StageTime& stage) {
  constexpr std::string_view kRemainder = ".unmeasured";
  if (stage.id != stage.parent + std::string(kRemainder)) return stage.id;
  const std::string named = stage.parent + ".extender";
  const bool found = std::any_of(d.findings.begin(), d.findings.end(), [&](const Finding& finding) {
    return finding.id == named && finding.confidence != Confidence::kPossible;
  });
  return found ? named : stage.id;
}

std::vector<StageLine> StageTree(const Diagnosis& d) {
  std::set<std::string> ids;
  for (const StageTime& stage : d.stages) ids.insert(stage.id);
  std::multimap<std::string, const StageTime*> children;
  std::vector<StageLine> pending;  // a stack: the next line is at its end
  for (const StageTime& stage : d.stages) {
    if (ids.count(stage.parent) > 0) {
      children.emplace(stage.parent, &stage);
    } else {
      pending.insert(pending.begin(), LineOf(d, stage, 0));
    }
  }
  std::vector<StageLine> lines;
  while (!pending.empty()) {
    lines.push_back(pending.back());
    pending.pop_back();
    const StageLine& line = lines.back();
    const auto [first, last] = children.equal_range(line.stage->id);
    for (auto it = last; it != first;) {
      --it;
      pending.push_back(LineOf(d, *it->second, line.depth + 1));
    }
  }
  return lines;
}

bool IsMinorPlugin(const StageTime& stage) {
  const bool plugin = stage.id.find('/') != std::string::npos;
  return plugin && stage.share.value.value_or(0) < 0.01 && stage.baseline_share.value_or(0) < 0.01;
}

bool IsIdle(const StageTime& stage) {
  const auto none = [](const std::optional<double>& seconds) { return !seconds || *seconds == 0; };
  return none(stage.seconds.value) && none(stage.baseline_seconds);
}

IdleStages IdleStagesOf(const Diagnosis& d) {
  IdleStages idle;
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    if (IsMinorPlugin(stage) || !IsIdle(stage)) continue;
    if (stage.seconds.value) {
      idle.without_time.push_back(stage.id);
    } else if (stage.id !=
               ToString(kube::Stage::kUnmeasured)) {  // it is a part of bind.unmeasured then
      idle.not_measured.push_back(stage.id);
    }
  }
  return idle;
}

}  // namespace schedlens
