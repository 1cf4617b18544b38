#include "sim/scenario/scenario.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "model/file.h"
#include "model/nearest.h"
#include "model/text.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"
#include "sim/cluster/cluster.h"
#include "sim/cluster/objects_json.h"
#include "sim/framework/plugin_points.h"
#include "sim/scenario/cluster.h"
#include "sim/scenario/conditions.h"
#include "sim/scenario/out_of_tree.h"
#include "sim/scenario/section.h"

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

// A pod's, as YAML; empty if there is none. What a manifest may not ask for is refused by line.
std::string ReadManifest(Section& section, const std::string& pod) {
  const YAML::Node node = section.Find("manifest");
  if (!node) return "";
  const YAML::Node spec = node.IsMap() ? node["spec"] : node;
  if (spec && spec.IsMap()) {
    const YAML::Node claims = spec["resourceClaims"];
    if (claims && claims.size() > 0) {
      section.Fail(claims, fmt::format("pod template {}: {}", pod, core::kClaimsNotModelled));
    }
  }
  return YAML::Dump(node);
}

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
  pod.manifest = ReadManifest(section, pod.name);
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

// What the scenario is called, which release it plays, when its incident is.
void ReadHeader(Section& top, const ScenarioOptions& options, Scenario* out) {
  Scenario& scenario = *out;
  scenario.name = top.Text("name", out->name);
  scenario.description = top.Text("description", "");
  scenario.findings = ReadTexts(top, "findings");
  scenario.behind = ReadTexts(top, "behind");
  const std::string version = top.Text("kubernetes_version", "1.26");
  scenario.release =
      Release::Parse(options.kubernetes_version.empty() ? version : options.kubernetes_version);
  const Release since = Release::Parse(top.Text("since", fmt::format("1.{}", Release::kOldest)));
  const Release until = Release::Parse(top.Text("until", fmt::format("1.{}", Release::kNewest)));
  if (scenario.release.minor < since.minor || scenario.release.minor > until.minor) {
    scenario.note =
        fmt::format("kube-scheduler {} does not have what fails in {}; 1.{} to 1.{} do",
                    scenario.release.ToString(), scenario.name, since.minor, until.minor);
  }
  scenario.cost_note = cost::UnmeasuredNote(scenario.release);
  scenario.duration = top.Duration("duration", scenario.duration);
  Section incident = top.Sub("incident");
  scenario.incident_start = incident.Duration("start", scenario.incident_start);
  scenario.incident_end = incident.Duration("end", scenario.incident_end);
  incident.Finish();
  const std::string placement = top.Text("placement", "full");
  if (placement != "simple" && placement != "full") {
    top.Fail(top.node()["placement"],
             fmt::format("`placement` is simple or full, not `{}`", placement));
  }
  scenario.simple_placement = placement == "simple";
}

// The templates, and the conditions without any fault.
Conditions ReadWorkload(Section& top, Scenario* out) {
  Scenario& scenario = *out;
  Section workload = top.Sub("workload");
  Conditions base;
  base.costs = Costs::Default();
  base.units = cost::UnitCosts(scenario.release);
  workload.Each("templates", [&](Section& s) {
    base.weights.push_back(s.Number("weight", 1, 0, 1e6));
    scenario.templates.push_back(ReadTemplate(s));
  });
  if (scenario.templates.empty()) {
    scenario.templates.emplace_back();
    scenario.templates.back().life = Distribution::Uniform(20, 40);
    base.weights.push_back(1);
  }
  base.template_costs.resize(scenario.templates.size());
  ReadConditions(workload, scenario, &base);
  workload.Finish();
  if (top.Has("costs")) {
    ReadCosts(top.Sub("costs"), &base.costs);
  } else {
    top.Find("costs");
  }
  ReadUnitCosts(top, &base.units);
  return base;
}

Scenario ReadScenario(const YAML::Node& root, const std::string& file,
                      const ScenarioOptions& options) {
  Scenario scenario;
  scenario.name = file;
  scenario.severity = options.severity;
  Section top(root, file, "", options.severity);
  ReadHeader(top, options, &scenario);
  scenario.plugins = options.plugins;

  Section cluster = top.Sub("cluster");
  cluster.Each("nodes", [&](Section& s) { scenario.nodes.push_back(ReadNodes(s)); });
  scenario.running = cluster.Count("running", 0, 0, 5'000'000);
  cluster.Finish();
  ReadScheduler(top.Sub("scheduler"), &scenario);
  top.Each("extenders", [&](Section& s) { scenario.extenders.push_back(ReadExtender(s)); });
  ReadScrape(top.Sub("scrape"), &scenario);

  Conditions base = ReadWorkload(top, &scenario);
  ReadRequestPath(top, &base.path);
  ReadSegments(top, base, &scenario);
  top.Each("actions", [&](Section& s) { scenario.actions.push_back(ReadAction(s, scenario)); });
  std::stable_sort(scenario.actions.begin(), scenario.actions.end(),
                   [](const Action& a, const Action& b) { return a.at < b.at; });
  top.Finish();
  return scenario;
}

}  // namespace

std::string TemplatePodName(const PodTemplate& pod, std::uint32_t number) {
  return fmt::format("{}/{}-{:06}", pod.namespace_name, pod.name, number);
}

const Conditions& Scenario::At(Nanos t) const {
  const auto after = std::upper_bound(segments.begin(), segments.end(), t,
                                      [](Nanos time, const Segment& s) { return time < s.start; });
  return after == segments.begin() ? segments.front().conditions : std::prev(after)->conditions;
}

int Scenario::NodeCount() const {
  return std::accumulate(nodes.begin(), nodes.end(), objects ? objects->node_count() : 0,
                         [](int sum, const NodeGroup& group) { return sum + group.count; });
}

double Scenario::EstimateMemory() const {
  double pods = running + (objects ? objects->pod_limit() : 0);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Nanos end =
        i + 1 < segments.size() ? std::min(segments[i + 1].start, duration) : duration;
    pods += segments[i].conditions.rate * std::max(0.0, ToSeconds(end - segments[i].start));
  }
  for (const Action& action : actions) {
    if (action.kind == ActionKind::kBurst || action.kind == ActionKind::kRollOut)
      pods += action.count;
  }
  const double scrapes = scrape_interval > 0 ? ToSeconds(duration) / ToSeconds(scrape_interval) : 0;
  // With a few attempts each; kube-state-metrics has eight series of one.
  const double kPerPod = At(0).path.on ? 5000 : 1000;
  constexpr double kPerNode = 2000;
  constexpr double kPerScrape = 40000;  // about 2,000 series of 16 bytes
  return pods * kPerPod + NodeCount() * kPerNode + scrapes * kPerScrape * replicas;
}

namespace {

// Pods whose schedulerName no profile has would wait for ever without a word.
void CheckProfiles(const Scenario& scenario) {
  if (scenario.configuration.empty()) return;
  std::vector<std::string> names;
  for (const core::Profile& profile : ConfigurationOf(scenario, false).profiles) {
    names.push_back(profile.scheduler_name);
  }
  for (const PodTemplate& pod : scenario.templates) {
    if (std::find(names.begin(), names.end(), pod.profile) != names.end()) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("scenario {}: template `{}` asks for profile `{}`, which the "
                            "configuration does not have; did you mean `{}`?",
                            scenario.name, pod.name, pod.profile, Nearest(pod.profile, names)));
  }
}

}  // namespace

void CheckScenario(const Scenario& scenario, double max_memory) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::kUsage, fmt::format("scenario {}: {}", scenario.name, why));
  };
  if (scenario.NodeCount() <= 0) fail("cluster.nodes is empty; give a group with count above 0");
  if (scenario.duration <= 0) fail("duration must be above 0");
  if (scenario.scrape_interval < 10 * kMillisecond) fail("scrape.interval must be at least 10ms");
  if (scenario.segments.empty() || scenario.templates.empty()) fail("no workload");
  for (const Segment& segment : scenario.segments) {
    const std::vector<double>& weights = segment.conditions.weights;
    if (segment.conditions.rate > 0 && std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) {
      fail("the weights of all templates are 0 while workload.rate is not");
    }
  }
  for (std::size_t i = 0; i < scenario.templates.size(); ++i) {
    const PodTemplate& pod = scenario.templates[i];
    // Real pods may wait for ever, and real nodes are of many sizes.
    const bool arrives = std::any_of(
        scenario.segments.begin(), scenario.segments.end(), [&](const Segment& segment) {
          return segment.conditions.rate > 0 && segment.conditions.weights[i] > 0;
        });
    if (!pod.never_fits.empty() || !arrives || scenario.objects) continue;
    const bool fits =
        std::any_of(scenario.nodes.begin(), scenario.nodes.end(), [&](const NodeGroup& group) {
          if (group.count == 0 || pod.cpu > group.cpu || pod.memory > group.memory) return false;
          return std::all_of(pod.extended.begin(), pod.extended.end(), [&](const auto& want) {
            const auto have = group.extended.find(want.first);
            return have != group.extended.end() && want.second <= have->second;
          });
        });
    if (!fits) {
      fail(
          fmt::format("template `{}` is larger than any node; say never_fits: NodeResourcesFit if "
                      "that is meant",
                      pod.name));
    }
  }
  CheckProfiles(scenario);
  const double memory = scenario.EstimateMemory();
  if (memory > max_memory) {
    fail(
        fmt::format("needs about {:.0f} MiB, more than --max-memory allows ({:.0f} MiB); lower "
                    "rate, duration or nodes",
                    memory / 1048576, max_memory / 1048576));
  }
}

Scenario ParseScenario(std::string_view yaml, const std::string& name,
                       const ScenarioOptions& options) {
  if (!(options.severity > 0 && options.severity <= 100)) {
    throw Error(ErrorKind::kUsage, "--severity must lie in 0..100 and be above 0");
  }
  YAML::Node root;
  try {
    root = LoadYaml(std::string(yaml));
    if (!root.IsMap()) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: a scenario is a YAML mapping", name));
    }
    Scenario scenario = ReadScenario(root, name, options);
    if (options.nodes.empty() && options.pods.empty()) {
      CheckScenario(scenario, options.max_memory);
    } else {
      AddClusterObjects(options.nodes, options.pods, options.max_memory, &scenario);
    }
    return scenario;
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : fmt::format(":{}", error.mark.line + 1);
    throw Error(ErrorKind::kUsage,
                fmt::format("{}{}: not readable as YAML: {}", name, line, error.msg));
  }
}

Scenario LoadScenario(const std::string& name_or_file, const ScenarioOptions& options) {
  std::vector<std::string> names;
  for (const BuiltinScenario& builtin : BuiltinScenarios()) {
    if (builtin.name == name_or_file) {
      return ParseScenario(builtin.yaml, name_or_file, options);
    }
    names.emplace_back(builtin.name);
  }
  std::error_code none;
  if (name_or_file == "-" || !std::filesystem::exists(name_or_file, none)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("`{}` is neither a file nor a built-in scenario, did you mean `{}`? "
                            "`schedlens simulate --list` shows all",
                            name_or_file, Nearest(name_or_file, names)));
  }
  return ParseScenario(ReadFile(name_or_file), name_or_file, options);
}

}  // namespace schedlens::sim
