// Plugins that look at volumes and their claims.

#include "base/text.h"
#include "scheduler/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

std::string NotFound(std::string_view kind, Id name, const Strings& strings) {
  return fmt::format("{} \"{}\" not found", kind, strings.Text(name));
}

// VolumeBinding: bound volumes must reach the node, waiting claims must find or get one there.

class VolumeBinding : public Plugin {
 public:
  explicit VolumeBinding(const PluginContext& context)
      : shape_(context.profile.args.volume_shape) {}
  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    refusal_.clear();
    claims_ = {};
    has_claims_ = attempt.spec.volume_claims > 0;
    if (!has_claims_) return Code::kSuccess;
    refusal_ = RefusalOf(attempt);
    if (refusal_.empty()) {
      claims_ = ClaimsOf(attempt.cluster, attempt.pod);
      if (!claims_.immediate.empty()) refusal_ = "pod has unbound immediate PersistentVolumeClaims";
    }
    return refusal_.empty() ? Code::kSuccess : Code::kUnresolvable;
  }
  Texts PreFilterReasons(const Attempt&) const override { return {refusal_}; }

  bool PassesAll(const Attempt&) const override { return !has_claims_; }
  bool SkipsScore(const Attempt& attempt) const override { return attempt.minor < 37; }
  bool ScoresAlike(const Attempt& attempt) const override {
    return SkipsScore(attempt) || claims_.waiting.empty();
  }

  // From 1.37 (StorageCapacityScoring): by how much of a class's storage the claims take there.
  // kubernetes 1.37, pkg/scheduler/framework/plugins/volumebinding.
  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = claims_.waiting.empty() ? 0 : ScoreOf(attempt, nodes[i]);
    }
  }

  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    if (!refusal_.empty()) return Reject(Code::kUnresolvable, why, refusal_);
    const VolumeFit fit = FitVolumes(attempt.cluster, claims_, info.node);
    Code code = Code::kSuccess;
    const auto need = [&](bool fits, std::string_view reason) {
      if (!fits) code = Reject(Code::kUnresolvable, why, reason);
    };
    need(fit.bound_fit, attempt.minor >= 32
                            ? "node(s) didn't match PersistentVolume's node affinity"
                            : "node(s) had volume node affinity conflict");
    need(fit.found, "node(s) didn't find available persistent volumes to bind");
    need(fit.enough_space, "node(s) did not have enough free storage");
    need(fit.bound_exist,
         "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    return code;
  }

 private:
  // Of the first claim that cannot be used at all; empty if there is none.
  static std::string RefusalOf(const Attempt& attempt) {
    const Strings& strings = attempt.cluster.strings();
    const Volumes& volumes = attempt.cluster.volumes();
    for (const PodVolume& volume : attempt.spec.volumes) {
      const bool ephemeral = volume.kind == PodVolume::Kind::kEphemeral;
      if (volume.kind != PodVolume::Kind::kClaim && !ephemeral) continue;
      const VolumeClaim* claim =
          volumes.FindClaim(ClaimKeyOf(attempt.cluster, attempt.pod, volume));
      if (claim == nullptr && ephemeral) {
        return fmt::format(
            "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}-{}\"",
            attempt.cluster.pod(attempt.pod).name, strings.Text(volume.name));
      }
      if (claim == nullptr) return NotFound("persistentvolumeclaim", volume.claim_name, strings);
      if (claim->lost) {
        return fmt::format(
            "persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
            strings.Text(claim->name), strings.Text(claim->volume));
      }
      if (claim->deleting) {
        return fmt::format("persistentvolumeclaim \"{}\" is being deleted",
                           strings.Text(claim->name));
      }
    }
    return "";
  }

  struct Storage {
    std::int64_t requested = 0, capacity = 0;  // bytes
  };

  // Volumes that are there count before those that are to be made.
  std::int64_t ScoreOf(const Attempt& attempt, NodeId node) const {
    const Volumes& volumes = attempt.cluster.volumes();
    const VolumeFit fit = FitVolumes(attempt.cluster, claims_, attempt.cluster.node(node).node);
    std::map<Id, Storage> by_class;
    for (const auto& [key, name] : fit.matched) {
      const VolumeClaim& claim = *volumes.FindClaim(key);
      Storage& storage = by_class[claim.storage_class];
      storage.requested += claim.request;
      storage.capacity += volumes.FindVolume(name)->capacity;
    }
    for (const auto& [key, space] : fit.provisioned) {
      if (!fit.matched.empty() || space == nullptr) continue;
      const VolumeClaim& claim = *volumes.FindClaim(key);
      Storage& storage = by_class[claim.storage_class];
      storage.requested += claim.request;
      storage.capacity = space->capacity.value_or(0);
    }
    std::int64_t sum = 0;
    for (const auto& [name, storage] : by_class) {
      const bool over = storage.capacity == 0 || storage.requested > storage.capacity;
      sum += OnShape(shape_, over ? 100 : Percent(storage.requested, storage.capacity));
    }
    const double classes = static_cast<double>(std::max<std::size_t>(1, by_class.size()));
    return static_cast<std::int64_t>(std::round(static_cast<double>(sum) / classes));
  }

  std::string refusal_;
  bool has_claims_ = false;
  PodClaims claims_;
  std::vector<ShapePoint> shape_;  // score by percentage used
};

// VolumeRestrictions: disks that only one pod of a node can have, and claims that only one pod of
// the cluster can have.

class VolumeRestrictions : public Plugin {
 public:
  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    missing_ = kNone;
    has_disks_ = false;
    users_ = 0;
    exclusive_.clear();
    const Volumes& volumes = attempt.cluster.volumes();
    for (const PodVolume& volume : attempt.spec.volumes) {
      if (volume.kind == PodVolume::Kind::kEphemeral) continue;
      if (volume.kind != PodVolume::Kind::kClaim) {
        has_disks_ = true;
        continue;
      }
      if (attempt.minor < 22) continue;
      const VolumeClaim* claim = volumes.FindClaim(volume.claim);
      if (claim == nullptr) {
        missing_ = volume.claim_name;
        return Code::kUnresolvable;
      }
      if (attempt.minor < 27 || (claim->access_modes & kReadWriteOncePod) == 0) continue;
      exclusive_.push_back(claim->key);
      users_ += volumes.Users(claim->key) > 0 ? 1 : 0;
    }
    return Code::kSuccess;
  }
  Texts PreFilterReasons(const Attempt& attempt) const override {
    return {NotFound("persistentvolumeclaim", missing_, attempt.cluster.strings())};
  }

  bool PassesAll(const Attempt&) const override {
    return missing_ == kNone && !has_disks_ && users_ == 0;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    if (missing_ != kNone) {
      return Reject(Code::kUnresolvable, why, PreFilterReasons(attempt).front());
    }
    if (ClashesOn(attempt, info)) {
      return Reject(Code::kUnschedulable, why, "node(s) had no available disk");
    }
    if (users_ <= 0) return Code::kSuccess;
    return Reject(Code::kUnschedulable, why,
                  attempt.minor >= 32
                      ? "node(s) unavailable due to PersistentVolumeClaim with "
                        "ReadWriteOncePod access mode already in-use by another pod"
                      : "node has pod using PersistentVolumeClaim with the same name and "
                        "ReadWriteOncePod access mode");
  }

  void ApplyPod(const Attempt& attempt, PodId pod, NodeId, int sign) override {
    if (exclusive_.empty()) return;
    for (const PodVolume& volume : attempt.cluster.SpecOf(pod).volumes) {
      if (std::ranges::find(exclusive_, volume.claim) != exclusive_.end() &&
          volume.kind == PodVolume::Kind::kClaim) {
        users_ += sign;
      }
    }
  }

 private:
  bool ClashesOn(const Attempt& attempt, const NodeInfo& info) const {
    if (!has_disks_) return false;
    return std::ranges::any_of(info.pods, [&](PodId pod) {
      const auto& theirs = attempt.cluster.SpecOf(pod).volumes;
      return std::ranges::any_of(theirs, [&](const PodVolume& there) {
        return std::ranges::any_of(attempt.spec.volumes,
                                   [&](const PodVolume& own) { return Clash(own, there); });
      });
    });
  }

  // An EBS volume is attached once even for reading; two of the others may read.
  static bool Clash(const PodVolume& a, const PodVolume& b) {
    using Kind = PodVolume::Kind;
    if (a.kind != b.kind || a.kind == Kind::kClaim || a.kind == Kind::kEphemeral) return false;
    if (a.disk != b.disk) return false;
    if (a.kind == Kind::kEbs) return true;
    const auto shared = std::ranges::find_first_of(a.monitors, b.monitors);
    if (a.kind == Kind::kRbd && shared == a.monitors.end()) return false;
    return !(a.read_only && b.read_only);
  }

  Id missing_ = kNone;  // the name of a claim that does not exist
  bool has_disks_ = false;
  std::int32_t users_ = 0;     // of the claims below
  std::vector<Id> exclusive_;  // ReadWriteOncePod claims
};

// VolumeZone: bound volumes with labels for zone or region, as cloud providers gave them.

class VolumeZone : public Plugin {
 public:
  explicit VolumeZone(const PluginContext& context) {
    constexpr std::string_view kKeys[] = {
        "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/zone", "topology.kubernetes.io/region"};
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      keys_[i] = context.cluster.strings().Intern(kKeys[i]);
    }
  }

  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    refusal_.clear();
    wanted_.clear();
    for (const PodVolume& volume : attempt.spec.volumes) {
      if (volume.kind != PodVolume::Kind::kClaim) continue;
      refusal_ = AddClaim(attempt, volume);
      if (!refusal_.empty()) return Code::kUnresolvable;
    }
    return Code::kSuccess;
  }
  Texts PreFilterReasons(const Attempt&) const override { return {refusal_}; }

  bool PassesAll(const Attempt&) const override { return refusal_.empty() && wanted_.empty(); }
  Code Filter(const Attempt&, const NodeInfo& info, Texts* why) const override {
    if (!refusal_.empty()) return Reject(Code::kUnresolvable, why, refusal_);
    const ObjectLabels& labels = info.node.labels;
    const bool zoned =
        std::ranges::any_of(keys_, [&](Id key) { return FindLabel(labels, key) != kNone; });
    if (!zoned) return Code::kSuccess;
    const bool fits = std::ranges::all_of(wanted_, [&](const Wanted& wanted) {
      Id value = FindLabel(labels, keys_[wanted.key]);
      // A node may have the new label only.
      if (value == kNone && wanted.key < 2) value = FindLabel(labels, keys_[wanted.key + 2]);
      return std::ranges::find(wanted.values, value) != wanted.values.end();
    });
    if (fits) return Code::kSuccess;
    return Reject(Code::kUnresolvable, why, "node(s) had no available volume zone");
  }

 private:
  // A label of a volume and the values that do.
  struct Wanted {
    std::size_t key = 0;
    std::vector<Id> values;
  };

  // The refusal; empty if there is none.
  std::string AddClaim(const Attempt& attempt, const PodVolume& from) {
    const Strings& strings = attempt.cluster.strings();
    const Volumes& volumes = attempt.cluster.volumes();
    const VolumeClaim* claim = volumes.FindClaim(from.claim);
    if (claim == nullptr) return NotFound("persistentvolumeclaim", from.claim_name, strings);
    if (claim->volume == kEmptyText) return RefusalOfUnbound(attempt, *claim);
    const PersistentVolume* volume = volumes.FindVolume(claim->volume);
    if (volume == nullptr) return NotFound("persistentvolume", claim->volume, strings);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Id value = FindLabel(volume->labels, keys_[i]);
      if (value != kNone) AddLabel(i, strings.Text(value), strings);
    }
    return "";
  }

  // A waiting claim gets its volume where the pod goes.
  static std::string RefusalOfUnbound(const Attempt& attempt, const VolumeClaim& claim) {
    const Id name = claim.storage_class;
    if (name == kEmptyText) return "PersistentVolumeClaim had no pv name and storageClass name";
    const Strings& strings = attempt.cluster.strings();
    const StorageClass* storage_class = attempt.cluster.volumes().FindClass(name);
    if (storage_class == nullptr) return NotFound("storageclass.storage.k8s.io", name, strings);
    if (!storage_class->has_mode) {
      return fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", strings.Text(name));
    }
    return storage_class->waits ? "" : "PersistentVolume had no name";
  }

  // One value, or several with `__` between them. A list with an empty one says nothing.
  void AddLabel(std::size_t key, std::string_view text, const Strings& strings) {
    Wanted wanted{key, {}};
    constexpr std::string_view kBetween = "__";
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(kBetween, begin), text.size());
      const std::string_view value = Trimmed(text.substr(begin, end - begin), " ");
      if (value.empty()) return;
      wanted.values.push_back(strings.Find(value));
      begin = end + kBetween.size();
    }
    // A value that no object has is no node's either.
    std::erase(wanted.values, kNone);
    wanted_.push_back(std::move(wanted));
  }

  std::array<Id, 4> keys_{};
  std::string refusal_;
  std::vector<Wanted> wanted_;
};

// NodeVolumeLimits: how many volumes of a CSI driver a node can have attached. A volume that
// several pods use counts once.

// A volume: its driver and handle; of a claim without one yet, its class's driver and the claim.
struct Attached {
  Id driver = 0, handle = 0;
  bool pending = false;
  friend bool operator==(const Attached&, const Attached&) = default;
};

class NodeVolumeLimits : public Plugin {
 public:
  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    missing_ = kNone;
    asked_.clear();
    for (const PodVolume& volume : attempt.spec.volumes) {
      if (volume.kind != PodVolume::Kind::kClaim) continue;
      if (attempt.cluster.volumes().FindClaim(volume.claim) != nullptr) continue;
      missing_ = volume.claim;
      missing_name_ = volume.claim_name;
      return Code::kSuccess;  // its Filter rejects
    }
    AddVolumes(attempt.cluster, attempt.pod, asked_);
    return Code::kSuccess;
  }

  bool PassesAll(const Attempt& attempt) const override {
    return attempt.spec.volume_claims == 0 || (missing_ == kNone && asked_.empty());
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    if (missing_ != kNone) {
      const Strings& strings = attempt.cluster.strings();
      return Reject(Code::kUnresolvable, why,
                    fmt::format("looking up PVC {}: persistentvolumeclaim \"{}\" not found",
                                strings.Text(missing_), strings.Text(missing_name_)));
    }
    if (asked_.empty()) return Code::kSuccess;
    const auto limits = LimitsOf(attempt.cluster, info.node);
    if (limits.empty()) return Code::kSuccess;
    std::vector<Attached> attached;
    for (const PodId pod : info.pods) AddVolumes(attempt.cluster, pod, attached);
    for (const auto& [driver, limit] : limits) {
      std::int64_t more = 0;
      for (const Attached& volume : asked_) {
        const bool there = std::ranges::find(attached, volume) != attached.end();
        more += volume.driver == driver && !there;
      }
      const auto count = std::ranges::count_if(
          attached, [&name = driver](const Attached& v) { return v.driver == name; });
      if (more > 0 && count + more > limit) {
        return Reject(Code::kUnschedulable, why, "node(s) exceed max volume count");
      }
    }
    return Code::kSuccess;
  }

 private:
  // Of the CSINode, or else of the allocatable of the node.
  static std::vector<std::pair<Id, std::int64_t>> LimitsOf(const Cluster& cluster,
                                                           const Node& node) {
    std::vector<std::pair<Id, std::int64_t>> out;
    const Strings& strings = cluster.strings();
    const CsiNode* csi = cluster.volumes().FindCsiNode(node.name);
    if (csi != nullptr) out = csi->limits;
    for (const ScalarAmount& scalar : node.allocatable.scalars) {
      constexpr std::string_view kPrefix = "attachable-volumes-csi-";
      const std::string& name = strings.Text(scalar.name);
      if (!name.starts_with(kPrefix)) continue;
      const Id driver = strings.Find(std::string_view(name).substr(kPrefix.size()));
      const bool known =
          std::ranges::any_of(out, [&](const auto& limit) { return limit.first == driver; });
      if (driver != kNone && !known) out.emplace_back(driver, scalar.amount);
    }
    return out;
  }

  static void AddVolumes(const Cluster& cluster, PodId pod, std::vector<Attached>& out) {
    for (const PodVolume& volume : cluster.SpecOf(pod).volumes) {
      const VolumeClaim* claim = cluster.volumes().FindClaim(ClaimKeyOf(cluster, pod, volume));
      if (claim == nullptr) continue;
      const Attached attached = AttachedOf(cluster.volumes(), *claim);
      if (attached.driver == kEmptyText || attached.handle == kEmptyText) continue;
      if (std::ranges::find(out, attached) == out.end()) out.push_back(attached);
    }
  }

  static Attached AttachedOf(const Volumes& volumes, const VolumeClaim& claim) {
    const PersistentVolume* volume =
        claim.volume == kEmptyText ? nullptr : volumes.FindVolume(claim.volume);
    if (volume != nullptr) return {volume->driver, volume->handle, false};
    const StorageClass* storage_class = volumes.FindClass(claim.storage_class);
    if (storage_class == nullptr) return {};
    return {storage_class->provisioner, claim.key, true};
  }

  Id missing_ = kNone, missing_name_ = kNone;  // a claim that does not exist
  std::vector<Attached> asked_;
};

constexpr PluginMaker kVolumePlugins[] = {
    {"VolumeBinding", Make<VolumeBinding>},
    {"VolumeRestrictions", Make<VolumeRestrictions>},
    {"VolumeZone", Make<VolumeZone>},
    {"NodeVolumeLimits", Make<NodeVolumeLimits>},
};

}  // namespace

std::span<const PluginMaker> VolumePlugins() { return kVolumePlugins; }

}  // namespace schedlens::sim::core
