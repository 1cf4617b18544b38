// NodeVolumeLimits: how many volumes of a CSI driver a node can have attached. A volume that
// several pods use counts once.

#include <fmt/format.h>

#include <algorithm>

#include "sim/cluster/volumes.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

using Texts = std::vector<std::string>;

// A volume: its driver and handle; of a claim without one yet, its class's driver and the claim.
struct Attached {
  Id driver = 0;
  Id handle = 0;
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
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    if (missing_ != kNone) return Code::kUnresolvable;
    if (asked_.empty()) return Code::kSuccess;
    const auto limits = LimitsOf(attempt.cluster, info.node);
    if (limits.empty()) return Code::kSuccess;
    std::vector<Attached> attached;
    for (const PodId pod : info.pods) AddVolumes(attempt.cluster, pod, attached);
    for (const auto& [driver, limit] : limits) {
      std::int64_t more = 0;
      for (const Attached& volume : asked_) {
        const bool there = std::find(attached.begin(), attached.end(), volume) != attached.end();
        more += volume.driver == driver && !there;
      }
      const auto count =
          std::count_if(attached.begin(), attached.end(),
                        [&name = driver](const Attached& v) { return v.driver == name; });
      if (more > 0 && count + more > limit) return Code::kUnschedulable;
    }
    return Code::kSuccess;
  }
  Texts Reasons(const Attempt& attempt, const NodeInfo&) const override {
    if (missing_ == kNone) return {"node(s) exceed max volume count"};
    const Strings& strings = attempt.cluster.strings();
    return {fmt::format("looking up PVC {}: persistentvolumeclaim \"{}\" not found",
                        strings.Text(missing_), strings.Text(missing_name_))};
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
      const bool known = std::any_of(out.begin(), out.end(),
                                     [&](const auto& limit) { return limit.first == driver; });
      if (driver != kNone && !known) out.emplace_back(driver, scalar.amount);
    }
    return out;
  }

  static void AddVolumes(const Cluster& cluster, PodId pod, std::vector<Attached>& out) {
    for (const PodVolume& volume : cluster.SpecOf(pod).volumes) {
      const Id key = ClaimKeyOf(cluster, pod, volume);
      const VolumeClaim* claim = key == kNone ? nullptr : cluster.volumes().FindClaim(key);
      if (claim == nullptr) continue;
      const Attached attached = AttachedOf(cluster.volumes(), *claim);
      if (attached.driver == kEmptyText || attached.handle == kEmptyText) continue;
      if (std::find(out.begin(), out.end(), attached) == out.end()) out.push_back(attached);
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

}  // namespace

std::unique_ptr<Plugin> MakeNodeVolumeLimits(const PluginContext&) {
  return std::make_unique<NodeVolumeLimits>();
}

}  // namespace schedlens::sim::core
