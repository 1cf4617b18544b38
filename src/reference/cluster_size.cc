#include "reference/cluster_size.h"

#include <algorithm>
#include <cmath>

#include "schedlens/error.h"
#include "sim/framework/configuration.h"

namespace schedlens {
namespace {

using sim::Cost;

/// Of the worker time that grows with nodes, what runs at once.
constexpr double kWorkersAtOnce = 2;
/// PreFilter and PreScore cheaper than this have nothing to do for most pods.
constexpr double kDear = 1e-3;  // seconds an attempt

/// What a step takes on `nodes`, in the reference scheduler's own cost model.
double ModelSeconds(Cost cost, double nodes) {
  static const sim::Costs costs = sim::Costs::Default();
  return costs[cost].wall.Mean() + costs[cost].per_node * nodes / kWorkersAtOnce;
}

/// A plugin that goes over all nodes makes up most of a point that takes long.
bool LooksAtAllNodes(const Investigation& investigation, kube::ExtensionPoint point) {
  if (investigation.evidence->now.breakdown.points[point].mean() < kDear) return false;
  double share = 0;
  for (const PluginRow& row : investigation.diagnosis.plugins) {
    if (row.extension_point == ToString(point) &&
        (row.plugin == "InterPodAffinity" || row.plugin == "PodTopologySpread")) {
      share += row.wall_share.value.value_or(0);
    }
  }
  return share > 0.5;
}

}  // namespace

std::optional<int> NodesOf(const Investigation& investigation) {
  std::optional<int> nodes;
  const TimeMs end = investigation.evidence->now.breakdown.window.end;
  for (const Series& series : investigation.facts.Of("cache_size")) {
    if (series.labels.Get("type") != "nodes") continue;
    std::optional<double> last;
    for (const Sample& sample : series.samples) {
      if (sample.t <= end && std::isfinite(sample.v)) last = sample.v;
    }
    if (last && *last >= 1) nodes = std::max(nodes.value_or(0), static_cast<int>(*last));
  }
  return nodes;
}

void ScaleByNodesLookedAt(int before, int after, Changed* changed) {
  for (const Cost cost : {Cost::kFilter, Cost::kScore}) {
    const double model = ModelSeconds(cost, after) / ModelSeconds(cost, before);
    const double all = static_cast<double>(after) / before;
    changed->Scale({cost}, model, all);
  }
  changed->assumptions.push_back(Message(
      "whatif.nodes.looked_at", {{"after", arg::Count(after)}, {"before", arg::Count(before)}}));
}

void ApplyClusterSize(const Change& change, const Investigation& investigation, Changed* changed) {
  const std::optional<int> now = NodesOf(investigation);
  if (!now) {
    throw Error(ErrorKind::kInsufficientData,
                "--set nodes: the window does not say how many nodes there are now "
                "(scheduler_scheduler_cache_size{type=\"nodes\"})");
  }
  const double wanted = change.kind == ChangeKind::kMultiply ? *now * change.value : change.value;
  const int nodes = static_cast<int>(std::clamp(std::round(wanted), 1.0, 1e6));
  const int before = sim::core::NumFeasibleNodesToFind(0, *now);
  const int after = sim::core::NumFeasibleNodesToFind(0, nodes);
  changed->assumptions.push_back(Message("whatif.nodes", {{"nodes", arg::Count(nodes)},
                                                          {"now", arg::Count(*now)},
                                                          {"after", arg::Count(after)},
                                                          {"before", arg::Count(before)}}));
  ScaleByNodesLookedAt(before, after, changed);
  const double growth = static_cast<double>(nodes) / *now;
  for (const auto& [point, cost] : {std::pair{kube::ExtensionPoint::kPreFilter, Cost::kPreFilter},
                                    std::pair{kube::ExtensionPoint::kPreScore, Cost::kPreScore}}) {
    const bool all = LooksAtAllNodes(investigation, point);
    changed->Scale({cost}, all ? growth : 1, growth);
    changed->assumptions.push_back(Message(all ? "whatif.nodes.all" : "whatif.nodes.stays",
                                           {{"point", std::string(ToString(point))}}));
  }
  // The snapshot is updated node by node.
  const double snapshot =
      ModelSeconds(Cost::kSnapshot, nodes) - ModelSeconds(Cost::kSnapshot, *now);
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    fitted->scenario.segments.back().conditions.costs[Cost::kSelectHost].wall =
        sim::Distribution::Constant(std::max(0.0, snapshot));
  }
}

void ApplyRunning(double factor, const Investigation& investigation, Changed* changed) {
  for (const auto& [point, cost] : {std::pair{kube::ExtensionPoint::kPreFilter, Cost::kPreFilter},
                                    std::pair{kube::ExtensionPoint::kPreScore, Cost::kPreScore}}) {
    const bool all = LooksAtAllNodes(investigation, point);
    changed->Scale({cost}, all ? factor : 1, factor);
    changed->assumptions.push_back(Message(all ? "whatif.running.all" : "whatif.running.stays",
                                           {{"point", std::string(ToString(point))}}));
  }
}

}  // namespace schedlens
