// Where volumes and their claims are kept, and which claims a pod has.

#include "sim/cluster/volumes.h"

#include <utility>

#include "sim/cluster/cluster.h"

namespace schedlens::sim::core {

void Volumes::Put(PersistentVolume volume) {
  const auto [at, added] = volumes_.try_emplace(volume.name, all_.size());
  if (added) all_.emplace_back();
  all_[at->second] = std::move(volume);
}

void Volumes::Put(VolumeClaim claim) {
  const Id key = claim.key;
  claims_[key] = std::move(claim);
}

void Volumes::Put(StorageClass storage_class) {
  const Id name = storage_class.name;
  classes_[name] = std::move(storage_class);
}

void Volumes::Put(CsiNode node) {
  const Id name = node.name;
  csi_nodes_[name] = std::move(node);
}

void Volumes::Put(CsiDriver driver) { drivers_[driver.name] = driver; }

void Volumes::Put(StorageCapacity capacity) {
  for (StorageCapacity& known : capacities_) {
    if (known.key != capacity.key) continue;
    known = std::move(capacity);
    return;
  }
  capacities_.push_back(std::move(capacity));
}

const PersistentVolume* Volumes::FindVolume(Id name) const {
  const auto at = volumes_.find(name);
  return at == volumes_.end() ? nullptr : &all_[at->second];
}

PersistentVolume* Volumes::FindVolume(Id name) {
  const auto at = volumes_.find(name);
  return at == volumes_.end() ? nullptr : &all_[at->second];
}

void Volumes::TakeObjects(const Volumes& from) {
  *this = from;
  users_.clear();
}

VolumeClaim* Volumes::FindClaim(Id key) {
  const auto at = claims_.find(key);
  return at == claims_.end() ? nullptr : &at->second;
}

std::int32_t Volumes::Users(Id claim) const {
  const auto at = users_.find(claim);
  return at == users_.end() ? 0 : at->second;
}

void Volumes::CountUser(Id claim, int sign) { users_[claim] += sign; }

Id ClaimKeyOf(const Cluster& cluster, PodId pod, const PodVolume& volume) {
  if (volume.kind == PodVolume::Kind::kClaim) return volume.claim;
  if (volume.kind != PodVolume::Kind::kEphemeral) return kNone;
  const Strings& strings = cluster.strings();
  const Pod& p = cluster.pod(pod);
  return strings.Find(strings.Text(cluster.spec(p.spec).namespace_name) + "/" + p.name + "-" +
                      strings.Text(volume.name));
}

PodClaims ClaimsOf(const Cluster& cluster, PodId pod) {
  PodClaims out;
  const Volumes& volumes = cluster.volumes();
  for (const PodVolume& volume : cluster.SpecOf(pod).volumes) {
    const Id key = ClaimKeyOf(cluster, pod, volume);
    const VolumeClaim* claim = key == kNone ? nullptr : volumes.FindClaim(key);
    if (claim == nullptr) continue;
    if (IsBound(*claim)) {
      out.bound.push_back(claim);
      continue;
    }
    const StorageClass* storage_class = volumes.FindClass(claim->storage_class);
    const bool waits = storage_class != nullptr && storage_class->waits;
    // A claim that names its volume must be bound by the controller first.
    const bool delayed = waits && claim->volume == kEmptyText;
    (delayed ? out.waiting : out.immediate).push_back(claim);
  }
  return out;
}

}  // namespace schedlens::sim::core
