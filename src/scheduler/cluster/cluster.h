#pragma once

// The scheduler's cache: nodes, the pods on them (bound or assumed alike), nominations, and the
// objects plugins look at. One order of nodes, zones interleaved, as the snapshot has it.

#include <memory>
#include <span>
#include <utility>

#include "scheduler/cluster/objects.h"

namespace schedlens::sim::core {

// PersistentVolumes, their claims and classes, and what nodes and drivers say of their limits.

/// Bits of accessModes: ReadWriteOnce, ReadOnlyMany, ReadWriteMany and this, from the lowest.
inline constexpr unsigned kReadWriteOncePod = 8;

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
  Id name = 0, uid = 0;
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
  Id name = 0, provisioner = 0;
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
  std::optional<std::int64_t> capacity;   ///< bytes
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

/// A pod of its own.
struct Pod {
  std::string name;
  Id uid = 0;  ///< 0 unless an annotation or owner needs it
  SpecId spec = kNone;
  NodeId node = kNone;        ///< where it counts: bound or assumed; kNone while pending
  NodeId nominated = kNone;   ///< status.nominatedNodeName of a pending pod
  std::int64_t start_ms = 0;  ///< status.startTime; order of victims
  bool terminating = false;   ///< has a deletionTimestamp
  bool preempted = false;     ///< a scheduler's preemption ends it (its DisruptionTarget condition)
  bool alive = false;         ///< false once forgotten; the id may be used again
  std::int32_t slot = 0;      ///< position among its node's pods
};

/// An image on a node. Until 1.29 the count is as of when the node came or was last updated, from
/// 1.30 as of the first snapshot after anything on it changed.
struct ImageState {
  Id name = 0;
  std::int64_t size_bytes = 0;
  std::int32_t nodes = 0;
};

/// A node with what runs on it.
struct NodeInfo {
  NodeId id = kNone;
  Node node;
  bool alive = false;
  std::vector<PodId> pods;
  Resources requested;  ///< of its pods; `pods` unused
  NonZero nonzero;
  std::int32_t pods_with_affinity = 0;     ///< any term, required or preferred
  std::vector<HostPort> used_ports;        ///< with repetition
  mutable std::vector<ImageState> images;  ///< sorted by name; counts are the snapshot's
  std::vector<PodId> nominated;            ///< in order of nomination
};

/// What every attempt reads of every node, close together in memory: mirrors NodeInfo.
struct HotNode {
  std::int64_t milli_cpu = 0, memory = 0, ephemeral_storage = 0, max_pods = 0;  ///< allocatable
  std::int64_t used_milli_cpu = 0, used_memory = 0, used_ephemeral_storage = 0;
  std::int64_t nonzero_milli_cpu = 0, nonzero_memory = 0;
  std::int32_t pods = 0;
  bool unschedulable = false, has_taints = false, has_nominated = false;
};

class Cluster;
/// Adds a pod to a node's books (`sign` 1) or takes it off (-1), on a copy as preemption's dry run
/// makes one. Pods not on it are ignored when taken off.
void CountPod(NodeInfo& info, const Cluster& cluster, PodId pod, int sign);

/// Region and zone as the scheduler groups by them, the beta labels first. Both empty: none.
std::pair<Id, Id> ZoneOf(const ObjectLabels& labels, const Strings& strings);

/// Whether a pod has terms of affinity or anti-affinity, required or preferred.
bool HasAffinity(const PodSpec& spec);

/// Whether a pod of `spec` is one the term means: namespace and selector.
bool Matches(const PodAffinityTerm& term, const PodSpec& spec, const Cluster& cluster);

/// The nodes' values of one label key as small numbers. A node without the key counts as one whose
/// value is empty, and `has` tells the two apart.
struct Topology {
  Id key = 0;
  std::vector<std::int32_t> domain;  ///< by NodeId; kNone for a removed node
  std::vector<std::uint8_t> has;     ///< by NodeId
  std::int32_t domains = 0, nodes_with_key = 0;
};

/// A count of pods by value of a topology key; nodes without the key count nowhere.
struct DomainCounts {
  const Topology* topology = nullptr;
  std::uint64_t version = 0;
  std::vector<std::int32_t> of;  ///< by domain
  std::int64_t pods = 0;         ///< their sum
};

class PodIndex {
 public:
  explicit PodIndex(const Cluster& cluster) : cluster_(cluster) {}

  /// A count of pods by node, for pods that match all terms. Equal questions share a number.
  int Tally(std::vector<PodAffinityTerm> all_of, bool count_terminating);
  const std::vector<std::int32_t>& Counts(int tally);
  /// The same by value of a topology key. The reference stays good until the nodes change.
  const DomainCounts& CountsBy(int tally, Id key);
  /// Whether a pod of that spec is counted.
  bool TallyMatches(int tally, SpecId spec) { return Match(questions_[Index(tally)], spec); }

  /// Up to date with the nodes. The reference stays good until the nodes change.
  const Topology& TopologyOf(Id key);

  /// Specs with any affinity term that have pods on nodes.
  struct Carrier {
    SpecId spec = kNone;
    std::int64_t pods = 0;
    std::vector<std::int32_t> counts;  ///< by NodeId
    std::deque<DomainCounts> by_key;
  };
  const std::vector<Carrier>& carriers() const { return carriers_; }
  /// The pods of one of them by value of a topology key.
  const DomainCounts& CarrierBy(std::size_t carrier, Id key);

  /// The cluster's: a pod now counts on the node (1) or no longer does (-1).
  void CountPod(PodId pod, NodeId node, int sign);

 private:
  struct Question {
    std::vector<PodAffinityTerm> all_of;
    bool count_terminating = true;
    std::vector<std::int32_t> counts;  // by NodeId
    std::vector<std::int8_t> matches;  // by SpecId; -1 not asked yet
    std::uint64_t version = 0;
    std::deque<DomainCounts> by_key;  // references stay good
  };
  void Refresh(Question& question);
  const DomainCounts& By(std::deque<DomainCounts>& by_key, Id key,
                         const std::vector<std::int32_t>& counts);
  void CountDomains(std::deque<DomainCounts>& by_key, NodeId node, int sign) const;
  bool Match(Question& question, SpecId spec);
  void CountCarrier(SpecId spec, NodeId node, int sign);

  const Cluster& cluster_;
  std::deque<Question> questions_;  // references to counts stay good
  std::unordered_map<Id, std::pair<std::uint64_t, Topology>> topologies_;
  std::vector<Carrier> carriers_;
  std::vector<std::int32_t> carrier_of_spec_;
};

class Cluster {
 public:
  Cluster(const Release& release, std::shared_ptr<Strings> strings);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  const Release& release() const { return release_; }
  Strings& strings() const { return *strings_; }
  const std::shared_ptr<Strings>& shared_strings() const { return strings_; }

  // Nodes. A removed node's id is not used again; its pods stay pods without a node.
  NodeId AddNode(Node node);
  void UpdateNode(NodeId id, Node node);
  void RemoveNode(NodeId id);
  /// kNone if there is none of that name.
  NodeId FindNode(Id name) const;
  const NodeInfo& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const HotNode& hot(NodeId id) const { return hot_[static_cast<std::size_t>(id)]; }
  /// How many nodes are unschedulable, have taints; how many pods are nominated.
  std::int32_t unschedulable_nodes() const { return unschedulable_nodes_; }
  std::int32_t tainted_nodes() const { return tainted_nodes_; }
  std::int32_t nominated_pods() const { return nominated_pods_; }
  /// Whether any node has an image.
  bool has_images() const { return !images_.empty(); }
  /// One more than the highest id ever given.
  std::int32_t node_limit() const { return static_cast<std::int32_t>(nodes_.size()); }
  /// The living nodes, zones interleaved: the order of every loop of the scheduler.
  std::span<const NodeId> order() const;
  std::int32_t node_count() const { return node_count_; }

  /// What an attempt begins with: nodes that changed since the last one are copied anew.
  void TakeSnapshot() const;

  // Specs: shared by pods, never removed.
  SpecId AddSpec(PodSpec spec);
  const PodSpec& spec(SpecId id) const { return *specs_[static_cast<std::size_t>(id)]; }

  std::int32_t spec_limit() const { return static_cast<std::int32_t>(specs_.size()); }

  // Pods. Create makes a pending pod; Bind (or assume) puts it on a node; Unbind (forget) takes it
  // off; Delete ends it (also off its node and nomination) and frees its id.
  PodId CreatePod(std::string name, SpecId spec, Id uid = 0);
  void BindPod(PodId pod, NodeId node);
  void UnbindPod(PodId pod);
  void DeletePod(PodId pod);
  /// `preempted`: a scheduler's preemption did it.
  void SetTerminating(PodId pod, bool preempted = true);
  void SetStart(PodId pod, std::int64_t start_ms) { pods_[Index(pod)].start_ms = start_ms; }
  /// Replaces a nomination; kNone clears it. BindPod clears it too.
  void Nominate(PodId pod, NodeId node);
  const Pod& pod(PodId id) const { return pods_[static_cast<std::size_t>(id)]; }
  const PodSpec& SpecOf(PodId id) const { return spec(pod(id).spec); }
  std::int32_t pod_limit() const { return static_cast<std::int32_t>(pods_.size()); }

  // The other objects.
  void PutWorkload(Workload workload);  ///< replaces the one of that kind, namespace and name
  void PutBudget(DisruptionBudget budget);
  void PutNamespace(Id name, ObjectLabels labels);
  Volumes& volumes() { return volume_objects_; }
  const Volumes& volumes() const { return volume_objects_; }
  const std::vector<Workload>& workloads() const { return workloads_; }
  const std::vector<DisruptionBudget>& budgets() const { return budgets_; }
  /// ObjectLabels of a namespace; none if it is not known.
  const ObjectLabels& NamespaceLabels(Id name) const;
  const std::unordered_map<Id, ObjectLabels>& namespaces() const { return namespaces_; }

  /// Grows with every change of nodes (not pods), workloads, budgets, namespaces.
  std::uint64_t version() const { return version_; }

  /// Counts of pods by node that attempts ask for again and again; kept up to date by the cluster.
  PodIndex& index() const { return index_; }

 private:
  void Mirror(NodeId id);
  void AddImages(NodeId id);
  void Touch(const NodeInfo& info);
  void CountClaims(PodId id, int sign);
  void RemoveImages(NodeId id);
  void AddToZone(NodeId id);
  void RemoveFromZone(NodeId id);

  struct Zone {
    std::pair<Id, Id> key;  ///< region, zone
    std::vector<NodeId> nodes;
  };
  struct ImageNodes {
    std::int64_t size_bytes = 0;
    std::int32_t nodes = 0;
  };

  Release release_;
  std::shared_ptr<Strings> strings_;
  std::vector<NodeInfo> nodes_;
  std::vector<HotNode> hot_;
  std::int32_t unschedulable_nodes_ = 0, tainted_nodes_ = 0, nominated_pods_ = 0;
  mutable PodIndex index_{*this};
  std::unordered_map<Id, NodeId> node_ids_;
  std::vector<std::pair<Id, Id>> node_zones_;
  std::int32_t node_count_ = 0;
  std::vector<Zone> zones_;
  mutable std::vector<NodeId> order_;
  mutable bool order_stale_ = false;
  std::unordered_map<Id, ImageNodes> images_;
  mutable std::vector<NodeId> touched_;  // nodes with images that changed since the last snapshot
  std::vector<std::unique_ptr<const PodSpec>> specs_;
  std::vector<Pod> pods_;
  std::vector<PodId> free_pods_;
  std::vector<Workload> workloads_;
  std::vector<DisruptionBudget> budgets_;
  Volumes volume_objects_;
  std::unordered_map<Id, ObjectLabels> namespaces_;
  std::uint64_t version_ = 0;
};

/// The key (namespace/name) of the claim behind a pod's volume, kNone for a disk in the pod itself
/// and for the claim of an ephemeral volume that nobody has created.
Id ClaimKeyOf(const Cluster& cluster, PodId pod, const PodVolume& volume);

/// Both sides know of each other.
inline bool IsBound(const VolumeClaim& claim) {
  return claim.volume != kEmptyText && claim.bind_completed;
}

/// What a node has for a pod's claims.
struct VolumeFit {
  bool bound_fit = true;                   ///< bound volumes can be used there
  bool found = true;                       ///< waiting claims have a volume or can be provisioned
  bool enough_space = true;                ///< the storage there is large enough
  bool bound_exist = true;                 ///< the volumes of bound claims exist
  std::vector<std::pair<Id, Id>> matched;  ///< claim, volume
  /// Claims, and where a driver tells its storage: what there is of it at the node, or null.
  std::vector<std::pair<Id, const StorageCapacity*>> provisioned;
};

/// Claims of a pod by what the scheduler has to do for them.
struct PodClaims {
  std::vector<const VolumeClaim*> bound, waiting, immediate;
};

VolumeFit FitVolumes(const Cluster& cluster, const PodClaims& claims, const Node& node);

/// Binds the waiting claims of a pod that goes to `node`, as scheduler and volume controller do
/// together: matching volumes, and new ones for that node's zone. False if there are none.
bool BindVolumes(Cluster& cluster, PodId pod, NodeId node);
/// The pod's claims that exist, sorted by what is to be done.
PodClaims ClaimsOf(const Cluster& cluster, PodId pod);

}  // namespace schedlens::sim::core
