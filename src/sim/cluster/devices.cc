// Where devices and claims are kept, and what becomes of a pod's claims.

#include "sim/cluster/devices.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/cluster/cluster.h"

namespace schedlens::sim::core {
namespace {

// Pods without a uid of their own are told apart by their number.
Id UidOf(Cluster& cluster, PodId pod) {
  const Id uid = cluster.pod(pod).uid;
  return uid != kEmptyText ? uid : cluster.strings().Intern("pod #" + std::to_string(pod));
}

}  // namespace

void Devices::Put(DeviceClass device_class) {
  const Id name = device_class.name;
  classes_[name] = std::move(device_class);
}

void Devices::Put(ResourceSlice slice) {
  for (ResourceSlice& known : slices_) {
    if (known.name != slice.name) continue;
    known = std::move(slice);
    return;
  }
  slices_.push_back(std::move(slice));
}

void Devices::Put(ResourceClaim claim) {
  const Id key = claim.key;
  ResourceClaim& known = claims_[key];
  CountDevices(known, -1);
  known = std::move(claim);
  CountDevices(known, 1);
}

void Devices::PutTemplate(ResourceClaim claim) {
  const Id key = claim.key;
  templates_[key] = std::move(claim);
}

void Devices::RemoveClaim(Id key) {
  const auto at = claims_.find(key);
  if (at == claims_.end()) return;
  CountDevices(at->second, -1);
  claims_.erase(at);
}

void Devices::TakeObjects(const Devices& from) {
  *this = from;
  for (auto& [key, claim] : claims_) claim.reserved_for.clear();
}

void Devices::CountDevices(const ResourceClaim& claim, int sign) {
  for (const AllocatedDevice& device : claim.devices) {
    int& count = in_use_[device.device];
    count += sign;
    if (count <= 0) in_use_.erase(device.device);
  }
}

const DeviceClass* Devices::FindClass(Id name) const {
  const auto at = classes_.find(name);
  return at == classes_.end() ? nullptr : &at->second;
}

const ResourceClaim* Devices::FindClaim(Id key) const {
  const auto at = claims_.find(key);
  return at == claims_.end() ? nullptr : &at->second;
}

const ResourceClaim* Devices::FindTemplate(Id key) const {
  const auto at = templates_.find(key);
  return at == templates_.end() ? nullptr : &at->second;
}

std::vector<Id> ClaimKeys(const Cluster& cluster, PodId pod) {
  std::vector<Id> out = cluster.SpecOf(pod).resource_claims;
  const std::vector<Id>& made = cluster.pod(pod).claims;
  out.insert(out.end(), made.begin(), made.end());
  return out;
}

bool BindClaims(Cluster& cluster, PodId pod, NodeId node) {
  const std::vector<Id> keys = ClaimKeys(cluster, pod);
  if (keys.empty()) return false;
  Devices& devices = cluster.devices();
  std::vector<const ResourceClaim*> lacking;
  for (const Id key : keys) {
    const ResourceClaim* claim = devices.FindClaim(key);
    if (claim != nullptr && !claim->allocated) lacking.push_back(claim);
  }
  const Node& on = cluster.node(node).node;
  const auto found = AllocateDevices(devices, lacking, on, cluster.strings());
  std::vector<ResourceClaim> changed;
  for (std::size_t i = 0; found && i < lacking.size(); ++i) {
    ResourceClaim& claim = changed.emplace_back(*lacking[i]);
    claim.allocated = true;
    claim.devices = (*found)[i];
    claim.node_selector.emplace();
    NodeSelectorTerm& term = claim.node_selector->emplace_back();
    term.fields.push_back({cluster.strings().Intern("metadata.name"), Operator::kIn, {on.name}});
  }
  for (ResourceClaim& claim : changed) devices.Put(std::move(claim));
  for (const Id key : keys) {
    const ResourceClaim* claim = devices.FindClaim(key);
    if (claim == nullptr) continue;
    ResourceClaim reserved = *claim;
    reserved.reserved_for.push_back(UidOf(cluster, pod));
    devices.Put(std::move(reserved));
  }
  return true;
}

void ReleaseClaims(Cluster& cluster, PodId pod) {
  for (const Id key : ClaimKeys(cluster, pod)) {
    const ResourceClaim* claim = cluster.devices().FindClaim(key);
    if (claim == nullptr) continue;
    ResourceClaim left = *claim;
    if (std::erase(left.reserved_for, UidOf(cluster, pod)) == 0) continue;
    if (left.reserved_for.empty()) {
      left.allocated = false;
      left.devices.clear();
      left.node_selector.reset();
    }
    cluster.devices().Put(std::move(left));
  }
}

bool DeallocateClaim(Cluster& cluster, PodId pod) {
  const Id uid = UidOf(cluster, pod);
  for (const Id key : ClaimKeys(cluster, pod)) {
    const ResourceClaim* claim = cluster.devices().FindClaim(key);
    if (claim == nullptr || !claim->allocated || !claim->node_selector) continue;
    const auto& users = claim->reserved_for;
    if (users.size() > 1 || (users.size() == 1 && users.front() != uid)) continue;
    ResourceClaim left = *claim;
    left.reserved_for.clear();
    left.allocated = false;
    left.devices.clear();
    left.node_selector.reset();
    cluster.devices().Put(std::move(left));
    return true;
  }
  return false;
}

}  // namespace schedlens::sim::core
