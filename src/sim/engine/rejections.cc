// Plugins that reject pods, by bit and by name.

#include "sim/engine/scheduling_queue.h"

namespace schedlens::sim {

std::span<const std::pair<Rejection, std::string_view>> Rejecters() {
  static constexpr std::pair<Rejection, std::string_view> kAll[] = {
      {kRejectedByResources, "NodeResourcesFit"},
      {kRejectedByNodeAffinity, "NodeAffinity"},
      {kRejectedByInterPodAffinity, "InterPodAffinity"},
      {kRejectedByTopologySpread, "PodTopologySpread"},
      {kRejectedByGang, "Coscheduling"},
      {kRejectedByVolumes, "VolumeBinding"},
      {kRejectedByTaints, "TaintToleration"},
      {kRejectedByPorts, "NodePorts"},
      {kRejectedByUnschedulable, "NodeUnschedulable"},
      {kRejectedByName, "NodeName"},
      {kRejectedByGates, "SchedulingGates"},
      {kRejectedByPreemption, "DefaultPreemption"},
      {kRejectedByVolumeRestrictions, "VolumeRestrictions"},
      {kRejectedByVolumeLimits, "NodeVolumeLimits"},
      {kRejectedByVolumeZone, "VolumeZone"},
      {kRejectedByDevices, "DynamicResources"}};
  return kAll;
}

std::string_view RejecterOf(Rejection bit) {
  for (const auto& [known, name] : Rejecters()) {
    if (known == bit) return name;
  }
  return "";
}

Rejection RejectionOf(std::string_view plugin) {
  for (const auto& [bit, name] : Rejecters()) {
    if (name == plugin) return bit;
  }
  return kRejectedByOther;
}

}  // namespace schedlens::sim
