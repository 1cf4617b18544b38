#pragma once

// Kubernetes objects as the scheduler sees them: plain structs, every text an interned number.
// A `PodSpec` is what replicas share; a pod of its own (name, node, start) is in cluster.h.

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "scheduler/base/release.h"

namespace schedlens::sim::core {

// Texts as small numbers, and the numbers of nodes, pods and specs.
using Id = std::int32_t;      ///< an interned text; 0 is the empty text
using NodeId = std::int32_t;  ///< a node of a Cluster
using PodId = std::int32_t;   ///< a pod of a Cluster
using SpecId = std::int32_t;  ///< a PodSpec of a Cluster
constexpr Id kEmptyText = 0;
constexpr std::int32_t kNone = -1;  ///< no node, no pod, no spec

/// An id, which must not be kNone, as the index of a vector.
constexpr std::size_t Index(std::int32_t id) { return static_cast<std::size_t>(id); }

/// Texts by number. Numbers are dense, from 0, in order of first use.
class Strings {
 public:
  Strings();
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  Id Intern(std::string_view text);
  /// kNone if the text was never interned.
  Id Find(std::string_view text) const;
  const std::string& Text(Id id) const { return texts_[static_cast<std::size_t>(id)]; }
  /// The text as Go's strconv.ParseInt(text, 10, 64) reads it, for Gt and Lt; nothing if it fails.
  const std::optional<std::int64_t>& Integer(Id id) const {
    return integers_[static_cast<std::size_t>(id)];
  }

 private:
  std::deque<std::string> texts_;
  std::deque<std::optional<std::int64_t>> integers_;
  std::unordered_map<std::string_view, Id> ids_;
};

struct Label {
  Id key = 0, value = 0;
  friend bool operator==(const Label&, const Label&) = default;
};
/// Sorted by key, one value a key.
using ObjectLabels = std::vector<Label>;
/// The value of `key`, kNone if the labels do not have it or it is kNone.
Id FindLabel(const ObjectLabels& labels, Id key);

enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct Requirement {
  Id key = 0;
  Operator op = Operator::kIn;
  std::vector<Id> values;  ///< sorted; exactly one for Gt and Lt
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

/// A label selector. `nothing` is a selector that is not there (null); no requirements match all.
struct LabelSelector {
  bool nothing = true;
  std::vector<Requirement> requirements;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// matchLabels and matchExpressions: all must hold. NotIn and DoesNotExist hold for a missing key.
bool Matches(const LabelSelector& selector, const ObjectLabels& labels);

/// Expressions on labels, fields on metadata.name: all must hold. With neither it matches no node.
struct NodeSelectorTerm {
  std::vector<Requirement> expressions;
  std::vector<Requirement> fields;  ///< key is metadata.name
  bool invalid = false;             ///< an operator or a value that does not parse: never matches
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};
struct PreferredTerm {
  NodeSelectorTerm term;
  std::int64_t weight = 0;
  friend bool operator==(const PreferredTerm&, const PreferredTerm&) = default;
};

/// `name` is the node's name, for fields. Gt and Lt need both sides to be integers.
bool Matches(const NodeSelectorTerm& term, const ObjectLabels& labels, Id name,
             const Strings& strings);

/// Whether any term matches; true without a list.
bool MatchesAny(const std::optional<std::vector<NodeSelectorTerm>>& terms,
                const ObjectLabels& labels, Id name, const Strings& strings);

struct NodeAffinity {
  std::optional<std::vector<NodeSelectorTerm>> required;  ///< terms are ORed; none match nothing
  std::vector<PreferredTerm> preferred;
  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

struct PodAffinityTerm {
  LabelSelector selector;
  std::vector<Id> namespaces;  ///< sorted; the pod's own if nothing else was given
  std::optional<LabelSelector> namespace_selector;  ///< >= 1.21; an empty one means all namespaces
  Id topology_key = 0;
  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};
struct WeightedPodAffinityTerm {
  PodAffinityTerm term;
  std::int64_t weight = 0;
  friend bool operator==(const WeightedPodAffinityTerm&, const WeightedPodAffinityTerm&) = default;
};

struct SpreadConstraint {
  std::int32_t max_skew = 1;
  Id topology_key = 0;
  bool hard = true;  ///< DoNotSchedule; else ScheduleAnyway
  LabelSelector selector;
  std::int32_t min_domains = 1;               ///< >= 1.27
  bool honor_node_affinity = true;            ///< nodeAffinityPolicy, >= 1.26
  bool honor_node_taints = false;             ///< nodeTaintsPolicy, >= 1.26
  std::vector<Requirement> match_label_keys;  ///< the pod's own values, >= 1.27
  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

enum class Effect : std::uint8_t { kAny, kNoSchedule, kPreferNoSchedule, kNoExecute, kOther };

struct Taint {
  Id key = 0, value = 0;
  Effect effect = Effect::kNoSchedule;
  friend bool operator==(const Taint&, const Taint&) = default;
};
struct Toleration {
  Id key = 0;  ///< empty: every key (only with Exists)
  Id value = 0;
  bool exists = false;   ///< operator Exists; else Equal
  bool invalid = false;  ///< any other operator: tolerates nothing
  Effect effect = Effect::kAny;
  friend bool operator==(const Toleration&, const Toleration&) = default;
};
/// Whether any of them does.
bool Tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

struct HostPort {
  Id ip = 0;  ///< empty: any address
  Id protocol = 0;
  std::int32_t port = 0;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};
/// Whether one of the wanted ports is in use at its address.
bool Collide(const std::vector<HostPort>& wanted, const std::vector<HostPort>& used);

/// An amount of an extended resource, hugepages and the like.
struct ScalarAmount {
  Id name = 0;
  std::int64_t amount = 0;
  friend bool operator==(const ScalarAmount&, const ScalarAmount&) = default;
};

/// cpu in thousandths of a core, memory and ephemeral storage in bytes, pods a count.
struct Resources {
  std::int64_t milli_cpu = 0, memory = 0, ephemeral_storage = 0, pods = 0;
  std::vector<ScalarAmount> scalars;  ///< in order of name

  std::int64_t Scalar(Id name) const;  ///< 0 if it is not there
  void AddScalar(Id name, std::int64_t amount);
  /// Each of them `times`; `pods` apart.
  void Add(const Resources& more, int times = 1);
  /// Of each resource at least what `least` has; `pods` apart.
  void RaiseTo(const Resources& least);
  /// Whether `capacity` has as much of each; `pods` apart.
  bool FitsIn(const Resources& capacity) const;
  friend bool operator==(const Resources&, const Resources&) = default;
};

struct Container {
  Resources requests;
  bool has_cpu = false;  ///< a request, even one of 0
  bool has_memory = false;
  bool sidecar = false;  ///< an init container with restartPolicy Always, >= 1.28
  /// What the node's kubelet says it has (status.containerStatuses: the larger of resources and
  /// allocatedResources), while a resize may be under way; >= 1.33.
  std::optional<Resources> actual;
  Id image = 0;  ///< normalised: with `:latest` if it had no tag; 0 without one
  friend bool operator==(const Container&, const Container&) = default;
};

/// What created a pod (the owner reference with controller: true).
struct Controller {
  Id api_version = 0, kind = 0, name = 0, uid = 0;
  friend bool operator==(const Controller&, const Controller&) = default;
};

/// cpu and memory with 100m and 200 MiB for each container that asks for none.
struct NonZero {
  std::int64_t milli_cpu = 0, memory = 0;
  friend bool operator==(const NonZero&, const NonZero&) = default;
};

/// A volume of a pod that some plugin looks at: a claim, or a disk in the pod itself.
struct PodVolume {
  enum class Kind : std::uint8_t { kClaim, kEphemeral, kGce, kEbs, kIscsi, kRbd };
  Kind kind = Kind::kClaim;
  Id name = 0;                   ///< of the volume; an ephemeral one's claim is POD-NAME
  Id claim = 0, claim_name = 0;  ///< kClaim: namespace/name, name
  Id disk = 0;                   ///< of disks: what two pods may not both have
  bool read_only = false;
  std::vector<Id> monitors;  ///< kRbd
  friend bool operator==(const PodVolume&, const PodVolume&) = default;
};

/// The pod's own spec.resources.requests, for all containers: only cpu, memory and hugepages.
struct PodLevelRequests {
  std::optional<std::int64_t> milli_cpu, memory;
  std::vector<ScalarAmount> hugepages;
  bool any() const { return milli_cpu || memory || !hugepages.empty(); }
  friend bool operator==(const PodLevelRequests&, const PodLevelRequests&) = default;
};

/// All that replicas have in common. Fill it, then Resolve it.
struct PodSpec {
  Id namespace_name = 0;
  ObjectLabels labels;
  std::optional<Controller> controller;
  Id scheduler_name = 0;
  std::int64_t priority = 0;
  bool never_preempts = false;  ///< preemptionPolicy Never
  Id node_name = 0;             ///< spec.nodeName asked for (0: none)

  std::vector<Container> containers, init_containers;
  std::vector<Id> image_volumes;   ///< images of volumes, >= 1.36
  PodLevelRequests pod_requests;   ///< >= 1.34
  bool resize_infeasible = false;  ///< the kubelet refused the resize: only `actual` counts
  Resources overhead;
  bool overhead_has_cpu = false, overhead_has_memory = false;
  std::int64_t overhead_cpu_value = 0;  ///< overhead cpu in whole cores rounded up
  std::vector<HostPort> host_ports;
  std::vector<HostPort> sidecar_ports;  ///< counted by the scheduler from 1.34 on

  ObjectLabels node_selector;
  NodeAffinity node_affinity;
  std::vector<PodAffinityTerm> required_affinity, required_anti_affinity;
  std::vector<WeightedPodAffinityTerm> preferred_affinity, preferred_anti_affinity;
  std::vector<SpreadConstraint> spread;
  std::vector<Toleration> tolerations;
  std::int32_t scheduling_gates = 0;
  std::int32_t volume_claims = 0;  ///< volumes that are claims
  std::vector<PodVolume> volumes;

  // Filled by Resolve.
  Resources request;                 ///< what the filter counts and the node's `requested` grows by
  NonZero nonzero;                   ///< what the node's non-zero requests grow by
  NonZero score_nonzero;             ///< what scorers on non-zero requests add for this pod
  std::int64_t score_milli_cpu = 0;  ///< what scorers on real requests add for this pod's cpu
  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

/// Computes those four as `release` does.
void Resolve(PodSpec& spec, const Release& release);

struct Image {
  std::vector<Id> names;
  std::int64_t size_bytes = 0;
};

struct Node {
  Id name = 0;
  ObjectLabels labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  Resources allocatable;
  std::vector<Image> images;
  std::vector<Controller> avoids;  ///< the preferAvoidPods annotation: kind, name unused, uid
};

/// The first of the node's taints that keep pods away (NoSchedule, and of effect `also`) that the
/// pod does not tolerate; null without.
const Taint* UntoleratedTaint(const PodSpec& spec, const Node& node,
                              Effect also = Effect::kNoExecute);
/// nodeSelector and required node affinity.
bool MatchesRequiredNodeAffinity(const PodSpec& spec, const Node& node, const Strings& strings);

/// Anything that selects pods: Service and ReplicationController, ReplicaSet, StatefulSet.
struct Workload {
  enum class Kind : std::uint8_t { kService, kReplicationController, kReplicaSet, kStatefulSet };
  Kind kind = Kind::kService;
  Id namespace_name = 0, name = 0;
  LabelSelector selector;
};

struct DisruptionBudget {
  Id namespace_name = 0, name = 0;
  LabelSelector selector;
  std::int64_t disruptions_allowed = 0;
  std::vector<Id> disrupted_pods;  ///< names, sorted
};

}  // namespace schedlens::sim::core
