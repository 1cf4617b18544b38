// Where volumes and their claims are kept, and which a pod gets on a node.

#include <algorithm>

#include "scheduler/cluster/cluster.h"

namespace schedlens::sim::core {
namespace {

bool Takes(const PersistentVolume& volume, const VolumeClaim& claim) {
  return volume.claim == claim.key &&
         (volume.claim_uid == kEmptyText || volume.claim_uid == claim.uid);
}

// Whether the volume's node affinity lets the node use it.
bool Reaches(const Cluster& cluster, const PersistentVolume& volume, const Node& node) {
  return MatchesAny(volume.node_affinity, node.labels, kEmptyText, cluster.strings());
}

// The volume meant for the claim, else the smallest that fits; null if there is none or the one
// that is meant for it does not reach the node.
const PersistentVolume* Match(const Cluster& cluster, const VolumeClaim& claim, const Node& node,
                              const std::vector<std::pair<Id, Id>>& taken) {
  const PersistentVolume* best = nullptr;
  for (const PersistentVolume& volume : cluster.volumes().volumes()) {
    if (volume.storage_class != claim.storage_class) continue;
    using Pair = std::pair<Id, Id>;
    if (std::ranges::find(taken, volume.name, &Pair::second) != taken.end()) continue;
    const bool meant = volume.claim != kEmptyText && Takes(volume, claim);
    if (volume.claim != kEmptyText && !meant) continue;
    if (volume.capacity < claim.request || volume.block != claim.block || volume.deleting) continue;
    if (meant) return Reaches(cluster, volume, node) ? &volume : nullptr;
    if (!volume.available || (claim.access_modes & ~volume.access_modes) != 0) continue;
    if (claim.selector && !Matches(*claim.selector, volume.labels)) continue;
    if (best != nullptr && best->capacity <= volume.capacity) continue;
    if (Reaches(cluster, volume, node)) best = &volume;
  }
  return best;
}

// Whether there is space for the claim; `in` gets where, if its driver tells.
bool HasSpace(const Volumes& volumes, const VolumeClaim& claim, const StorageClass& storage_class,
              const Node& node, const StorageCapacity** in) {
  const CsiDriver* driver = volumes.FindDriver(storage_class.provisioner);
  if (!claim.has_request || driver == nullptr || !driver->storage_capacity) return true;
  const auto& capacities = volumes.capacities();
  const auto at = std::ranges::find_if(capacities, [&](const StorageCapacity& capacity) {
    return capacity.storage_class == storage_class.name && capacity.size &&
           *capacity.size >= claim.request && capacity.topology &&
           Matches(*capacity.topology, node.labels);
  });
  if (at == capacities.end()) return false;
  *in = &*at;
  return true;
}

// Stops at the first claim that cannot be provisioned: what is known then is the answer.
void Provision(const Volumes& volumes, const std::vector<const VolumeClaim*>& claims,
               const Node& node, VolumeFit& out) {
  out.found = true;
  for (const VolumeClaim* claim : claims) {
    const StorageClass* storage_class = volumes.FindClass(claim->storage_class);
    out.found = storage_class != nullptr && !storage_class->no_provisioner;
    if (!out.found) return;
    const auto& terms = storage_class->allowed_topologies;
    out.found = terms.empty() || std::ranges::any_of(terms, [&](const auto& term) {
                  return Matches(LabelSelector{false, term}, node.labels);
                });
    if (!out.found) return;
    const StorageCapacity* space = nullptr;
    if (!HasSpace(volumes, *claim, *storage_class, node, &space)) {
      out.enough_space = false;
      return;
    }
    out.provisioned.emplace_back(claim->key, space);
  }
}

}  // namespace

void Volumes::Put(PersistentVolume volume) {
  const auto [at, added] = volumes_.try_emplace(volume.name, all_.size());
  if (added) all_.emplace_back();
  all_[at->second] = std::move(volume);
}

void Volumes::Put(StorageCapacity capacity) {
  const auto known = std::ranges::find(capacities_, capacity.key, &StorageCapacity::key);
  (known == capacities_.end() ? capacities_.emplace_back() : *known) = std::move(capacity);
}

const PersistentVolume* Volumes::FindVolume(Id name) const {
  const auto at = volumes_.find(name);
  return at == volumes_.end() ? nullptr : &all_[at->second];
}

void Volumes::TakeObjects(const Volumes& from) {
  *this = from;
  users_.clear();
}

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
    const VolumeClaim* claim = volumes.FindClaim(ClaimKeyOf(cluster, pod, volume));
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

VolumeFit FitVolumes(const Cluster& cluster, const PodClaims& claims, const Node& node) {
  const Volumes& volumes = cluster.volumes();
  VolumeFit out;
  for (const VolumeClaim* claim : claims.bound) {
    const PersistentVolume* volume = volumes.FindVolume(claim->volume);
    out.bound_exist = volume != nullptr;
    out.bound_fit = volume == nullptr || Reaches(cluster, *volume, node);
    if (!out.bound_exist || !out.bound_fit) break;
  }
  std::vector<const VolumeClaim*> to_match, to_provision;
  for (const VolumeClaim* claim : claims.waiting) {
    if (claim->selected_node == kEmptyText) {
      to_match.push_back(claim);
    } else if (claim->selected_node == node.name) {
      to_provision.push_back(claim);
    } else {
      out.found = false;
      return out;
    }
  }
  std::ranges::stable_sort(to_match, {}, &VolumeClaim::request);
  for (const VolumeClaim* claim : to_match) {
    const PersistentVolume* volume = Match(cluster, *claim, node, out.matched);
    if (volume == nullptr) {
      to_provision.push_back(claim);
    } else {
      out.matched.emplace_back(claim->key, volume->name);
    }
  }
  if (!to_provision.empty()) Provision(volumes, to_provision, node, out);
  return out;
}

bool BindVolumes(Cluster& cluster, PodId pod, NodeId node) {
  const PodClaims claims = ClaimsOf(cluster, pod);
  if (claims.waiting.empty()) return false;
  Volumes& volumes = cluster.volumes();
  const Node& on = cluster.node(node).node;
  const VolumeFit fit = FitVolumes(cluster, claims, on);
  const auto bind = [&](Id key, Id name) {
    VolumeClaim& claim = volumes.ChangeClaim(key);
    PersistentVolume& volume = volumes.ChangeVolume(name);
    claim.volume = name;
    claim.bind_completed = true;
    volume.claim = key;
    volume.claim_uid = claim.uid;
    volume.available = false;
  };
  for (const auto& [key, name] : fit.matched) bind(key, name);
  Strings& strings = cluster.strings();
  for (const auto& [key, space] : fit.provisioned) {
    const VolumeClaim& claim = volumes.ChangeClaim(key);
    PersistentVolume volume;
    volume.name = strings.Intern("pvc-" + strings.Text(key));
    volume.capacity = claim.request;
    volume.storage_class = claim.storage_class;
    volume.access_modes = claim.access_modes;
    volume.block = claim.block;
    volume.driver = volumes.FindClass(claim.storage_class)->provisioner;
    volume.handle = volume.name;
    // A driver's topology is not known; most are zonal.
    const Id zone = strings.Find("topology.kubernetes.io/zone");
    if (const Id value = FindLabel(on.labels, zone); value != kNone) {
      NodeSelectorTerm& term = volume.node_affinity.emplace().emplace_back();
      term.expressions.push_back({zone, Operator::kIn, {value}});
    }
    const Id name = volume.name;
    volumes.Put(std::move(volume));
    bind(key, name);
  }
  return true;
}

}  // namespace schedlens::sim::core
