// VolumeZone: bound volumes with labels for zone or region, as cloud providers gave them.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/cluster/volumes.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

using Texts = std::vector<std::string>;

class VolumeZone : public Plugin {
 public:
  explicit VolumeZone(const PluginContext& context) {
    constexpr std::string_view kKeys[] = {
        "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/zone", "topology.kubernetes.io/region"};
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      keys_[i] = context.cluster.shared_strings()->Intern(kKeys[i]);
    }
  }

  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    refusal_.clear();
    wanted_.clear();
    for (const PodVolume& volume : attempt.spec.volumes) {
      if (volume.kind != PodVolume::Kind::kClaim) continue;
      AddClaim(attempt, volume);
      if (!refusal_.empty()) return Code::kUnresolvable;
    }
    return Code::kSuccess;
  }
  Texts PreFilterReasons(const Attempt&) const override { return {refusal_}; }

  bool PassesAll(const Attempt&) const override { return refusal_.empty() && wanted_.empty(); }
  Code Filter(const Attempt&, const NodeInfo& info) const override {
    if (!refusal_.empty()) return Code::kUnresolvable;
    const ObjectLabels& labels = info.node.labels;
    const bool zoned = std::any_of(keys_.begin(), keys_.end(),
                                   [&](Id key) { return FindLabel(labels, key) != kNone; });
    if (!zoned) return Code::kSuccess;
    const bool fits = std::all_of(wanted_.begin(), wanted_.end(), [&](const Wanted& wanted) {
      Id value = FindLabel(labels, keys_[wanted.key]);
      // A node may have the new label only.
      if (value == kNone && wanted.key < 2) value = FindLabel(labels, keys_[wanted.key + 2]);
      return std::find(wanted.values.begin(), wanted.values.end(), value) != wanted.values.end();
    });
    return fits ? Code::kSuccess : Code::kUnresolvable;
  }
  Texts Reasons(const Attempt&, const NodeInfo&) const override {
    if (!refusal_.empty()) return {refusal_};
    return {"node(s) had no available volume zone"};
  }

 private:
  // A label of a volume and the values that do.
  struct Wanted {
    std::size_t key = 0;
    std::vector<Id> values;
  };

  void AddClaim(const Attempt& attempt, const PodVolume& from) {
    const Strings& strings = attempt.cluster.strings();
    const Volumes& volumes = attempt.cluster.volumes();
    const VolumeClaim* claim = volumes.FindClaim(from.claim);
    if (claim == nullptr) {
      refusal_ =
          fmt::format("persistentvolumeclaim \"{}\" not found", strings.Text(from.claim_name));
      return;
    }
    if (claim->volume == kEmptyText) {
      RefuseUnbound(attempt, *claim);
      return;
    }
    const PersistentVolume* volume = volumes.FindVolume(claim->volume);
    if (volume == nullptr) {
      refusal_ = fmt::format("persistentvolume \"{}\" not found", strings.Text(claim->volume));
      return;
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Id value = FindLabel(volume->labels, keys_[i]);
      if (value != kNone) AddLabel(i, strings.Text(value), strings);
    }
  }

  // A waiting claim gets its volume where the pod goes.
  void RefuseUnbound(const Attempt& attempt, const VolumeClaim& claim) {
    if (claim.storage_class == kEmptyText) {
      refusal_ = "PersistentVolumeClaim had no pv name and storageClass name";
      return;
    }
    const std::string& name = attempt.cluster.strings().Text(claim.storage_class);
    const StorageClass* storage_class = attempt.cluster.volumes().FindClass(claim.storage_class);
    if (storage_class == nullptr) {
      refusal_ = fmt::format("storageclass.storage.k8s.io \"{}\" not found", name);
    } else if (!storage_class->has_mode) {
      refusal_ = fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", name);
    } else if (!storage_class->waits) {
      refusal_ = "PersistentVolume had no name";
    }
  }

  // One value, or several with `__` between them. A list with an empty one says nothing.
  void AddLabel(std::size_t key, std::string_view text, const Strings& strings) {
    Wanted wanted{key, {}};
    constexpr std::string_view kBetween = "__";
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(kBetween, begin), text.size());
      const std::string_view value = Trimmed(text.substr(begin, end - begin));
      if (value.empty()) return;
      wanted.values.push_back(strings.Find(value));
      begin = end + kBetween.size();
    }
    // A value that no object has is no node's either.
    std::erase(wanted.values, kNone);
    wanted_.push_back(std::move(wanted));
  }

  static std::string_view Trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  }

  std::array<Id, 4> keys_{};
  std::string refusal_;
  std::vector<Wanted> wanted_;
};

}  // namespace

std::unique_ptr<Plugin> MakeVolumeZone(const PluginContext& context) {
  return std::make_unique<VolumeZone>(context);
}

}  // namespace schedlens::sim::core
