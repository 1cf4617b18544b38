#pragma once

// The queueing hints of the default plugins (1.30 and newer): may an object that comes or goes make
// the pod schedulable that the plugin rejected?

#include "scheduler/cluster/cluster.h"

namespace schedlens::sim::queue {

/// A node or an assigned pod (its spec, resolved), the other null, that came or is gone.
struct HintChange {
  const core::Node* node = nullptr;
  const core::PodSpec* pod = nullptr;
  bool gone = false;
};

class Hints {
 public:
  /// Of release 1.`minor`. `cluster` gives texts and namespaces; it must outlive the hints.
  Hints(int minor, core::Cluster& cluster);

  /// True: Queue, false: Skip. Nothing if this plugin's answer is not known here: either.
  std::optional<bool> Ask(std::string_view plugin, const core::PodSpec& pod,
                          const HintChange& change) const;
  /// Whether an empty node passes the check that releases before 1.32 make of a new one: resources,
  /// node affinity, name, NoSchedule taints.
  bool Admits(const core::PodSpec& pod, const core::Node& node) const;

 private:
  std::optional<bool> OfNode(std::string_view plugin, const core::PodSpec& pod,
                             const core::Node& node, bool gone) const;
  std::optional<bool> OfPod(std::string_view plugin, const core::PodSpec& pod,
                            const core::PodSpec& other, bool gone) const;

  int minor_;
  const core::Cluster& cluster_;
  core::Id any_address_;
};

}  // namespace schedlens::sim::queue
