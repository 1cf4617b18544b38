#pragma once

// Volumes as the scheduler sees them: PersistentVolumes, their claims, classes, and what nodes and
// drivers say of their limits.

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/cluster/objects.h"

namespace schedlens::sim::core {

/// Bits of accessModes.
enum AccessMode : unsigned {
  kReadWriteOnce = 1,
  kReadOnlyMany = 2,
  kReadWriteMany = 4,
  kReadWriteOncePod = 8,
};

struct PersistentVolume {
  Id name = 0;
  ObjectLabels labels;
  std::int64_t capacity = 0;  ///< bytes
  Id storage_class = 0;       ///< 0: none
  unsigned access_modes = 0;
  bool block = false;      ///< volumeMode Block
  bool available = false;  ///< status.phase Available
  bool deleting = false;
  Id driver = 0, handle = 0;                                   ///< of a CSI volume; 0 for others
  std::optional<std::vector<NodeSelectorTerm>> node_affinity;  ///< terms are ORed
  Id claim = 0;                                                ///< claimRef as namespace/name
  Id claim_uid = 0;                                            ///< 0: any
};

struct VolumeClaim {
  Id key = 0;  ///< namespace/name
  Id name = 0;
  Id uid = 0;
  std::int64_t request = 0;  ///< bytes
  bool has_request = false;
  Id storage_class = 0;  ///< 0: none
  unsigned access_modes = 0;
  bool block = false;
  std::optional<LabelSelector> selector;
  Id volume = 0;                ///< spec.volumeName
  bool bind_completed = false;  ///< the annotation that says both sides are bound
  Id selected_node = 0;         ///< a node's name: provisioning was asked for there
  bool lost = false, deleting = false;
};

struct StorageClass {
  Id name = 0;
  Id provisioner = 0;
  bool waits = false;           ///< WaitForFirstConsumer
  bool has_mode = false;        ///< volumeBindingMode was given
  bool no_provisioner = false;  ///< kubernetes.io/no-provisioner, or none named
  /// allowedTopologies: any of the terms, in it all of the keys. None: everywhere.
  std::vector<std::vector<Requirement>> allowed_topologies;
};

struct CsiNode {
  Id name = 0;
  std::vector<std::pair<Id, std::int64_t>> limits;  ///< attachable volumes, by driver that has one
};

struct CsiDriver {
  Id name = 0;
  bool storage_capacity = false;
};

struct StorageCapacity {
  Id key = 0;  ///< namespace/name
  Id storage_class = 0;
  std::optional<LabelSelector> topology;  ///< none: of no node
  std::optional<std::int64_t> size;       ///< maximumVolumeSize, else capacity; bytes
};

/// Put replaces the object of that name. Pointers stay good until the next Put.
class Volumes {
 public:
  void Put(PersistentVolume volume);
  void Put(VolumeClaim claim) { claims_[claim.key] = std::move(claim); }
  void Put(StorageClass storage_class) { classes_[storage_class.name] = std::move(storage_class); }
  void Put(CsiNode node) { csi_nodes_[node.name] = std::move(node); }
  void Put(CsiDriver driver) { drivers_[driver.name] = driver; }
  void Put(StorageCapacity capacity);

  // Null if there is none.
  const PersistentVolume* FindVolume(Id name) const;
  const VolumeClaim* FindClaim(Id key) const { return Find(claims_, key); }
  const StorageClass* FindClass(Id name) const { return Find(classes_, name); }
  const CsiNode* FindCsiNode(Id name) const { return Find(csi_nodes_, name); }
  const CsiDriver* FindDriver(Id name) const { return Find(drivers_, name); }
  // One that is there, to be changed.
  PersistentVolume& ChangeVolume(Id name) { return all_[volumes_.at(name)]; }
  VolumeClaim& ChangeClaim(Id key) { return claims_.at(key); }

  /// In order of creation.
  const std::deque<PersistentVolume>& volumes() const { return all_; }
  const std::deque<StorageCapacity>& capacities() const { return capacities_; }
  bool knows_claims() const { return !claims_.empty(); }
  /// The objects of another cluster with the same Strings; its pods apart.
  void TakeObjects(const Volumes& from);

  /// Pods on nodes that use the claim.
  std::int32_t Users(Id claim) const {
    const std::int32_t* users = Find(users_, claim);
    return users == nullptr ? 0 : *users;
  }
  void CountUser(Id claim, int sign) { users_[claim] += sign; }

 private:
  template <typename Object>
  static const Object* Find(const std::unordered_map<Id, Object>& objects, Id name) {
    const auto at = objects.find(name);
    return at == objects.end() ? nullptr : &at->second;
  }
  std::deque<PersistentVolume> all_;
  std::unordered_map<Id, std::size_t> volumes_;  // places in all_
  std::unordered_map<Id, VolumeClaim> claims_;
  std::unordered_map<Id, StorageClass> classes_;
  std::unordered_map<Id, CsiNode> csi_nodes_;
  std::unordered_map<Id, CsiDriver> drivers_;
  std::deque<StorageCapacity> capacities_;
  std::unordered_map<Id, std::int32_t> users_;
};

class Cluster;
/// The key (namespace/name) of the claim behind a pod's volume, kNone for a disk in the pod itself
/// and for the claim of an ephemeral volume that nobody has created.
Id ClaimKeyOf(const Cluster& cluster, PodId pod, const PodVolume& volume);

/// Both sides know of each other.
inline bool IsBound(const VolumeClaim& claim) {
  return claim.volume != kEmptyText && claim.bind_completed;
}

/// Whether the volume's node affinity lets a node with these labels use it.
bool Reaches(const PersistentVolume& volume, const ObjectLabels& labels, const Strings& strings);

/// What a node has for a pod's claims.
struct VolumeFit {
  bool bound_fit = true;                   ///< bound volumes can be used there
  bool found = true;                       ///< waiting claims have a volume or can be provisioned
  bool enough_space = true;                ///< the storage there is large enough
  bool bound_exist = true;                 ///< the volumes of bound claims exist
  std::vector<std::pair<Id, Id>> matched;  ///< claim, volume
  std::vector<Id> provisioned;             ///< claims
  bool fits() const { return bound_fit && found && enough_space && bound_exist; }
};

/// Claims of a pod by what the scheduler has to do for them.
struct PodClaims {
  std::vector<const VolumeClaim*> bound, waiting, immediate;
};

VolumeFit FitVolumes(const Volumes& volumes, const PodClaims& claims, const Node& node,
                     const Strings& strings);

/// Binds the waiting claims of a pod that goes to `node`, as scheduler and volume controller do
/// together: matching volumes, and new ones that can be used where that node's zone is.
/// False if there are none.
bool BindVolumes(Cluster& cluster, PodId pod, NodeId node);
/// The pod's claims that exist, sorted by what is to be done.
PodClaims ClaimsOf(const Cluster& cluster, PodId pod);

}  // namespace schedlens::sim::core
