// VolumeBinding: bound volumes must reach the node, waiting claims must find or get one there.

#include <fmt/format.h>

#include "sim/cluster/volumes.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

using Texts = std::vector<std::string>;

class VolumeBinding : public Plugin {
 public:
  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    refusal_.clear();
    has_claims_ = attempt.spec.volume_claims > 0;
    if (!has_claims_) return Code::kSuccess;
    CheckClaims(attempt);
    if (refusal_.empty()) {
      claims_ = ClaimsOf(attempt.cluster, attempt.pod);
      if (!claims_.immediate.empty()) {
        refusal_ = "pod has unbound immediate PersistentVolumeClaims";
      }
    }
    return refusal_.empty() ? Code::kSuccess : Code::kUnresolvable;
  }
  Texts PreFilterReasons(const Attempt&) const override { return {refusal_}; }

  bool PassesAll(const Attempt&) const override { return !has_claims_; }
  bool SkipsScore(const Attempt&) const override { return true; }

  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    if (!refusal_.empty()) return Code::kUnresolvable;
    return Fit(attempt, info).fits() ? Code::kSuccess : Code::kUnresolvable;
  }
  Texts Reasons(const Attempt& attempt, const NodeInfo& info) const override {
    if (!refusal_.empty()) return {refusal_};
    const VolumeFit fit = Fit(attempt, info);
    Texts out;
    if (!fit.bound_fit) {
      out.emplace_back(attempt.minor >= 32 ? "node(s) didn't match PersistentVolume's node affinity"
                                           : "node(s) had volume node affinity conflict");
    }
    if (!fit.found) out.emplace_back("node(s) didn't find available persistent volumes to bind");
    if (!fit.enough_space) out.emplace_back("node(s) did not have enough free storage");
    if (!fit.bound_exist) {
      out.emplace_back("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    }
    return out;
  }

 private:
  VolumeFit Fit(const Attempt& attempt, const NodeInfo& info) const {
    return FitVolumes(attempt.cluster.volumes(), claims_, info.node, attempt.cluster.strings());
  }

  // The first claim that cannot be used at all.
  void CheckClaims(const Attempt& attempt) {
    const Strings& strings = attempt.cluster.strings();
    const Volumes& volumes = attempt.cluster.volumes();
    for (const PodVolume& volume : attempt.spec.volumes) {
      const bool ephemeral = volume.kind == PodVolume::Kind::kEphemeral;
      if (volume.kind != PodVolume::Kind::kClaim && !ephemeral) continue;
      const Id key = ClaimKeyOf(attempt.cluster, attempt.pod, volume);
      const VolumeClaim* claim = key == kNone ? nullptr : volumes.FindClaim(key);
      if (claim == nullptr && ephemeral) {
        refusal_ = fmt::format(
            "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}-{}\"",
            attempt.cluster.pod(attempt.pod).name, strings.Text(volume.name));
      } else if (claim == nullptr) {
        refusal_ =
            fmt::format("persistentvolumeclaim \"{}\" not found", strings.Text(volume.claim_name));
      } else if (claim->lost) {
        refusal_ = fmt::format(
            "persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
            strings.Text(claim->name), strings.Text(claim->volume));
      } else if (claim->deleting) {
        refusal_ =
            fmt::format("persistentvolumeclaim \"{}\" is being deleted", strings.Text(claim->name));
      } else {
        continue;
      }
      return;
    }
  }

  std::string refusal_;
  bool has_claims_ = false;
  PodClaims claims_;
};

}  // namespace

std::unique_ptr<Plugin> MakeVolumeBinding(const PluginContext&) {
  return std::make_unique<VolumeBinding>();
}

}  // namespace schedlens::sim::core
