// How many more pods of a manifest fit.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "schedlens/error.h"
#include "sim/cluster/pod_manifest.h"
#include "sim/engine/placement.h"

namespace schedlens::sim {

using core::Index;

FitResult Placement::Fit(std::string_view manifest, const std::string& file) {
  core::Strings& strings = cluster_.strings();
  core::PodObject object = core::ReadPodFile(manifest, file, strings);
  FitResult out;
  out.profile = strings.Text(object.spec.scheduler_name);
  out.pod = fmt::format("{}/{}", strings.Text(object.spec.namespace_name),
                        object.name.empty() ? "pod" : object.name);
  std::vector<std::string> profiles;
  for (const auto& profile : configuration_.profiles) profiles.push_back(profile.scheduler_name);
  const auto at = std::find(profiles.begin(), profiles.end(), out.profile);
  if (at == profiles.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no profile schedules pods of schedulerName `{}`; there is {}",
                            file, out.profile, fmt::join(profiles, ", ")));
  }
  core::Algorithm& algorithm = *algorithms_[static_cast<std::size_t>(at - profiles.begin())];
  const core::SpecId spec = cluster_.AddSpec(std::move(object.spec));
  std::vector<std::int64_t> counts(Index(cluster_.node_limit()));
  core::ScheduleResult result;
  while (out.count < FitResult::kMost) {
    const core::PodId pod = cluster_.CreatePod(fmt::format("fit-{}", out.count), spec);
    algorithm.Schedule(pod, random_, nullptr, result);
    if (result.node == core::kNone) {
      algorithm.Explain(result, out.next);
      cluster_.DeletePod(pod);
      break;
    }
    cluster_.BindPod(pod, result.node);
    ++counts[Index(result.node)];
    ++out.count;
  }
  out.next.nodes = cluster_.node_count();
  for (int node = 0; node < node_slots(); ++node) {
    out.nodes.push_back(NodeName(node));
    if (counts[Index(node)] > 0) out.by_node.emplace_back(NodeName(node), counts[Index(node)]);
  }
  std::stable_sort(out.by_node.begin(), out.by_node.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace schedlens::sim
