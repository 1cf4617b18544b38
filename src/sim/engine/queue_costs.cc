#include "sim/engine/queue_costs.h"

#include <algorithm>

namespace schedlens::sim {
namespace {

using cost::Unit;

// kCount: nothing to call.
struct HintUnits {
  Rejection plugin;
  Unit node, pod;
};
constexpr HintUnits kHints[] = {
    {kRejectedByResources, Unit::kHintFitNode, Unit::kHintFitPod},
    {kRejectedByNodeAffinity, Unit::kHintNodeAffinity, Unit::kCount},
    {kRejectedByInterPodAffinity, Unit::kHintInterPodAffinity, Unit::kHintInterPodAffinity},
    {kRejectedByTopologySpread, Unit::kHintSpreadNode, Unit::kHintSpreadPod},
    {kRejectedByTaints, Unit::kHintTaintToleration, Unit::kCount},
    {kRejectedByUnschedulable, Unit::kHintUnschedulable, Unit::kCount},
    {kRejectedByPorts, Unit::kCount, Unit::kHintNodePorts},
    {kRejectedByVolumeRestrictions, Unit::kCount, Unit::kHintVolumeRestrictions},
    {kRejectedByVolumeLimits, Unit::kCount, Unit::kHintVolumeLimits},
};

}  // namespace

double HintUs(const cost::UnitCosts& units, Rejection plugin, PodEvent event) {
  const bool node = event == PodEvent::kNodeAdd || event == PodEvent::kNodeDelete;
  const bool pod = event == PodEvent::kAssignedPodAdd || event == PodEvent::kAssignedPodDelete;
  for (const HintUnits& row : kHints) {
    if (row.plugin != plugin) continue;
    const Unit unit = node ? row.node : pod ? row.pod : Unit::kCount;
    return unit == Unit::kCount ? 0 : units[unit].hot_us;
  }
  return 0;
}

double MoveUs(const cost::UnitCosts& units, std::size_t waiting, std::size_t stayed) {
  const auto left = static_cast<double>(std::min(stayed, waiting));
  const double moved = static_cast<double>(waiting) - left;
  return left * units[Unit::kQueueLookedAt].hot_us + moved * units[Unit::kQueueMoved].hot_us;
}

}  // namespace schedlens::sim
