// Between a scenario and a KubeSchedulerConfiguration.

#include <algorithm>

#include "sim/scenario/cluster.h"

namespace schedlens::sim {
namespace {

// Pods are placed by node affinity and resources; every feasible node scores the same, so that the
// choice among them is uniform.
void Simplify(core::Profile& profile) {
  using core::ExtensionPoint;
  const auto keep = [&](ExtensionPoint point, std::initializer_list<std::string_view> names) {
    auto& plugins = profile.plugins[static_cast<std::size_t>(point)];
    std::erase_if(plugins, [&](const core::PluginRef& plugin) {
      return std::find(names.begin(), names.end(), plugin.name) == names.end();
    });
  };
  for (const ExtensionPoint point : {ExtensionPoint::kPreFilter, ExtensionPoint::kFilter}) {
    keep(point, {kAffinityPlugin, kFitPlugin});
  }
  keep(ExtensionPoint::kPreScore, {});
  profile.plugins[static_cast<std::size_t>(ExtensionPoint::kScore)] = {{"VolumeBinding", 1}};
}

Extender ExtenderOf(const core::ExtenderConfiguration& from) {
  Extender out;
  out.filter = !from.filter_verb.empty();
  out.prioritize = !from.prioritize_verb.empty();
  out.preempt = !from.preempt_verb.empty();
  out.bind = !from.bind_verb.empty();
  if (!from.managed_resources.empty()) out.managed = from.managed_resources.front().name;
  out.ignorable = from.ignorable;
  out.timeout = from.http_timeout_seconds;
  out.weight = from.weight;
  out.names_only = from.node_cache_capable;
  return out;
}

}  // namespace

core::Configuration ConfigurationOf(const Scenario& scenario, bool simple) {
  core::Configuration out;
  if (scenario.configuration.empty()) {
    out = core::DefaultConfiguration(scenario.release);
    // Every profile that a template names has the default plugins.
    for (const PodTemplate& pod : scenario.templates) {
      const auto same = [&](const auto& p) { return p.scheduler_name == pod.profile; };
      if (std::any_of(out.profiles.begin(), out.profiles.end(), same)) continue;
      out.profiles.push_back(out.profiles.front());
      out.profiles.back().scheduler_name = pod.profile;
    }
  } else {
    out = core::ReadConfiguration(scenario.configuration, "scheduler.configuration",
                                  scenario.release);
  }
  out.percentage_of_nodes_to_score = scenario.percentage_of_nodes;
  if (out.extenders.empty()) out.extenders.resize(scenario.extenders.size());
  if (simple) {
    for (core::Profile& profile : out.profiles) Simplify(profile);
  }
  return out;
}

void ApplyConfiguration(Scenario* scenario) {
  if (scenario->configuration.empty()) return;
  const core::Configuration from = core::ReadConfiguration(
      scenario->configuration, "scheduler.configuration", scenario->release);
  scenario->qps = from.client_qps;
  scenario->client_burst = from.client_burst;
  scenario->initial_backoff = from.pod_initial_backoff_seconds;
  scenario->max_backoff = from.pod_max_backoff_seconds;
  scenario->percentage_of_nodes = from.percentage_of_nodes_to_score;
  scenario->parallelism = from.parallelism;
  const bool preempts = std::any_of(from.profiles.begin(), from.profiles.end(), [](const auto& p) {
    return !p.At(core::ExtensionPoint::kPostFilter).empty();
  });
  scenario->preemption = preempts;
  for (const core::ExtenderConfiguration& extender : from.extenders) {
    scenario->extenders.push_back(ExtenderOf(extender));
  }
}

}  // namespace schedlens::sim
