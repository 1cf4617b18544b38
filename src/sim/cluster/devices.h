#ifndef SCHEDLENS_SIM_CLUSTER_DEVICES_H_
#define SCHEDLENS_SIM_CLUSTER_DEVICES_H_

// Dynamic resource allocation: devices that drivers publish, and the claims that pods have on them.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/cel/expression.h"
#include "sim/cluster/objects.h"

namespace schedlens::sim::core {

/// All must hold.
using DeviceSelectors = std::vector<std::shared_ptr<const cel::Expression>>;

struct DeviceClass {
  Id name = 0;
  DeviceSelectors selectors;
};

struct ResourceSlice {
  struct Device {
    Id name = 0;
    cel::Device facts;
  };
  Id name = 0;
  Id driver = 0, pool = 0;
  std::int64_t generation = 0;
  std::int64_t slices_of_pool = 1;
  // Where its devices can be used: one node, all, or those of a selector (ORed terms).
  Id node = 0;
  bool all_nodes = false;
  std::optional<std::vector<NodeSelectorTerm>> node_selector;
  std::vector<Device> devices;
};

/// driver, pool, device: what makes a device one of its own.
using DeviceId = std::array<Id, 3>;

struct AllocatedDevice {
  Id request = 0;
  DeviceId device{};
};

struct ResourceClaim {
  struct Request {
    Id name = 0;
    Id device_class = 0;
    bool all = false;        ///< allocationMode All: every device that fits
    std::int64_t count = 1;  ///< else so many
    DeviceSelectors selectors;
  };
  /// Devices of these requests (none: all of them) must have one value of the attribute.
  struct Match {
    std::string attribute;  ///< domain/name
    std::vector<Id> requests;
  };
  Id key = 0;  ///< namespace/name
  Id name = 0;
  std::vector<Request> requests;
  std::vector<Match> matches;
  bool deleting = false;
  // status
  bool allocated = false;
  std::vector<AllocatedDevice> devices;
  std::optional<std::vector<NodeSelectorTerm>> node_selector;  ///< where it can be used
  std::vector<Id> reserved_for;                                ///< uids of pods
};

/// Put replaces the object of that name. Pointers stay good until the next Put.
class Devices {
 public:
  void Put(DeviceClass device_class);
  void Put(ResourceSlice slice);
  void Put(ResourceClaim claim);
  /// What the claims of a ResourceClaimTemplate ask for; its key is the template's.
  void PutTemplate(ResourceClaim claim);
  void RemoveClaim(Id key);
  /// The objects of another cluster with the same Strings, reserved for nobody.
  void TakeObjects(const Devices& from);

  // Null if there is none.
  const DeviceClass* FindClass(Id name) const;
  const ResourceClaim* FindClaim(Id key) const;
  const ResourceClaim* FindTemplate(Id key) const;
  const std::deque<ResourceSlice>& slices() const { return slices_; }
  bool InUse(const DeviceId& device) const { return in_use_.count(device) > 0; }

 private:
  void CountDevices(const ResourceClaim& claim, int sign);

  std::unordered_map<Id, DeviceClass> classes_;
  std::deque<ResourceSlice> slices_;
  std::unordered_map<Id, ResourceClaim> claims_, templates_;
  std::map<DeviceId, int> in_use_;
};

/// Whether a node with these labels is one of the terms'. None: no node.
bool MatchesAny(const std::vector<NodeSelectorTerm>& terms, const Node& node,
                const Strings& strings);

/// Devices for all the claims on that node, a list a claim; nothing if there are not enough.
/// Throws Error(kFailed) where a selector fails on a device.
std::optional<std::vector<std::vector<AllocatedDevice>>> AllocateDevices(
    const Devices& devices, const std::vector<const ResourceClaim*>& claims, const Node& node,
    const Strings& strings);

class Cluster;
/// The claims of a pod: those that its spec names, then those made for it from templates.
std::vector<Id> ClaimKeys(const Cluster& cluster, PodId pod);
/// Allocates what the pod's claims lack on `node` and reserves all of them for it, as the scheduler
/// does before it binds the pod. False if there is none.
bool BindClaims(Cluster& cluster, PodId pod, NodeId node);
/// Takes the reservations of a pod that is gone back; a claim that nobody uses gives its devices
/// back.
void ReleaseClaims(Cluster& cluster, PodId pod);
/// Takes the devices of one of the pod's claims back, if it is tied to some nodes and nobody else
/// uses it, as DynamicResources' PostFilter does (from 1.34). False if there is no such claim.
bool DeallocateClaim(Cluster& cluster, PodId pod);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_CLUSTER_DEVICES_H_
