#include "sim/scenario/parts.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <map>

#include "model/text.h"
#include "sim/framework/plugin_points.h"
#include "sim/scenario/cluster.h"
#include "sim/scenario/conditions.h"
#include "sim/scenario/out_of_tree.h"

namespace schedlens::sim {
namespace {

unsigned ReadFeatures(Section& section) {
  static const std::map<std::string, unsigned> names = {{"affinity", kFeatureAffinity},
                                                        {"ports", kFeaturePorts},
                                                        {"volumes", kFeatureVolumes},
                                                        {"spread", kFeatureSpread},
                                                        {"interpod", kFeatureInterPod}};
  unsigned out = 0;
  const YAML::Node node = section.Find("uses");
  if (!node || node.IsNull()) return out;
  if (!node.IsSequence()) section.Fail(node, "`uses` must be a list");
  for (const YAML::Node& item : node) {
    const auto found = names.find(item.Scalar());
    if (found == names.end()) {
      section.Fail(
          item,
          fmt::format("unknown feature `{}`; use affinity, ports, volumes, spread or interpod",
                      item.Scalar()));
    }
    out |= found->second;
  }
  return out;
}

}  // namespace

NodeGroup ReadNodes(Section& section) {
  NodeGroup group;
  group.name = section.Text("name", group.name);
  group.count = section.Count("count", 0, 0, 200'000);
  group.cpu = section.Quantity("cpu", group.cpu);
  group.memory = section.Quantity("memory", group.memory);
  group.pods = section.Count("pods", group.pods, 1, 100'000);
  group.zones = section.Count("zones", group.zones, 1, 1000);
  group.extended = section.Quantities("extended");
  group.labels = section.Texts("labels");
  if (const YAML::Node node = section.Find("manifest"); node) group.manifest = YAML::Dump(node);
  return group;
}

PodTemplate ReadTemplate(Section& section) {
  PodTemplate pod;
  pod.name = section.Text("name", pod.name);
  pod.namespace_name = section.Text("namespace", pod.namespace_name);
  pod.owner = section.Text("owner", pod.owner);
  section.Find("weight");  // read with the conditions
  pod.cpu = section.Quantity("cpu", pod.cpu);
  pod.memory = section.Quantity("memory", pod.memory);
  pod.priority = static_cast<std::int32_t>(section.Number("priority", 0, -2147483648.0, 2e9));
  pod.profile = section.Text("profile", pod.profile);
  pod.extended = section.Quantities("extended");
  pod.claim = section.Flag("claim", false);
  pod.bound_claims = section.Count("bound_claims", 0, 0, 100);
  pod.gang = section.Count("gang", 0, 0, 10'000);
  pod.spread_rejects = section.Number("spread_rejects", 0, 0, 1);
  pod.never_fits = section.Text("never_fits", "");
  pod.features = ReadFeatures(section) | (pod.claim ? kFeatureVolumes : 0u) |
                 (pod.never_fits == kAffinityPlugin ? kFeatureAffinity : 0u) |
                 (pod.gang > 0 ? kFeatureGang : 0u);
  pod.life = section.Spread("life", pod.life);
  pod.pending_life = section.Spread("pending_life", pod.pending_life);
  pod.grace = section.Spread("grace", Distribution::Constant(1));
  if (section.Has("costs")) {
    pod.costs = ReadOverrides(section.Sub("costs"));
  } else {
    section.Find("costs");
  }
  if (const YAML::Node node = section.Find("manifest"); node) pod.manifest = YAML::Dump(node);
  if (!pod.never_fits.empty() && pod.never_fits != kFitPlugin &&
      pod.never_fits != kAffinityPlugin) {
    section.Fail(section.node()["never_fits"],
                 fmt::format("`never_fits` is {} or {}, not `{}`", kFitPlugin, kAffinityPlugin,
                             pod.never_fits));
  }
  return pod;
}

Action ReadAction(Section& section, const Scenario& scenario) {
  static const std::map<std::string, ActionKind> kinds = {
      {"restart", ActionKind::kRestart},          {"leader_change", ActionKind::kLeaderChange},
      {"delete_nodes", ActionKind::kDeleteNodes}, {"add_nodes", ActionKind::kAddNodes},
      {"unreachable", ActionKind::kUnreachable},  {"burst", ActionKind::kBurst},
      {"roll_out", ActionKind::kRollOut},         {"ungate", ActionKind::kUngate}};
  Action action;
  action.at = section.Duration("at", 0);
  const std::string kind = section.Text("do", "");
  if (!kinds.contains(kind)) {
    section.Fail(
        section.node(),
        fmt::format("`do` is restart, leader_change, delete_nodes, add_nodes, unreachable, burst, "
                    "roll_out or ungate, not `{}`",
                    kind));
  }
  action.kind = kinds.at(kind);
  action.length = section.Duration("for", action.length);
  action.count = section.Count("count", 1, 1, 1'000'000);
  action.surge = section.Count("surge", 1, 1, 1'000'000);
  action.any_template = !section.Has("template");
  const std::string name = section.Text("template", scenario.templates.front().name);
  action.pod_template = TemplateIndex(section, scenario, section.node(), name);
  return action;
}

Extender ReadExtender(Section& section) {
  Extender out;
  const YAML::Node verbs = section.Find("verbs");
  if (!verbs || !verbs.IsSequence()) section.Fail(section.node(), "`verbs` must be a list");
  for (const YAML::Node& verb : verbs) {
    const std::string name = verb.Scalar();
    if (name == "filter") {
      out.filter = true;
    } else if (name == "prioritize") {
      out.prioritize = true;
    } else if (name == "preempt") {
      out.preempt = true;
    } else if (name == "bind") {
      out.bind = true;
    } else {
      section.Fail(verb,
                   fmt::format("unknown verb `{}`; use filter, prioritize, preempt or bind", name));
    }
  }
  out.managed = section.Text("managed", "");
  out.ignorable = section.Flag("ignorable", false);
  out.timeout = section.Number("timeout", out.timeout, 0.001, 3600);
  out.names_only = section.Flag("names_only", false);
  out.rejects = section.Number("rejects", out.rejects, 0, 1);
  out.weight = section.Count("weight", 1, 1, 1'000'000);
  return out;
}

namespace {

// What plugins take that the configuration names and nobody has the code of.
void ReadDeclaredPlugins(Section& section, Scenario* scenario) {
  const YAML::Node plugins = section.Find("plugins");
  if (!plugins || plugins.IsNull()) return;
  if (!plugins.IsMap()) section.Fail(plugins, "`plugins` must be a mapping of names");
  for (const auto& plugin : plugins) {
    DeclaredPlugin& declared = scenario->declared_plugins[plugin.first.Scalar()];
    if (!plugin.second.IsMap()) section.Fail(plugin.second, "a plugin is a mapping of points");
    for (const auto& item : plugin.second) {
      const std::string key = item.first.Scalar();
      const double seconds =
          section.Bounded(item.second, key, section.Scalar(item.second, key), 0, 3600);
      const auto point = PluginPointOfKey(key);
      if (key == "permitWait") {
        declared.permit_wait = seconds;
      } else if (point) {
        declared.seconds[*point] = seconds;
      } else {
        section.Fail(item.first,
                     fmt::format("unknown extension point `{}`; use the configuration's words "
                                 "(preFilter, filter, ...) or permitWait",
                                 key));
      }
    }
  }
}

}  // namespace

// The configuration first: the scenario's own keys override it.
void ReadScheduler(Section section, Scenario* scenario) {
  ReadDeclaredPlugins(section, scenario);
  if (const YAML::Node node = section.Find("configuration"); node) {
    scenario->configuration = node.IsScalar() ? node.Scalar() : YAML::Dump(node);
    ApplyConfiguration(scenario);
  }
  scenario->qps = section.Number("qps", scenario->qps, -1, 1e6);
  scenario->client_burst = section.Number("burst", scenario->client_burst, 1, 1e6);
  scenario->initial_backoff =
      section.Number("initial_backoff", scenario->initial_backoff, 0.001, 3600);
  scenario->max_backoff = section.Number("max_backoff", scenario->max_backoff, 0, 36000);
  scenario->percentage_of_nodes =
      section.Count("percentage_of_nodes", scenario->percentage_of_nodes, 0, 100);
  scenario->parallelism = section.Count("parallelism", scenario->parallelism, 1, 1024);
  scenario->permit_timeout = section.Number("permit_timeout", scenario->permit_timeout, 0, 900);
  scenario->pod_groups = section.Flag("pod_groups", scenario->pod_groups);
  scenario->preemption = section.Flag("preemption", scenario->preemption);
  if (section.Has("async_api_calls")) {
    scenario->async_api_calls = section.Flag("async_api_calls", false);
  } else {
    section.Find("async_api_calls");
  }
  if (const YAML::Node node = section.Find("plugin_weights"); node) {
    for (const auto& item : node) {
      const std::string key = item.first.Scalar();
      scenario->plugin_weights[key] =
          section.Bounded(item.second, key, section.Scalar(item.second, key), 0, 1e9);
    }
  }
  section.Finish();
}

void ReadScrape(Section section, Scenario* scenario) {
  scenario->scrape_interval = section.Duration("interval", scenario->scrape_interval);
  scenario->scrape_jitter = section.Duration("jitter", scenario->scrape_jitter);
  scenario->replicas = section.Count("replicas", scenario->replicas, 1, 20);
  scenario->api_host = section.Text("api_host", scenario->api_host);
  if (section.Has("start")) {
    const std::string text = section.Text("start", "");
    const auto time = ParseTime(text, 0);
    if (!time) section.Fail(section.node()["start"], fmt::format("`{}` is not a time", text));
    scenario->start_time = *time;
  } else {
    section.Find("start");
  }
  section.Finish();
}

std::vector<std::string> ReadTexts(Section& section, const std::string& key) {
  std::vector<std::string> out;
  const YAML::Node node = section.Find(key);
  if (!node || node.IsNull()) return out;
  if (!node.IsSequence()) section.Fail(node, fmt::format("`{}` must be a list", key));
  for (const YAML::Node& item : node) out.push_back(item.Scalar());
  return out;
}

}  // namespace schedlens::sim
