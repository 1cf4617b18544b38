// Claims on devices that the claim controller makes for pods, and takes back with them.

#include <fmt/format.h>

#include <algorithm>

#include "sim/engine/placement.h"

namespace schedlens::sim {

bool Placement::LacksClaims(PodNumber pod, std::size_t pod_template) const {
  if (scenario_.release.minor < 34 || made_claims_.contains(pod)) return false;
  const auto& wanted = SpecOf(pod_template).claim_templates;
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](core::Id key) { return cluster_.devices().FindTemplate(key) != nullptr; });
}

void Placement::MakeClaims(PodNumber pod, std::size_t pod_template) {
  if (!LacksClaims(pod, pod_template)) return;
  core::Strings& strings = cluster_.strings();
  core::Devices& devices = cluster_.devices();
  std::vector<core::Id>& made = made_claims_[pod];
  for (const core::Id key : SpecOf(pod_template).claim_templates) {
    const core::ResourceClaim* const from = devices.FindTemplate(key);
    if (from == nullptr) continue;
    core::ResourceClaim claim = *from;
    claim.name = strings.Intern(fmt::format("pod-{}-{}", pod, made.size()));
    claim.key = strings.Intern(strings.Text(key) + "/" + strings.Text(claim.name));
    made.push_back(claim.key);
    devices.Put(std::move(claim));
  }
  cluster_.SetClaims(Known(pod, pod_template), made);
}

void Placement::DropClaims(PodNumber pod) {
  const auto at = made_claims_.find(pod);
  if (at == made_claims_.end()) return;
  for (const core::Id key : at->second) cluster_.devices().RemoveClaim(key);
  made_claims_.erase(at);
}

bool Placement::Deallocate(PodNumber pod, std::size_t pod_template) {
  if (scenario_.release.minor < 34) return false;
  const bool lacks = std::any_of(rejected_.begin(), rejected_.end(), [](const auto& rejected) {
    return rejected.plugin == RejecterOf(kRejectedByDevices);
  });
  return lacks && DeallocateClaim(cluster_, Known(pod, pod_template));
}

}  // namespace schedlens::sim
