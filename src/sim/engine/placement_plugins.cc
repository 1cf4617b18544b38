// Plugins from outside the tree.

#include <algorithm>
#include <utility>

#include "sim/engine/placement.h"
#include "sim/framework/framework.h"

namespace schedlens::sim {

using core::Index;

core::PointAnswer Placement::RunPlugins(ExtensionPoint point, PodNumber pod,
                                        std::size_t pod_template, int node) {
  if (!has_plugins()) return {};
  core::PointAnswer out = algorithms_[profile_of_[pod_template]]->framework().RunOwn(
      point, Known(pod, pod_template), node);
  if (out.refused) refused_by_[pod] = {out.plugin};
  return out;
}

std::vector<core::OwnTime> Placement::TakeTimes(ExtensionPoint point) {
  return std::exchange(own_times_[kube::IndexOf(point)], {});
}

bool Placement::IsOwn(std::string_view plugin) const {
  const auto& own = scenario_.plugins;
  return std::any_of(own.begin(), own.end(), [&](const auto& p) { return p.name == plugin; });
}

// What an explanation asked for is nobody's time.
void Placement::ForgetTimes(core::Algorithm& algorithm) const {
  if (!has_plugins()) return;
  for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
    algorithm.framework().TakeTimes(point);
  }
}

void Placement::KeepTimes(core::Algorithm& algorithm) {
  if (!has_plugins()) return;
  for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
    own_times_[kube::IndexOf(point)] = algorithm.framework().TakeTimes(point);
  }
}

void Placement::NoteRefusal(PodNumber pod) {
  if (!has_plugins()) return;
  std::vector<std::string_view> by;
  if (!decision_.prefilter.empty()) by.push_back(decision_.prefilter);
  for (const PluginRejections& rejected : rejected_) by.push_back(rejected.plugin);
  if (decision_.node >= 0 || by.empty()) {
    refused_by_.erase(pod);
  } else {
    refused_by_[pod] = std::move(by);
  }
}

bool Placement::OwnRefused(PodNumber pod) const {
  const auto at = refused_by_.find(pod);
  return at != refused_by_.end() && !at->second.empty() &&
         std::all_of(at->second.begin(), at->second.end(),
                     [&](std::string_view plugin) { return IsOwn(plugin); });
}

bool Placement::MayHelp(PodEvent event, PodNumber pod, std::size_t pod_template) {
  const auto own_event = core::PluginEventOf(event);
  if (!has_plugins() || !own_event || !OwnRefused(pod)) return true;
  const core::Framework& framework = algorithms_[profile_of_[pod_template]]->framework();
  const auto& by = refused_by_.at(pod);
  const core::PodId known = Known(pod, pod_template);
  return std::any_of(by.begin(), by.end(), [&](std::string_view plugin) {
    return framework.MayHelp(known, *own_event, plugin);
  });
}

}  // namespace schedlens::sim
