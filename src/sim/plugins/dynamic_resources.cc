// DynamicResources (from 1.34): the pod's ResourceClaims must have their devices on the node, or
// find them there.

#include <fmt/format.h>

#include <algorithm>

#include "sim/cluster/devices.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

using Texts = std::vector<std::string>;

// How many pods may use one claim.
constexpr std::size_t kMostUsers = 256;

class DynamicResources : public Plugin {
 public:
  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    refusal_.clear();
    claims_.clear();
    lacking_.clear();
    for (const std::vector<Id>* keys :
         {&attempt.spec.resource_claims, &attempt.cluster.pod(attempt.pod).claims}) {
      for (const Id key : *keys) {
        AddClaim(attempt, key);
        if (!refusal_.empty()) return Code::kUnresolvable;
      }
    }
    return Code::kSuccess;
  }
  Texts PreFilterReasons(const Attempt&) const override { return {refusal_}; }

  bool PassesAll(const Attempt&) const override { return refusal_.empty() && claims_.empty(); }
  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    return Check(attempt, info.node).empty() ? Code::kSuccess : Code::kUnresolvable;
  }
  Texts Reasons(const Attempt& attempt, const NodeInfo& info) const override {
    return {std::string(Check(attempt, info.node))};
  }

  bool normalizes() const override { return true; }

  bool post_filter_needs_prefilter() const override { return true; }
  Texts PostFilterReasons(const Attempt& attempt) const override {
    const bool none =
        attempt.spec.resource_claims.empty() && attempt.cluster.pod(attempt.pod).claims.empty();
    return {none ? "no new claims to deallocate" : "still not schedulable"};
  }

 private:
  void AddClaim(const Attempt& attempt, Id key) {
    const Strings& strings = attempt.cluster.strings();
    const Devices& devices = attempt.cluster.devices();
    const ResourceClaim* claim = devices.FindClaim(key);
    if (claim == nullptr) {
      refusal_ = fmt::format("could not find ResourceClaim \"{}\"", strings.Text(key));
      return;
    }
    if (claim->deleting) {
      refusal_ = fmt::format("resourceclaim \"{}\" is being deleted", strings.Text(claim->name));
      return;
    }
    claims_.push_back(claim);
    if (claim->allocated) {
      const auto& users = claim->reserved_for;
      const Id uid = attempt.cluster.pod(attempt.pod).uid;
      const bool own = std::find(users.begin(), users.end(), uid) != users.end();
      if (users.size() >= kMostUsers && !own) refusal_ = "resourceclaim in use";
      return;
    }
    lacking_.push_back(claim);
    for (const ResourceClaim::Request& request : claim->requests) {
      if (devices.FindClass(request.device_class) != nullptr) continue;
      refusal_ = fmt::format("request {}: device class {} does not exist",
                             strings.Text(request.name), strings.Text(request.device_class));
      return;
    }
  }

  std::string_view Check(const Attempt& attempt, const Node& node) const {
    if (!refusal_.empty()) return refusal_;
    const Strings& strings = attempt.cluster.strings();
    if (!lacking_.empty() && !AllocateDevices(attempt.cluster.devices(), lacking_, node, strings)) {
      return "cannot allocate all claims";
    }
    const bool there = std::all_of(claims_.begin(), claims_.end(), [&](const ResourceClaim* claim) {
      return !claim->node_selector || MatchesAny(*claim->node_selector, node, strings);
    });
    return there ? "" : "resourceclaim not available on the node";
  }

  std::string refusal_;
  std::vector<const ResourceClaim*> claims_, lacking_;
};

}  // namespace

std::unique_ptr<Plugin> MakeDynamicResources(const PluginContext&) {
  return std::make_unique<DynamicResources>();
}

}  // namespace schedlens::sim::core
