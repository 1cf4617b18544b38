// Between a scenario and a KubeSchedulerConfiguration.

#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/cluster.h"
#include "sim/scenario/out_of_tree.h"

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

std::vector<std::string> NamesOf(const std::vector<SchedulerPluginFactory>& plugins) {
  std::vector<std::string> out;
  for (const SchedulerPluginFactory& plugin : plugins) out.push_back(plugin.name);
  return out;
}

// Without a configuration nothing says where they run.
void EnableEverywhere(const std::vector<SchedulerPluginFactory>& plugins, core::Profile& profile) {
  using enum kube::ExtensionPoint;
  for (const SchedulerPluginFactory& plugin : plugins) {
    for (const core::ExtensionPoint point :
         {kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPreScore, kScore, kReserve, kPermit,
          kPreBind, kBind, kPostBind}) {
      profile.plugins[kube::IndexOf(point)].push_back({plugin.name, point == kScore ? 1 : 0});
    }
  }
}

bool Runs(const core::Configuration& configuration, core::ExtensionPoint point,
          const std::string& name) {
  return std::any_of(
      configuration.profiles.begin(), configuration.profiles.end(), [&](const auto& profile) {
        const auto& at = profile.At(point);
        return std::any_of(at.begin(), at.end(), [&](const auto& p) { return p.name == name; });
      });
}

std::string TextOf(const core::ConfigurationRemark& remark, const Release& release) {
  using enum core::RemarkKind;
  const std::string at = remark.at + ": ";
  switch (remark.kind) {
    case kUnknownField:
      return at + fmt::format("no field `{}` is known; it is left out", remark.name);
    case kNotAtPoint:
      return at + fmt::format("plugin `{}` does not implement this extension point; it is left out",
                              remark.name);
    case kNoPlugin:
      return at + fmt::format("`{}` has no plugin in {}; it is left out", remark.name,
                              release.ToString());
    case kNotRead:
      return at + fmt::format("{} does not read {}; it is taken as if it did", release.ToString(),
                              remark.name);
    case kOneOfSeveral:
      return at + "another configuration; the first of the file is used";
  }
  return "";
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
    for (core::Profile& profile : out.profiles) EnableEverywhere(scenario.plugins, profile);
  } else {
    core::FoundInFile said_before;
    out = core::ReadConfiguration(scenario.configuration, "scheduler.configuration",
                                  scenario.release, NamesOf(scenario.plugins), &said_before);
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
  core::FoundInFile found;
  const std::vector<std::string> own = NamesOf(scenario->plugins);
  const core::Configuration from = core::ReadConfiguration(
      scenario->configuration, "scheduler.configuration", scenario->release, own, &found);
  AddStandIns(found.out_of_tree, scenario);
  for (const core::ConfigurationRemark& remark : found.remarks) {
    scenario->warnings.push_back(TextOf(remark, scenario->release));
  }
  for (const std::string& name : own) {
    const auto points = kube::All<core::ExtensionPoint>();
    if (std::none_of(points.begin(), points.end(),
                     [&](core::ExtensionPoint point) { return Runs(from, point, name); })) {
      scenario->warnings.push_back(
          fmt::format("plugin `{}` is in no profile of the configuration: it does not run", name));
    }
  }
  scenario->qps = from.client_qps;
  scenario->client_burst = from.client_burst;
  scenario->initial_backoff = from.pod_initial_backoff_seconds;
  scenario->max_backoff = from.pod_max_backoff_seconds;
  scenario->percentage_of_nodes = from.percentage_of_nodes_to_score;
  scenario->parallelism = from.parallelism;
  scenario->preemption = Runs(from, core::ExtensionPoint::kPostFilter, "DefaultPreemption");
  for (const core::ExtenderConfiguration& extender : from.extenders) {
    scenario->extenders.push_back(ExtenderOf(extender));
  }
}

}  // namespace schedlens::sim
