#pragma once

// The scheduler's picture of the cluster, brought along line by line of a recording.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/base/release.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/cluster/objects_json.h"
#include "verify/recording.h"

namespace schedlens::verify {

namespace core = sim::core;

class ReplayedCluster {
 public:
  ReplayedCluster(const sim::Release& release, core::Cluster& cluster)
      : release_(release), cluster_(cluster) {}

  /// Throws Error(kFailed) for an object that cannot be read.
  void Apply(const RecordedEvent& event);
  /// Puts the pod of an attempt into the cluster, pending, with the nomination it has.
  core::PodId StartAttempt(const RecordedAttempt& attempt);
  /// What the attempt did: the pod is bound or nominated. Throws Error(kFailed) for an unknown
  /// node.
  void EndAttempt(const RecordedAttempt& attempt, core::PodId pod);

  const sim::Release& release() const { return release_; }
  core::Cluster& cluster() { return cluster_; }
  /// What is not played of the objects that events brought, and how often.
  const std::map<std::string, int>& ignored() const { return ignored_; }
  const core::Cluster& cluster() const { return cluster_; }
  const std::string& NodeName(core::NodeId node) const;
  std::string PodName(core::PodId pod) const;
  /// kNone if there is no such node.
  core::NodeId NodeOf(const std::string& name) const;
  /// Throws Error(kFailed) if there is no such node.
  core::NodeId KnownNode(const std::string& name) const;

 private:
  void HearNomination(core::PodId pod, core::NodeId node);
  void Nominate(core::PodId pod, core::NodeId node, bool takes_it);
  bool AnyVictimLeft(const RecordedAttempt& attempt) const;
  void AddPod(const std::string& object);
  void Forget(const std::string& name);
  core::PodId Create(const std::string& name, core::PodObject pod);

  sim::Release release_;
  core::Cluster& cluster_;
  std::map<std::string, int> ignored_;
  std::map<std::string, core::PodId> pods_;  // by namespace/name
  // Nominations that have not come back as events yet.
  std::map<core::PodId, std::vector<core::NodeId>> nominations_;
  std::map<core::PodId, std::int64_t> starts_;  // status.startTime, known to the scheduler or not
};

}  // namespace schedlens::verify
