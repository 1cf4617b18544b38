#pragma once

// The queueing hints of the default plugins (1.30 and newer): may this change make the pod
// schedulable that the plugin rejected?

#include "scheduler/cluster/cluster.h"

namespace schedlens::sim::queue {

/// A pod as the hints look at it.
struct HintPod {
  const core::PodSpec* spec = nullptr;  ///< resolved
  std::uint32_t uid = 0;
  bool assigned = false;             ///< spec.nodeName is set
  bool nominated = false;            ///< status.nominatedNodeName is set
  std::span<const core::Id> claims;  ///< names of its PersistentVolumeClaims
};

/// What changed: an object before and after, null where it came or went.
struct HintChange {
  const core::Node *old_node = nullptr, *new_node = nullptr;
  const HintPod *old_pod = nullptr, *new_pod = nullptr;
  bool target = false;  ///< the event calls the pod that changed the waiting one (from 1.37)
};

/// What the hints of release 1.`minor` look at.
struct HintRules {
  int minor = Release::kNewest;
  bool pods_shrink = true;  ///< a running pod may ask for less (in place)

  /// What a node allowed before is no news.
  bool compares_old_node() const { return minor >= 31; }
  /// Nor are topology keys that stay as they are.
  bool topology_needs_change() const { return minor >= 33; }
  /// InterPodAffinity: a change of the pod itself is news.
  bool own_labels_count() const { return minor >= 35; }
  /// Nor is it told by its uid any more: every event of a TargetPod is taken for the pod's own.
  bool own_by_event() const { return minor >= 37; }
  /// InterPodAffinity: a pod that goes may have kept the waiting one away by its own terms.
  bool their_terms_count() const { return minor >= 36; }
};

/// What they need besides the pod and the change.
struct HintContext {
  HintRules rules;
  core::Cluster& cluster;
  core::Id unschedulable;  ///< the taint's key
};

class Hints {
 public:
  /// `cluster` gives texts and namespaces; it must outlive the hints.
  Hints(const HintRules& rules, core::Cluster& cluster);

  /// True: Queue, false: Skip. Nothing if this plugin's answer to such a change is not known here;
  /// the original may then say either.
  std::optional<bool> Ask(std::string_view plugin, const HintPod& pod,
                          const HintChange& change) const;
  /// Whether an empty node passes the check that releases before 1.32 make of a new one: resources,
  /// node affinity, name, NoSchedule taints.
  bool Admits(const core::PodSpec& pod, const core::Node& node) const;

 private:
  HintContext context_;
};

}  // namespace schedlens::sim::queue
