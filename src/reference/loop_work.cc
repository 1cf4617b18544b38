#include "reference/loop_work.h"

#include <algorithm>

#include "model/seconds.h"
#include "sim/framework/configuration.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::cost::AttemptWork;
using sim::cost::Labour;

constexpr double kMicro = 1e-6;

std::shared_ptr<const sim::cost::ProfilePlugins> DefaultPlugins(int minor) {
  const auto configuration = sim::core::DefaultConfiguration(sim::Release{minor});
  return std::make_shared<const sim::cost::ProfilePlugins>(configuration.profiles.front());
}

/// Each term of inter-pod affinity once: what makes PreFilter and PreScore go over all pods.
sim::cost::PodShape Attracted() {
  sim::cost::PodShape shape;
  shape.affinity = shape.preferred = 1;
  return shape;
}

}  // namespace

int NodesLookedAt(const LoopSetting& setting) {
  return std::max(1, sim::core::NumFeasibleNodesToFind(setting.percentage, setting.nodes));
}

ComputedLoop::ComputedLoop(int minor)
    : plugins_(DefaultPlugins(minor)),
      units_(sim::Release{minor}),
      plain_({}, *plugins_, units_),
      attracted_(Attracted(), *plugins_, units_) {}

Labour ComputedLoop::LabourOf(Cost point, const LoopSetting& setting, bool all_nodes) const {
  AttemptWork work;
  work.cluster.nodes = work.searched = std::max(1, setting.nodes);
  work.cluster.pods = CutTo<std::int64_t>(setting.pods);
  work.feasible = NodesLookedAt(setting);
  work.seen = work.passed = all_nodes ? work.searched : work.feasible;
  work.enough = work.seen < work.searched;
  switch (point) {
    case Cost::kPreFilter:
      return attracted_.PreFilter(work.cluster);
    case Cost::kFilter:
      return plain_.Filter(work, {setting.cores, setting.parallelism});
    case Cost::kPreScore:
      return attracted_.PreScore(work.cluster);
    case Cost::kScore:
      return plain_.Score(work);
    default:
      return {};
  }
}

PointWork ComputedLoop::Of(Cost point, const LoopSetting& setting, bool all_nodes) const {
  const Labour labour = LabourOf(point, setting, all_nodes);
  const double fixed = labour.serial_us * kMicro;
  const double all = labour.ElapsedUs({setting.cores, setting.parallelism}) * kMicro;
  return {fixed, std::max(0.0, all - fixed)};
}

}  // namespace schedlens
