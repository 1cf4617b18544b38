#include <re2/re2.h>
#include <yaml-cpp/yaml.h>

#include <set>

#include "base/suggestion.h"
#include "scheduler/base/quantity.h"
#include "scheduler/cluster/objects_json.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_table.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {
namespace {

// One mapping of a scenario file. The severity scales the numbers that say so.
class Section : public YamlMap {
 public:
  Section(YamlMap map, double severity) : YamlMap(std::move(map)), severity_(severity) {}

  Section Sub(const std::string& key) { return {YamlMap::Sub(key), severity_}; }
  Section Child(const YAML::Node& node, const std::string& name) const {
    return {YamlMap::Child(node, name), severity_};
  }
  void Each(const std::string& key, const std::function<void(Section&)>& use) {
    YamlMap::Each(key, [&](YamlMap& map) {
      Section section(map, severity_);
      use(section);
      map = section;
    });
  }

  using YamlMap::Read;
  void Read(const std::string& key, Distribution* out) {
    if (const YAML::Node node = Find(key)) *out = DistributionOf(node, key);
  }
  Distribution DistributionOf(const YAML::Node& node, const std::string& key) const {
    try {
      return Distribution::Parse(TextOf(node, key), severity_);
    } catch (const Error& error) {
      if (!node.IsScalar()) throw;
      Fail(node, fmt::format("`{}`: {}", key, error.what()));
    }
  }
  void ReadTime(const std::string& key, Nanos* out) {
    double seconds = ToSeconds(*out);
    Read(key, &seconds, 0, 86400.0 * 30);
    *out = FromSeconds(seconds);
  }
  /// A word and what it stands for.
  template <typename Value>
  using Words = std::vector<std::pair<std::string, Value>>;
  template <typename Value>
  void ReadOneOf(const std::string& key, const Words<Value>& words, Value* out) {
    if (const YAML::Node node = Find(key)) *out = OneOf(node, key, words);
  }
  template <typename Value>
  Value OneOf(const YAML::Node& node, const std::string& key, const Words<Value>& words) const {
    const std::string text = TextOf(node, key);
    std::string known;
    for (const auto& [word, value] : words) {
      if (word == text) return value;
      known += (known.empty() ? "" : word == words.back().first ? " or " : ", ") + word;
    }
    Fail(node, fmt::format("`{}` is {}, not `{}`", key, known, text));
  }
  /// Kubernetes quantities: 100m, 64, 128Mi, 256Gi, 1.5G.
  void ReadAmount(const std::string& key, double* out) {
    if (const YAML::Node node = Find(key)) *out = AmountOf(node, key);
  }
  void ReadAmounts(const std::string& key, std::map<std::string, double>* out) {
    Entries(key, [&](const YAML::Node& name, const YAML::Node& amount) {
      (*out)[name.Scalar()] = AmountOf(amount, name.Scalar());
    });
  }

 private:
  double AmountOf(const YAML::Node& node, const std::string& key) const {
    const auto milli = core::QuantityMilli(TextOf(node, key));
    if (!milli) Fail(node, fmt::format("`{}` must be a quantity such as 100m, 4 or 128Mi", key));
    const double amount = static_cast<double>(*milli) / 1000;
    if (amount < 0) Fail(node, fmt::format("`{}` is {}, it must be at least 0", key, amount));
    return amount;
  }

  double severity_;
};

void ReadStep(Section& section, const std::string& key, StepCost* step) {
  const YAML::Node node = section.Find(key);
  if (!node) return;
  step->computed = false;
  if (node.IsScalar()) {
    *step = {.wall = section.DistributionOf(node, key)};
    return;
  }
  Section map = section.Child(node, key);
  map.Read("wall", &step->wall);
  map.Read("per_node", &step->per_node, 0, 10);
  map.Read("per_pod", &step->per_pod, 0, 10);
  map.Finish();
}

// Every cost of a mapping; those that are absent stay.
void ReadCosts(Section section, Costs* costs) {
  for (std::size_t i = 0; i < kCostCount; ++i) {
    const auto cost = static_cast<Cost>(i);
    ReadStep(section, std::string(CostKey(cost)), &(*costs)[cost]);
  }
  section.Read("noise", &costs->noise);
  constexpr std::pair<const char*, double Costs::*> kShares[] = {
      {"prefilter_error", &Costs::prefilter_error},   {"claim_late", &Costs::claim_late},
      {"filter_error", &Costs::filter_error},         {"reserve_error", &Costs::reserve_error},
      {"prebind_error", &Costs::prebind_error},       {"bind_error", &Costs::bind_error},
      {"ext_filter_error", &Costs::ext_filter_error}, {"ext_bind_error", &Costs::ext_bind_error}};
  for (const auto& [key, share] : kShares) section.Read(key, &(costs->*share), 0, 1);
  section.Finish();
}

// The costs that one pod template has of its own.
CostOverrides ReadOverrides(Section section) {
  CostOverrides out;
  for (std::size_t i = 0; i < kCostCount; ++i) {
    const auto cost = static_cast<Cost>(i);
    const std::string key(CostKey(cost));
    if (section.Has(key)) ReadStep(section, key, &out.emplace_back(cost, StepCost()).second);
  }
  section.Finish();
  return out;
}

// Microseconds, unless the text has a unit of time.
double ReadMicroseconds(const Section& section, const YAML::Node& node, const std::string& name) {
  constexpr double kMost = 1e6;
  std::string text = section.TextOf(node, name);
  RE2::GlobalReplace(&text, "severity", "");
  const bool plain = text.find_first_not_of(" 0123456789.+-*eE") == std::string::npos;
  if (plain) return section.NumberOf(node, name, 0, kMost);
  return section.NumberOf(node, name, 0, kMost / 1e6) * 1e6;
}

// Every unit cost of the mapping `unit_costs`, if there is one: by name a number of microseconds, a
// time with a unit, or {hot_us, cold_us}; `release`, `core_ns` and `memory_ns`.
void ReadUnitCosts(Section& parent, cost::UnitCosts* units) {
  Section section = parent.Sub("unit_costs");
  if (const YAML::Node release = section.Find("release")) {
    const auto measured = cost::UnitCosts::Measured(section.TextOf(release, "release"));
    if (!measured) {
      section.Fail(release, fmt::format("unit costs were measured on 1.30 and 1.36, not on `{}`",
                                        release.Scalar()));
    }
    *units = *measured;
  }
  for (std::size_t i = 0; i < cost::kUnits; ++i) {
    const cost::Unit of = cost::Unit::At(i);
    const std::string name(of.name());
    const YAML::Node node = section.Find(name);
    if (!node) continue;
    cost::UnitCost unit;
    if (node.IsMap()) {
      Section map = section.Child(node, name);
      map.Read("hot_us", &unit.hot_us, 0, 1e6);
      unit.cold_us = unit.hot_us;
      map.Read("cold_us", &unit.cold_us, 0, 1e6);
      map.Finish();
    } else {
      unit.hot_us = unit.cold_us = ReadMicroseconds(section, node, name);
    }
    units->Set(of, unit);
  }
  double core_ns = units->core_ns(), memory_ns = units->memory_ns();
  section.Read("core_ns", &core_ns, 0.01, 1000);
  section.Read("memory_ns", &memory_ns, 0.01, 100'000);
  if (section.node()) units->Calibrate(core_ns, memory_ns);
  section.Finish();
}

std::size_t TemplateIndex(const Section& section, const Scenario& scenario, const YAML::Node& at,
                          const std::string& name) {
  std::vector<std::string> names;
  for (const PodTemplate& pod : scenario.templates) names.push_back(pod.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    section.Fail(at, fmt::format("no template `{}`{}", name, Correction(name, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

// What the base and every fault may say about load and costs.
void ReadConditions(Section& section, const Scenario& scenario, Conditions* conditions) {
  section.Read("rate", &conditions->rate, 0, 1e5);
  section.Read("burst", &conditions->burst, 1, 100'000);
  if (section.Has("processors") && section.Has("cores")) {
    section.Fail(section.Find("processors"),
                 "`processors` is the old name of `cores`; only one of them may be given");
  }
  for (const char* key : {"processors", "cores"}) section.Read(key, &conditions->cores, 0, 1024);
  section.Read("gc", &conditions->gc);
  section.Read("slice", &conditions->slice, 0, 10);
  const auto template_of = [&](const YAML::Node& name) {
    return TemplateIndex(section, scenario, name, name.Scalar());
  };
  section.Entries("weights", [&](const YAML::Node& name, const YAML::Node& weight) {
    conditions->weights[template_of(name)] = section.NumberOf(weight, name.Scalar(), 0, 1e6);
  });
  ReadCosts(section.Sub("costs"), &conditions->costs);
  ReadUnitCosts(section, &conditions->units);
  section.Entries("template_costs", [&](const YAML::Node& name, const YAML::Node& costs) {
    const CostOverrides overrides = ReadOverrides(section.Child(costs, name.Scalar()));
    CostOverrides& target = conditions->template_costs[template_of(name)];
    // The later one wins, so new overrides go in front.
    target.insert(target.begin(), overrides.begin(), overrides.end());
  });
}

// Webhooks merge by name.
void ReadWebhook(Section& section, std::vector<Webhook>* all) {
  std::string name;
  section.Read("name", &name);
  if (name.empty()) section.Fail(section.node(), "a webhook needs a `name`");
  auto found = std::ranges::find(*all, name, &Webhook::name);
  if (found == all->end()) {
    found = all->insert(found, Webhook());
    found->name = name;
  }
  section.Read("resource", &found->resource);
  section.Read("mutating", &found->mutating);
  section.Read("cost", &found->cost);
  section.Read("fail", &found->fail, 0, 1);
  section.Read("timeout", &found->timeout, 0.001, 30);
  section.ReadOneOf("policy", {{"Ignore", true}, {"Fail", false}}, &found->ignore);
}

void ReadServer(Section server, RequestPath* path) {
  server.Read("instances", &path->instances, 1, 20);
  server.Read("spread", &path->spread);
  Section slow = server.Sub("slow_instance");
  slow.Read("number", &path->slow_instance, 0, 20);
  slow.Read("cost", &path->slow_cost);
  slow.Finish();
  server.Each("webhooks", [&](Section& s) { ReadWebhook(s, &path->webhooks); });
  server.Read("admission", &path->admission);
  Section flow = server.Sub("flowcontrol");
  flow.Read("seats", &path->seats, 0, 100'000);
  flow.Read("neighbours_rate", &path->neighbours_rate, 0, 1e5);
  flow.Read("neighbours_cost", &path->neighbours_cost);
  flow.Finish();
  Section etcd = server.Sub("etcd");
  etcd.Read("fsync", &path->fsync);
  etcd.Read("network", &path->etcd_network);
  etcd.Finish();
  Section cpu = server.Sub("cpu");
  cpu.Read("cores", &path->cores, 0, 1024);
  cpu.Read("request_cost", &path->request_cost);
  cpu.Read("neighbours_rate", &path->readers_rate, 0, 1e5);
  cpu.Read("neighbours_cost", &path->readers_cost);
  cpu.Finish();
  Section audit = server.Sub("audit");
  audit.Read("cost", &path->audit);
  audit.Read("blocking", &path->audit_blocking);
  audit.Finish();
  server.Finish();
}

// `apiserver` and `network`; what is absent stays.
void ReadRequestPath(Section& section, RequestPath* path) {
  if (section.node() && section.node()["apiserver"]) path->on = true;  // also an empty one
  ReadServer(section.Sub("apiserver"), path);
  if (section.Has("network") && !path->on) {
    section.Fail(section.Find("network"), "`network` needs `apiserver` beside it");
  }
  Section network = section.Sub("network");
  network.Read("delay", &path->network);
  network.Finish();
}

// Reads `faults` and cuts the time into segments at their edges: the base, and in each segment the
// faults that hold in it, in the order of the file.
void ReadSegments(Section& top, const Conditions& base, Scenario* scenario) {
  struct Fault {
    Nanos start, end;
    YAML::Node node;
    std::string path;
  };
  std::vector<Fault> faults;
  std::set<Nanos> edges = {0};
  for (const YAML::Node& node : top.List("faults")) {
    Fault fault{scenario->incident_start, scenario->incident_end, node,
                fmt::format("faults[{}]", faults.size())};
    Section section = top.Child(node, fault.path);
    section.ReadTime("start", &fault.start);
    section.ReadTime("end", &fault.end);
    if (fault.end <= fault.start) section.Fail(node, "`end` must be later than `start`");
    edges.insert({fault.start, fault.end});
    faults.push_back(std::move(fault));
  }
  for (const Nanos edge : edges) {
    Segment segment{edge, base};
    for (const Fault& fault : faults) {
      if (edge < fault.start || edge >= fault.end) continue;
      Section section = top.Child(fault.node, fault.path);
      section.Ignore({"name", "start", "end"});
      ReadConditions(section, *scenario, &segment.conditions);
      ReadRequestPath(section, &segment.conditions.path);
      section.Finish();
    }
    scenario->segments.push_back(std::move(segment));
  }
}

std::string ReadManifest(Section& section, std::string_view type) {
  const YAML::Node node = section.Find("manifest");
  if (!node) return "";
  core::CheckManifest(node, type, [&](const YAML::Node& at, const std::string& why) {
    section.Child(node, "manifest").Fail(at, why);
  });
  return YAML::Dump(node);
}

NodeGroup ReadNodes(Section& section) {
  NodeGroup group;
  section.Read("name", &group.name);
  section.Read("count", &group.count, 0, 200'000);
  section.ReadAmount("cpu", &group.cpu);
  section.ReadAmount("memory", &group.memory);
  section.Read("pods", &group.pods, 1, 100'000);
  section.Read("zones", &group.zones, 1, 1000);
  section.ReadAmounts("extended", &group.extended);
  section.Entries("labels", [&](const YAML::Node& key, const YAML::Node& value) {
    group.labels[key.Scalar()] = section.TextOf(value, key.Scalar());
  });
  group.manifest = ReadManifest(section, "Node");
  return group;
}

// A scenario has no PriorityClass.
void CheckPriority(Section& section) {
  const YAML::Node node = section.Find("manifest");
  const YAML::Node spec = node && node.IsMap() ? node["spec"] : YAML::Node();
  const YAML::Node name = spec && spec.IsMap() ? spec["priorityClassName"] : YAML::Node();
  if (!name || !name.IsScalar() || name.Scalar().starts_with("system-")) return;
  if (spec["priority"] || section.Has("priority")) return;
  section.Fail(
      name, fmt::format("the priority of class `{}` is not known; give `priority`", name.Scalar()));
}

PodTemplate ReadTemplate(Section& section) {
  PodTemplate pod;
  section.Read("name", &pod.name);
  section.Read("namespace", &pod.namespace_name);
  section.Read("owner", &pod.owner);
  section.ReadAmount("cpu", &pod.cpu);
  section.ReadAmount("memory", &pod.memory);
  section.Read("priority", &pod.priority, -2147483647 - 1, 2'000'000'000);
  section.Read("profile", &pod.profile);
  section.ReadAmounts("extended", &pod.extended);
  section.Read("claim", &pod.claim);
  section.Read("bound_claims", &pod.bound_claims, 0, 100);
  section.Read("gang", &pod.gang, 0, 10'000);
  section.Read("spread_rejects", &pod.spread_rejects, 0, 1);
  const std::string fit(kFitPlugin), affinity(kAffinityPlugin);
  section.ReadOneOf("never_fits", {{fit, fit}, {affinity, affinity}}, &pod.never_fits);
  for (const YAML::Node& item : section.List("uses")) {
    pod.features |= section.OneOf<unsigned>(item, "uses",
                                            {{"affinity", kFeatureAffinity},
                                             {"ports", kFeaturePorts},
                                             {"volumes", kFeatureVolumes},
                                             {"spread", kFeatureSpread},
                                             {"interpod", kFeatureInterPod}});
  }
  if (pod.claim) pod.features |= kFeatureVolumes;
  if (pod.never_fits == affinity) pod.features |= kFeatureAffinity;
  if (pod.gang > 0) pod.features |= kFeatureGang;
  section.Read("life", &pod.life);
  section.Read("pending_life", &pod.pending_life);
  pod.grace = Distribution::Constant(1);
  section.Read("grace", &pod.grace);
  pod.costs = ReadOverrides(section.Sub("costs"));
  CheckPriority(section);
  pod.manifest = ReadManifest(section, "Pod");
  return pod;
}

Action ReadAction(Section& section, const Scenario& scenario) {
  Action action;
  section.ReadTime("at", &action.at);
  if (!section.Has("do")) section.Fail(section.node(), "an action needs `do`");
  section.ReadOneOf("do",
                    {{"restart", ActionKind::kRestart},
                     {"leader_change", ActionKind::kLeaderChange},
                     {"delete_nodes", ActionKind::kDeleteNodes},
                     {"add_nodes", ActionKind::kAddNodes},
                     {"unreachable", ActionKind::kUnreachable},
                     {"burst", ActionKind::kBurst},
                     {"roll_out", ActionKind::kRollOut},
                     {"ungate", ActionKind::kUngate}},
                    &action.kind);
  section.ReadTime("for", &action.length);
  action.count = 1;
  section.Read("count", &action.count, 1, 1'000'000);
  section.Read("surge", &action.surge, 1, 1'000'000);
  action.any_template = !section.Has("template");
  std::string name = scenario.templates.front().name;
  section.Read("template", &name);
  action.pod_template = TemplateIndex(section, scenario, section.node(), name);
  return action;
}

// The templates, and the conditions without any fault.
Conditions ReadWorkload(Section& top, Scenario* scenario) {
  Section workload = top.Sub("workload");
  Conditions base;
  base.costs = Costs::Default();
  base.units = cost::UnitCosts(scenario->release);
  workload.Each("templates", [&](Section& s) {
    s.Read("weight", &base.weights.emplace_back(1), 0, 1e6);
    scenario->templates.push_back(ReadTemplate(s));
  });
  if (scenario->templates.empty()) {
    scenario->templates.emplace_back().life = Distribution::Uniform(20, 40);
    base.weights.push_back(1);
  }
  base.template_costs.resize(scenario->templates.size());
  ReadConditions(workload, *scenario, &base);
  workload.Finish();
  ReadCosts(top.Sub("costs"), &base.costs);
  ReadUnitCosts(top, &base.units);
  return base;
}

Extender ReadExtender(Section& section) {
  Extender out;
  if (!section.Has("verbs")) section.Fail(section.node(), "`verbs` must be a list");
  for (const YAML::Node& verb : section.List("verbs")) {
    out.*section.OneOf<bool Extender::*>(verb, "verbs",
                                         {{"filter", &Extender::filter},
                                          {"prioritize", &Extender::prioritize},
                                          {"preempt", &Extender::preempt},
                                          {"bind", &Extender::bind}}) = true;
  }
  std::string managed;
  section.Read("managed", &managed);
  if (!managed.empty()) out.managed = {managed};
  section.Read("ignorable", &out.ignorable);
  section.Read("timeout", &out.timeout, 0.001, 3600);
  section.Read("names_only", &out.names_only);
  section.Read("rejects", &out.rejects, 0, 1);
  section.Read("weight", &out.weight, 1, 1'000'000);
  return out;
}

// The point of a configuration's key, in lowerCamelCase: `preFilter`. Nothing for another word.
std::optional<PluginPoint> PluginPointOfKey(std::string key) {
  if (!key.empty()) key[0] = static_cast<char>(key[0] - ('a' - 'A'));
  const auto point = kube::Parse<core::ExtensionPoint>(key);
  return point ? core::PluginPointOf(*point) : std::nullopt;
}

// What plugins take that the configuration names and nobody has the code of.
void ReadDeclaredPlugins(Section& section, Scenario* scenario) {
  section.Entries("plugins", [&](const YAML::Node& name, const YAML::Node& points) {
    DeclaredPlugin& declared = scenario->declared_plugins[name.Scalar()];
    if (!points.IsMap()) section.Fail(points, "a plugin is a mapping of points");
    for (const auto& item : points) {
      const std::string key = item.first.Scalar();
      const double seconds = section.NumberOf(item.second, key, 0, 3600);
      const auto point = PluginPointOfKey(key);
      if (key != "permitWait" && !point) {
        section.Fail(item.first,
                     fmt::format("unknown extension point `{}`; use the configuration's words "
                                 "(preFilter, filter, ...) or permitWait",
                                 key));
      }
      (point ? declared.seconds[*point] : declared.permit_wait) = seconds;
    }
  });
}

// The configuration first: the scenario's own keys override it.
void ReadScheduler(Section section, Scenario* scenario) {
  ReadDeclaredPlugins(section, scenario);
  if (const YAML::Node node = section.Find("configuration")) {
    scenario->configuration = node.IsScalar() ? node.Scalar() : YAML::Dump(node);
    try {
      ApplyConfiguration(scenario);
    } catch (const Error& error) {
      section.Fail(node, error.what());
    }
  } else if (section.Has("plugins")) {
    section.Fail(section.Find("plugins"), "`plugins` needs a `configuration` that enables them");
  }
  section.Read("qps", &scenario->qps, -1, 1e6);
  section.Read("burst", &scenario->client_burst, 1, 1e6);
  section.Read("initial_backoff", &scenario->initial_backoff, 0.001, 3600);
  section.Read("max_backoff", &scenario->max_backoff, 0, 36000);
  section.Read("percentage_of_nodes", &scenario->percentage_of_nodes, 0, 100);
  section.Read("parallelism", &scenario->parallelism, 1, 1024);
  section.Read("permit_timeout", &scenario->permit_timeout, 0, 900);
  section.Read("pod_groups", &scenario->pod_groups);
  section.Read("preemption", &scenario->preemption);
  if (section.Has("async_api_calls")) {
    section.Read("async_api_calls", &scenario->async_api_calls.emplace());
  }
  section.Entries("plugin_weights", [&](const YAML::Node& name, const YAML::Node& weight) {
    scenario->plugin_weights[name.Scalar()] = section.NumberOf(weight, name.Scalar(), 0, 1e9);
  });
  section.Finish();
}

void ReadScrape(Section section, Scenario* scenario) {
  section.ReadTime("interval", &scenario->scrape_interval);
  section.ReadTime("jitter", &scenario->scrape_jitter);
  section.Read("replicas", &scenario->replicas, 1, 20);
  section.Read("api_host", &scenario->api_host);
  if (const YAML::Node start = section.Find("start")) {
    const auto time = ParseTime(section.TextOf(start, "start"), 0);
    if (!time) section.Fail(start, fmt::format("`{}` is not a time", start.Scalar()));
    scenario->start_time = *time;
  }
  section.Finish();
}

// What the scenario is called, which release it plays, when its incident is.
void ReadHeader(Section& top, const ScenarioOptions& options, Scenario* scenario) {
  top.Read("name", &scenario->name);
  top.Read("description", &scenario->description);
  top.Read("findings", &scenario->findings);
  top.Read("behind", &scenario->behind);
  const auto release = [&](const char* key, std::string text, const std::string& override) {
    top.Read(key, &text);
    return Release::Parse(override.empty() ? text : override);
  };
  scenario->release = release("kubernetes_version", "1.26", options.kubernetes_version);
  const int since = release("since", fmt::format("1.{}", Release::kOldest), "").minor;
  const int until = release("until", fmt::format("1.{}", Release::kNewest), "").minor;
  if (scenario->release.minor < since || scenario->release.minor > until) {
    scenario->note =
        fmt::format("kube-scheduler {} does not have what fails in {}; 1.{} to 1.{} do",
                    scenario->release.ToString(), scenario->name, since, until);
  }
  scenario->cost_note = cost::UnmeasuredNote(scenario->release);
  top.ReadTime("duration", &scenario->duration);
  Section incident = top.Sub("incident");
  incident.ReadTime("start", &scenario->incident_start);
  incident.ReadTime("end", &scenario->incident_end);
  incident.Finish();
  top.ReadOneOf("placement", {{"simple", true}, {"full", false}}, &scenario->simple_placement);
}

}  // namespace

Scenario ReadScenario(const YAML::Node& root, const std::string& file,
                      const ScenarioOptions& options) {
  Scenario scenario;
  scenario.name = file;
  scenario.severity = options.severity;
  const auto number = [severity = options.severity](const std::string& text) {
    return ParseQuantity(text, severity);
  };
  Section top(YamlMap(root, {.name = file, .number = number}), options.severity);
  ReadHeader(top, options, &scenario);
  scenario.plugins = options.plugins;

  Section cluster = top.Sub("cluster");
  cluster.Each("nodes", [&](Section& s) { scenario.nodes.push_back(ReadNodes(s)); });
  cluster.Read("running", &scenario.running, 0, 5'000'000);
  cluster.Finish();
  ReadScheduler(top.Sub("scheduler"), &scenario);
  top.Each("extenders", [&](Section& s) { scenario.extenders.push_back(ReadExtender(s)); });
  ReadScrape(top.Sub("scrape"), &scenario);

  Conditions base = ReadWorkload(top, &scenario);
  ReadRequestPath(top, &base.path);
  ReadSegments(top, base, &scenario);
  top.Each("actions", [&](Section& s) { scenario.actions.push_back(ReadAction(s, scenario)); });
  std::ranges::stable_sort(scenario.actions, {}, &Action::at);
  top.Finish();
  return scenario;
}

}  // namespace schedlens::sim
