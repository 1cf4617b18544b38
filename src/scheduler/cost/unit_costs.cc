#include "scheduler/cost/unit_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace schedlens::sim::cost {
namespace {

/// Not measured cold: half as much again. Not measured in 1.30: as in 1.36.
constexpr double kUnmeasured = -1;

struct Row {
  Unit unit;
  std::string_view name;
  double hot_136, cold_136;
  double hot_130 = kUnmeasured, cold_130 = kUnmeasured;
};

using enum Unit;

// Names are those of the measurement's data; what its table has in prose is named alike.
constexpr Row kRows[] = {
    {kFilterNodeUnschedulable, "filter.NodeUnschedulable", 0.0124, 0.0164, 0.0104},
    {kFilterNodeName, "filter.NodeName", 0.0115, 0.0145, 0.0104},
    {kFilterTaintToleration, "filter.TaintToleration", 0.0307, 0.0383, 0.023},
    {kFilterTaint, "filter.TaintToleration.perTaint", 0.2, 0.2},
    {kFilterResourcesFit, "filter.NodeResourcesFit", 0.0973, 0.3329, 0.0869},
    {kFilterNodeAffinity1, "filter.NodeAffinity.required1", 0.1994, 0.6563, 0.2103},
    {kFilterNodeAffinity5, "filter.NodeAffinity.required5", 0.3457, kUnmeasured},
    {kFilterNodeSelector, "filter.NodeAffinity.nodeSelector", 0.0467, kUnmeasured},
    {kFilterNodePorts, "filter.NodePorts.1", 0.0353, kUnmeasured},
    {kFilterVolumeBound1, "filter.VolumeBinding.bound1", 4.288, kUnmeasured, 5.8696},
    {kFilterVolumeBound3, "filter.VolumeBinding.bound3", 12.2048, kUnmeasured},
    {kFilterVolumeLate, "filter.VolumeBinding.wffc1", 1.6438, kUnmeasured},
    {kFilterVolumeLimits1, "filter.NodeVolumeLimits.1", 1.2243, kUnmeasured, 1.5034},
    {kFilterVolumeLimits3, "filter.NodeVolumeLimits.3", 2.1608, kUnmeasured},
    {kFilterSpread1, "filter.PodTopologySpread.hard1", 0.0778, 0.1776, 0.1334},
    {kFilterSpread2, "filter.PodTopologySpread.hard2", 0.1143, 0.2395, 0.2249},
    {kFilterSpread3, "filter.PodTopologySpread.hard3", 0.208, kUnmeasured},
    {kFilterAffinity1, "filter.InterPodAffinity.affinity1", 0.0722, 0.3346, 0.0624},
    {kFilterAffinity2, "filter.InterPodAffinity.affinity2", 0.1588, kUnmeasured},
    {kFilterAntiAffinity, "filter.InterPodAffinity.anti1", 0.0303, 0.0391, 0.0286},
    {kScoreTaintToleration, "score.TaintToleration", 0.0374, 0.0546, 0.043},
    {kScoreResourcesFit, "score.NodeResourcesFit", 0.1288, 0.3452, 0.1175},
    {kScoreBalancedAllocation, "score.NodeResourcesBalancedAllocation", 0.141, 0.3651, 0.117},
    {kScoreImageLocality1, "score.ImageLocality", 0.0465, 0.0632, 0.0502},
    {kScoreImageLocality5, "score.ImageLocality.5containers", 0.1457, kUnmeasured, 0.1284},
    {kScoreDynamicResources, "score.DynamicResources", 0.0334, 0.0456},
    {kScoreNodeAffinity1, "score.NodeAffinity.preferred1", 0.1867, kUnmeasured},
    {kScoreNodeAffinity5, "score.NodeAffinity.preferred5", 0.2819, kUnmeasured, 0.3918},
    {kScoreInterPodAffinity, "score.InterPodAffinity", 0.1187, 0.3892, 0.1318},
    {kScoreSpreadKey, "score.PodTopologySpread.zone", 0.0624, 0.1392, 0.102},
    {kScoreSpreadHostPod, "score.PodTopologySpread.host.perPodOnNode", 0.0186, 0.1575, 0.0189,
     0.2035},
    {kPreFilterAffinity1, "prefilter.InterPodAffinity.affinity.perPod", 0.0558, 0.2919, 0.0621,
     0.3481},
    {kPreFilterAffinity2, "prefilter.InterPodAffinity.affinity2.perPod", 0.0636, 0.2756},
    {kPreFilterAntiAffinity, "prefilter.InterPodAffinity.anti.perPod", 0.0524, 0.2673, 0.0529,
     0.3254},
    {kPreFilterExistingAnti, "prefilter.InterPodAffinity.existingAnti.perPod", 0.1127, 0.2886},
    {kPreFilterSpread1, "prefilter.PodTopologySpread.hard1.perPod", 0.0351, 0.1419, 0.0995, 0.2314},
    {kPreFilterSpread2, "prefilter.PodTopologySpread.hard2.perPod", 0.0487, 0.1609, 0.085, 0.3214},
    {kPreFilterSpread3, "prefilter.PodTopologySpread.hard3.perPod", 0.0948, kUnmeasured},
    {kPreScorePreferred1, "prescore.InterPodAffinity.preferred1.perPod", 0.0771, 0.2972, 0.126,
     0.3268},
    {kPreScorePreferred5, "prescore.InterPodAffinity.preferred5.perPod", 0.1654, kUnmeasured},
    {kPreScoreExistingPreferred, "prescore.InterPodAffinity.existingPreferred.perPod", 0.1628,
     0.4646},
    {kPreScoreExistingRequired, "prescore.InterPodAffinity.existingRequired.perPod", 0.4921,
     0.4605},
    {kPreScoreBothPreferred, "prescore.InterPodAffinity.both.perPod", 0.6473, 0.7132},
    {kPreScoreSpreadKey, "prescore.PodTopologySpread.zone.perPod", 0.0378, 0.1424, 0.0425, 0.1976},
    {kFrameFilter, "frame.filter.perNode", 0.5552, 0.6038, 0.4468},
    {kFrameScore, "frame.score.perNode", 0.517, 0.4348, 0.4759},
    {kFrameRecordedCall, "frame.recordedPluginCall", 0.2863, 0.2863, 0.2033, 0.2033},
    {kFrameDroppedCall, "framework.recorder_call_buffer_full_us", 0.0597, 0.0597, 0.134, 0.134},
    {kFramePreFilter, "frame.prefilter", 4.816, 4.816, 4.189, 4.189},
    {kFramePreScore, "frame.prescore", 7.613, 7.613, 7.24, 7.24},
    {kFixed, "fixed_per_attempt_us", 190, 190},
    {kUnschedulableNode, "unschedulable_extra_per_node_us", 0.45, 0.45},
    {kUntilFixed, "framework.parallel_until_us.fixed", 12, 12},
    {kUntilPiece, "framework.parallel_until_us.perPiece", 0.0145, 0.0145},
    {kSnapshotChangedNode, "snapshot_update.perChangedNode", 0.88, 1.57},
    {kSnapshotRebuildNode, "snapshot_update.nodeAddedOrRemoved.perNode", 0.058, 0.08},
    {kSnapshotAffinityNode, "snapshot_update.affinityLists.perNode", 0.02, 0.026},
    {kDecodePod, "framework.decode_pod", 5.346, 5.346, 10.16, 10.16},
    {kPodAdded, "cache_and_handlers.on-pod-add-unassigned", 16.2, 16.2, 2.66, 2.66},
    {kPodDeletedPending, "cache_and_handlers.on-pod-delete-unassigned", 2.32, 2.32},
    {kPodSeenBound, "cache_and_handlers.on-pod-becomes-assigned-assumed", 12.1, 12.1, 6.45, 6.45},
    {kPodDeletedBound, "cache_and_handlers.on-pod-delete-assigned", 2.66, 2.66},
    {kConfirmPod, "cache_and_handlers.AddPod-confirm", 3.9, 3.9, 7.95, 7.95},
    {kRemovePod, "cache_and_handlers.RemovePod", 0.912, 0.912},
    {kQueueAdd, "queue.Add", 15.6, 15.6, 1.96, 1.96},
    {kQueueAddUnschedulable, "queue.AddUnschedulable", 3.68, 3.68, 1.99, 1.99},
    {kQueueDelete, "queue.DeleteUnschedulable", 1.64, 1.64, 0.74, 0.74},
    {kQueueLookedAt, "queue.Move.perPod", 1.97, 1.97, 0.894, 0.894},
    {kQueueMoved, "queue.MoveEverything.perPod", 3.71, 3.71, 2, 2},
    {kHintFitNode, "hints.NodeResourcesFit.Node", 2.315, 2.315},
    {kHintFitPod, "hints.NodeResourcesFit.Pod", 0.162, 0.162},
    {kHintNodeAffinity, "hints.NodeAffinity.Node", 4.267, 4.267},
    {kHintInterPodAffinity, "hints.InterPodAffinity", 1.506, 1.506},
    {kHintSpreadNode, "hints.PodTopologySpread.Node", 2.038, 2.038},
    {kHintSpreadPod, "hints.PodTopologySpread.Pod", 0.257, 0.257},
    {kHintTaintToleration, "hints.TaintToleration.Node", 0.149, 0.149},
    {kHintUnschedulable, "hints.NodeUnschedulable.Node", 0.138, 0.138},
    {kHintNodePorts, "hints.NodePorts.Pod", 0.01879, 0.01879},
    {kHintVolumeRestrictions, "hints.VolumeRestrictions.Pod", 4.192, 4.192},
    {kHintVolumeLimits, "hints.NodeVolumeLimits.Pod", 0.445, 0.445},
    {kPreemptFindNode, "preemption.nodes-for-status.perNode", 0.04, 0.15},
    {kPreemptCandidate, "preemption.dry-run.perNode", 3.5, 3.5},
    {kPreemptPod, "preemption.dry-run.perPod", 2.6, 2.6, 5, 5},
    {kPreemptBudgetPod, "preemption.dry-run.perPodAndBudget", 0.3, 0.3},
    {kPreemptPick, "preemption.select-candidate.perNode", 0.25, 0.25},
    {kExtFilterNode, "extender.filter-call-nodes.perNode", 30.3, 30.3},
    {kExtFilterKilobyte, "extender.filter-call-nodes.perKB", 15.2, 15.2},
    {kExtFilterName, "extender.filter-call-names.perNode", 0.355, 0.355},
    {kExtPrioritizeNode, "extender.prioritize-call-nodes.perNode", 13.6, 13.6},
    {kExtPrioritizeKilobyte, "extender.prioritize-call-nodes.perKB", 2.35, 2.35},
    {kExtPrioritizeName, "extender.prioritize-call-names.perNode", 1, 1},
    {kExtBind, "extender.bind-call", 5, 5},
    {kClientBind, "client.bind", 11.04, 11.04, 11.94, 11.94},
    {kClientEvent, "client.event-whole", 32.97, 32.97},
    {kClientEventPost, "client.event-post", 15.78, 15.78, 15.83, 15.83},
    {kClientStatusPatch, "client.pod-status-patch-send", 13.68, 13.68},
    {kClientDelete, "client.pod-delete", 10.2, 10.2},
};
static_assert(std::size(kRows) == kUnits);

/// Where cold begins and ends: pods and nodes that an attempt visits.
constexpr double kPodsHot = 1000, kPodsCold = 8000, kNodesHot = 300, kNodesCold = 3000;
/// Pods are colder in a whole attempt than in a loop over one plugin, which the table was measured
/// in; attempts at 50,000 pods are met with this.
constexpr double kColdestPods = 1.3;
/// Of the machine that was measured.
constexpr double kCoreNs = 2.00667, kMemoryNs = 160.1;
constexpr double kUnmeasuredCold = 1.5;
constexpr int kMeasuredMinors[] = {30, 36};
constexpr std::string_view kMeasuredNames[] = {"1.30.14", "1.36.3"};

double Between(double x, double from, double to, double most) {
  return std::clamp(std::log(std::max(x, 1.0) / from) / std::log(to / from), 0.0, most);
}

UnitCost Figures(const Row& row, bool newest) {
  const bool own = !newest && row.hot_130 != kUnmeasured;
  const double hot = own ? row.hot_130 : row.hot_136;
  const double cold = own ? row.cold_130 : row.cold_136;
  return {hot, cold == kUnmeasured ? hot * kUnmeasuredCold : cold};
}

// Which of the measured ones.
std::size_t Nearest(int minor) {
  return kMeasuredMinors[1] - minor < minor - kMeasuredMinors[0] ? 1 : 0;
}

}  // namespace

Warmth::Warmth(double nodes, double pods)
    : node(Between(nodes, kNodesHot, kNodesCold, 1)),
      pod(Between(pods, kPodsHot, kPodsCold, kColdestPods)) {}

Term& Term::Add(const UnitCost& unit, double times) {
  hot += times * unit.hot_us;
  slope += times * (unit.cold_us - unit.hot_us);
  return *this;
}

UnitCosts::UnitCosts(const Release& release) {
  const std::size_t which = Nearest(release.minor);
  measured_ = kMeasuredNames[which];
  for (std::size_t i = 0; i < kUnits; ++i) units_[i] = Figures(kRows[i], which == 1);
}

std::optional<UnitCosts> UnitCosts::Measured(std::string_view release) {
  for (std::size_t i = 0; i < std::size(kMeasuredNames); ++i) {
    const std::string_view name = kMeasuredNames[i];
    const bool same = release == name || release == name.substr(0, 4);
    if (same) return UnitCosts(Release{kMeasuredMinors[i]});
  }
  return std::nullopt;
}

UnitCost UnitCosts::operator[](Unit unit) const {
  const UnitCost& cost = units_[static_cast<std::size_t>(unit)];
  const double hot = cost.hot_us * core_;
  return {hot, hot + (cost.cold_us - cost.hot_us) * memory_};
}

double UnitCosts::core_ns() const { return core_ * kCoreNs; }
double UnitCosts::memory_ns() const { return memory_ * kMemoryNs; }

void UnitCosts::Calibrate(double core_ns, double memory_ns) {
  core_ = core_ns / kCoreNs;
  memory_ = memory_ns / kMemoryNs;
}

std::string_view NameOf(Unit unit) { return kRows[static_cast<std::size_t>(unit)].name; }

std::string UnmeasuredNote(const Release& release) {
  const auto* const end = std::end(kMeasuredMinors);
  if (std::find(std::begin(kMeasuredMinors), end, release.minor) != end) return "";
  return fmt::format("unit costs were measured on 1.30.14 and 1.36.3; 1.{} takes those of {}",
                     release.minor, UnitCosts(release).measured());
}

}  // namespace schedlens::sim::cost
