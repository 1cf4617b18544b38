#pragma once

// The queueing hints of the default plugins (1.30 and newer): may a node or pod that comes or goes
// make the pod schedulable that the plugin rejected?

#include <optional>
#include <span>
#include <string_view>

#include "scheduler/cluster/cluster.h"

namespace schedlens::sim::queue {

/// A pod as the hints look at it.
struct HintPod {
  const core::PodSpec* spec = nullptr;  ///< resolved
  std::span<const core::Id> claims;     ///< names of its PersistentVolumeClaims
};

/// What came or went: a node, or a pod that has a node.
struct HintChange {
  const core::Node* node = nullptr;
  const HintPod* pod = nullptr;
  bool gone = false;
};

class Hints {
 public:
  /// Those of release 1.`minor`. `cluster` gives texts and namespaces; it must outlive the hints.
  Hints(int minor, core::Cluster& cluster)
      : context_{minor >= 33, cluster, cluster.strings().Intern("0.0.0.0")} {}

  /// True: Queue, false: Skip. Nothing if this plugin's answer to such a change is not known here;
  /// the original may then say either.
  std::optional<bool> Ask(std::string_view plugin, const HintPod& pod,
                          const HintChange& change) const;
  /// Whether an empty node passes the check that releases before 1.32 make of a new one: resources,
  /// node affinity, name, NoSchedule taints.
  bool Admits(const core::PodSpec& pod, const core::Node& node) const;

  /// What they need besides the pod and the change.
  struct Context {
    bool new_node_is_news;  ///< InterPodAffinity: to a pod with anti-affinity, whatever its labels
    core::Cluster& cluster;
    core::Id any_address;
  };

 private:
  Context context_;
};

}  // namespace schedlens::sim::queue
