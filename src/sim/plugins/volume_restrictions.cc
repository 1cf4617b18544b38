// VolumeRestrictions: disks that only one pod of a node can have, and claims that only one pod of
// the cluster can have.

#include <fmt/format.h>

#include <algorithm>

#include "sim/cluster/volumes.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

using Texts = std::vector<std::string>;

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
    return {fmt::format("persistentvolumeclaim \"{}\" not found",
                        attempt.cluster.strings().Text(missing_))};
  }

  bool PassesAll(const Attempt&) const override {
    return missing_ == kNone && !has_disks_ && users_ == 0;
  }
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    if (missing_ != kNone) return Code::kUnresolvable;
    return users_ > 0 || ClashesOn(attempt, info) ? Code::kUnschedulable : Code::kSuccess;
  }
  Texts Reasons(const Attempt& attempt, const NodeInfo& info) const override {
    if (missing_ != kNone) return PreFilterReasons(attempt);
    if (ClashesOn(attempt, info)) return {"node(s) had no available disk"};
    return {attempt.minor >= 32 ? "node(s) unavailable due to PersistentVolumeClaim with "
                                  "ReadWriteOncePod access mode already in-use by another pod"
                                : "node has pod using PersistentVolumeClaim with the same name and "
                                  "ReadWriteOncePod access mode"};
  }

  void ApplyPod(const Attempt& attempt, PodId pod, NodeId, int sign) override {
    if (exclusive_.empty()) return;
    for (const PodVolume& volume : attempt.cluster.SpecOf(pod).volumes) {
      if (std::find(exclusive_.begin(), exclusive_.end(), volume.claim) != exclusive_.end() &&
          volume.kind == PodVolume::Kind::kClaim) {
        users_ += sign;
      }
    }
  }

 private:
  bool ClashesOn(const Attempt& attempt, const NodeInfo& info) const {
    if (!has_disks_) return false;
    return std::any_of(info.pods.begin(), info.pods.end(), [&](PodId pod) {
      const auto& theirs = attempt.cluster.SpecOf(pod).volumes;
      return std::any_of(theirs.begin(), theirs.end(), [&](const PodVolume& there) {
        return std::any_of(attempt.spec.volumes.begin(), attempt.spec.volumes.end(),
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
    if (a.kind == Kind::kRbd && !Overlap(a.monitors, b.monitors)) return false;
    return !(a.read_only && b.read_only);
  }

  static bool Overlap(const std::vector<Id>& a, const std::vector<Id>& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](Id one) { return std::find(b.begin(), b.end(), one) != b.end(); });
  }

  Id missing_ = kNone;  // the name of a claim that does not exist
  bool has_disks_ = false;
  std::int32_t users_ = 0;     // of the claims below
  std::vector<Id> exclusive_;  // ReadWriteOncePod claims
};

}  // namespace

std::unique_ptr<Plugin> MakeVolumeRestrictions(const PluginContext&) {
  return std::make_unique<VolumeRestrictions>();
}

}  // namespace schedlens::sim::core
