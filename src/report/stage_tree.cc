#include "report/stage_tree.h"

#include <map>
#include <set>

#include "kube/stage.h"

namespace schedlens {

namespace {

std::string Label(const StageTime& stage, int depth) {
  const bool below = depth > 0 && !stage.parent.empty() && stage.id.size() > stage.parent.size() &&
                     stage.id.compare(0, stage.parent.size(), stage.parent) == 0;
  return below ? stage.id.substr(stage.parent.size()) : stage.id;
}

}  // namespace

std::vector<StageLine> StageTree(const std::vector<StageTime>& stages) {
  std::set<std::string> ids;
  for (const StageTime& stage : stages) ids.insert(stage.id);
  std::multimap<std::string, const StageTime*> children;
  std::vector<StageLine> pending;  // a stack: the next line is at its end
  for (const StageTime& stage : stages) {
    if (ids.count(stage.parent) > 0) {
      children.emplace(stage.parent, &stage);
    } else {
      pending.insert(pending.begin(), {&stage, 0, Label(stage, 0)});
    }
  }
  std::vector<StageLine> lines;
  std::set<const StageTime*> shown;
  const auto walk = [&] {
    while (!pending.empty()) {
      const StageLine line = pending.back();
      pending.pop_back();
      if (!shown.insert(line.stage).second) continue;
      lines.push_back(line);
      const auto [first, last] = children.equal_range(line.stage->id);
      for (auto it = last; it != first;) {
        --it;
        pending.push_back({it->second, line.depth + 1, Label(*it->second, line.depth + 1)});
      }
    }
  };
  walk();
  for (const StageTime& stage : stages) {
    if (shown.count(&stage) > 0) continue;
    pending.push_back({&stage, 0, stage.id});
    walk();
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

IdleStages IdleStagesOf(const std::vector<StageTime>& stages) {
  IdleStages idle;
  for (const StageLine& line : StageTree(stages)) {
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
