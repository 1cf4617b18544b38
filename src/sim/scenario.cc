// Reads scenarios from YAML.

#include "sim/scenario.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "model/nearest.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "sim/cluster.h"
#include "sim/plugin_points.h"
#include "sim/scenario_cluster.h"

namespace schedlens::sim {
namespace {

constexpr double kKibi = 1024;

// One mapping of the file. Every key asked for is known; Finish complains about the others.
class Section {
 public:
  Section(const YAML::Node& node, std::string file, std::string path, double severity)
      : node_(node), file_(std::move(file)), path_(std::move(path)), severity_(severity) {
    if (node_ && !node_.IsNull() && !node_.IsMap()) Fail(node_, "must be a mapping");
  }

  [[noreturn]] void Fail(const YAML::Node& at, const std::string& why) const {
    const YAML::Mark mark = at ? at.Mark() : YAML::Mark::null_mark();
    const std::string line = mark.is_null() ? "" : fmt::format(":{}", mark.line + 1);
    throw Error(ErrorKind::kUsage,
                fmt::format("{}{}: {}{}{}", file_, line, path_, path_.empty() ? "" : ": ", why));
  }

  YAML::Node Find(const std::string& key) {
    known_.push_back(key);
    return node_ && node_.IsMap() ? node_[key] : YAML::Node(YAML::NodeType::Undefined);
  }

  std::string Text(const std::string& key, const std::string& fallback) {
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return fallback;
    if (!node.IsScalar()) Fail(node, fmt::format("`{}` must be a single value", key));
    return node.Scalar();
  }

  double Number(const std::string& key, double fallback, double low, double high) {
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return fallback;
    return Bounded(node, key, Scalar(node, key), low, high);
  }

  int Count(const std::string& key, int fallback, int low, int high) {
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return fallback;
    const double value = Bounded(node, key, Scalar(node, key), low, high);
    // A severity may make a count fractional; it is a whole number of things.
    return static_cast<int>(std::lround(value));
  }

  Nanos Duration(const std::string& key, Nanos fallback) {
    return FromSeconds(Number(key, ToSeconds(fallback), 0, 86400.0 * 30));
  }

  bool Flag(const std::string& key, bool fallback) {
    const std::string text = Text(key, fallback ? "true" : "false");
    if (text != "true" && text != "false")
      Fail(Find(key), fmt::format("`{}` is true or false", key));
    return text == "true";
  }

  // Kubernetes quantities: 100m, 64, 128Mi, 256Gi, 1.5G.
  double Quantity(const std::string& key, double fallback) {
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return fallback;
    return ParseAmount(node, key, node.IsScalar() ? node.Scalar() : "");
  }

  std::map<std::string, double> Quantities(const std::string& key) {
    std::map<std::string, double> out;
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return out;
    if (!node.IsMap()) Fail(node, fmt::format("`{}` must be a mapping", key));
    for (const auto& item : node) {
      const std::string name = item.first.Scalar();
      out[name] = ParseAmount(item.second, name, item.second.Scalar());
    }
    return out;
  }

  std::map<std::string, std::string> Texts(const std::string& key) {
    std::map<std::string, std::string> out;
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return out;
    if (!node.IsMap()) Fail(node, fmt::format("`{}` must be a mapping", key));
    for (const auto& item : node) out[item.first.Scalar()] = item.second.Scalar();
    return out;
  }

  Distribution Spread(const std::string& key, const Distribution& fallback) {
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return fallback;
    return ReadDistribution(node, key);
  }

  Distribution ReadDistribution(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar())
      Fail(node, fmt::format("`{}` must be a distribution such as ln(0.006,0.5)", key));
    try {
      return Distribution::Parse(node.Scalar(), severity_);
    } catch (const Error& error) {
      Fail(node, fmt::format("`{}`: {}", key, error.what()));
    }
  }

  double Scalar(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) Fail(node, fmt::format("`{}` must be a number", key));
    try {
      return ParseQuantity(node.Scalar(), severity_);
    } catch (const Error& error) {
      Fail(node, fmt::format("`{}`: {}", key, error.what()));
    }
  }

  double Bounded(const YAML::Node& node, const std::string& key, double value, double low,
                 double high) const {
    if (!(value >= low && value <= high)) {
      Fail(node, fmt::format("`{}` is {}, it must lie in {}..{}", key, FormatNumber(value),
                             FormatNumber(low), FormatNumber(high)));
    }
    return value;
  }

  void Finish() const {
    if (!node_ || !node_.IsMap()) return;
    for (const auto& item : node_) {
      const std::string key = item.first.Scalar();
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      Fail(item.first,
           fmt::format("unknown key `{}`, did you mean `{}`?", key, Nearest(key, known_)));
    }
  }

  Section Sub(const std::string& key) { return Child(Find(key), key); }
  Section Child(const YAML::Node& node, const std::string& key) const {
    return Section(node, file_, path_.empty() ? key : path_ + "." + key, severity_);
  }
  // Calls use(section) for each entry of a list.
  template <typename Use>
  void Each(const std::string& key, Use use) {
    const YAML::Node node = Find(key);
    if (!node || node.IsNull()) return;
    if (!node.IsSequence()) Fail(node, fmt::format("`{}` must be a list", key));
    for (std::size_t i = 0; i < node.size(); ++i) {
      Section item = Child(node[i], fmt::format("{}[{}]", key, i));
      use(item);
      item.Finish();
    }
  }
  const YAML::Node& node() const { return node_; }
  bool Has(const std::string& key) const { return node_ && node_.IsMap() && node_[key]; }

 private:
  double ParseAmount(const YAML::Node& node, const std::string& key, std::string text) const {
    struct Suffix {
      std::string_view text;
      double factor;
    };
    static constexpr Suffix kSuffixes[] = {{"Ki", kKibi},
                                           {"Mi", kKibi * kKibi},
                                           {"Gi", kKibi * kKibi * kKibi},
                                           {"Ti", kKibi * kKibi * kKibi * kKibi},
                                           {"k", 1e3},
                                           {"M", 1e6},
                                           {"G", 1e9},
                                           {"T", 1e12},
                                           {"m", 1e-3}};
    double factor = 1;
    for (const Suffix& suffix : kSuffixes) {
      if (!text.ends_with(suffix.text)) continue;
      factor = suffix.factor;
      text.resize(text.size() - suffix.text.size());
      break;
    }
    const auto number = ParseNumber(text);
    if (!number) Fail(node, fmt::format("`{}` must be a quantity such as 100m, 4 or 128Mi", key));
    return Bounded(node, key, *number * factor, 0, 1e18);
  }

  YAML::Node node_;
  std::string file_;
  std::string path_;
  double severity_;
  std::vector<std::string> known_;
};

StepCost ReadStep(Section& section, const std::string& key, StepCost step) {
  const YAML::Node node = section.Find(key);
  if (!node || node.IsNull()) return step;
  if (node.IsScalar()) {
    step.wall = section.ReadDistribution(node, key);
    step.per_node = 0;
    step.per_pod = 0;
    return step;
  }
  Section map = section.Child(node, key);
  step.wall = map.Spread("wall", step.wall);
  step.per_node = map.Number("per_node", step.per_node, 0, 10);
  step.per_pod = map.Number("per_pod", step.per_pod, 0, 10);
  map.Finish();
  return step;
}

void ReadCosts(Section section, Costs* costs) {
  for (std::size_t i = 0; i < kCostCount; ++i) {
    const auto cost = static_cast<Cost>(i);
    (*costs)[cost] = ReadStep(section, std::string(CostKey(cost)), (*costs)[cost]);
  }
  costs->noise = section.Spread("noise", costs->noise);
  costs->prefilter_error = section.Number("prefilter_error", costs->prefilter_error, 0, 1);
  costs->claim_late = section.Number("claim_late", costs->claim_late, 0, 1);
  costs->filter_error = section.Number("filter_error", costs->filter_error, 0, 1);
  costs->reserve_error = section.Number("reserve_error", costs->reserve_error, 0, 1);
  costs->prebind_error = section.Number("prebind_error", costs->prebind_error, 0, 1);
  costs->bind_error = section.Number("bind_error", costs->bind_error, 0, 1);
  costs->ext_filter_error = section.Number("ext_filter_error", costs->ext_filter_error, 0, 1);
  costs->ext_bind_error = section.Number("ext_bind_error", costs->ext_bind_error, 0, 1);
  section.Finish();
}

CostOverrides ReadOverrides(Section section) {
  CostOverrides out;
  for (std::size_t i = 0; i < kCostCount; ++i) {
    const auto cost = static_cast<Cost>(i);
    const std::string key(CostKey(cost));
    if (section.Has(key)) {
      out.emplace_back(cost, ReadStep(section, key, StepCost()));
    } else {
      section.Find(key);
    }
  }
  section.Finish();
  return out;
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
      section.Fail(item, fmt::format("`{}` is none of affinity, ports, volumes, spread, interpod",
                                     item.Scalar()));
    }
    out |= found->second;
  }
  return out;
}

PodTemplate ReadTemplate(Section& section) {
  PodTemplate pod;
  pod.name = section.Text("name", pod.name);
  section.Find("weight");  // read with the conditions
  pod.cpu = section.Quantity("cpu", pod.cpu);
  pod.memory = section.Quantity("memory", pod.memory);
  pod.priority = static_cast<std::int32_t>(section.Number("priority", 0, -2147483648.0, 2e9));
  pod.profile = section.Text("profile", pod.profile);
  pod.extended = section.Quantities("extended");
  pod.claim = section.Flag("claim", false);
  pod.gang = section.Count("gang", 0, 0, 10'000);
  pod.spread_rejects = section.Number("spread_rejects", 0, 0, 1);
  pod.never_fits = section.Text("never_fits", "");
  pod.features = ReadFeatures(section) | (pod.claim ? kFeatureVolumes : 0u) |
                 (pod.never_fits == "NodeAffinity" ? kFeatureAffinity : 0u) |
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
  static const std::set<std::string> rejecters = {"", "NodeResourcesFit", "NodeAffinity"};
  if (!rejecters.contains(pod.never_fits)) {
    section.Fail(
        section.node()["never_fits"],
        fmt::format("`never_fits` is NodeResourcesFit or NodeAffinity, not `{}`", pod.never_fits));
  }
  return pod;
}

std::size_t TemplateIndex(const Section& section, const Scenario& scenario, const YAML::Node& at,
                          const std::string& name) {
  std::vector<std::string> names;
  for (const PodTemplate& pod : scenario.templates) names.push_back(pod.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    section.Fail(at,
                 fmt::format("no template `{}`, did you mean `{}`?", name, Nearest(name, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

// What the base and every fault may say about load and costs.
void ReadConditions(Section& section, const Scenario& scenario, Conditions* conditions) {
  conditions->rate = section.Number("rate", conditions->rate, 0, 1e5);
  conditions->burst = section.Count("burst", conditions->burst, 1, 100'000);
  conditions->processors = section.Count("processors", conditions->processors, 0, 1024);
  conditions->slice = section.Number("slice", conditions->slice, 0, 10);
  if (const YAML::Node weights = section.Find("weights"); weights) {
    for (const auto& item : weights) {
      const std::string name = item.first.Scalar();
      const std::size_t index = TemplateIndex(section, scenario, item.first, name);
      conditions->weights[index] =
          section.Bounded(item.second, name, section.Scalar(item.second, name), 0, 1e6);
    }
  }
  if (section.Has("costs")) {
    ReadCosts(section.Sub("costs"), &conditions->costs);
  } else {
    section.Find("costs");
  }
  if (const YAML::Node by_template = section.Find("template_costs"); by_template) {
    for (const auto& item : by_template) {
      const std::string name = item.first.Scalar();
      const std::size_t index = TemplateIndex(section, scenario, item.first, name);
      CostOverrides overrides = ReadOverrides(section.Child(item.second, name));
      CostOverrides& target = conditions->template_costs[index];
      // The later one wins, so new overrides go in front.
      target.insert(target.begin(), overrides.begin(), overrides.end());
    }
  }
}

struct Fault {
  Nanos start = 0;
  Nanos end = 0;
  YAML::Node node;
  std::string path;
};

void BuildSegments(const Section& root, const std::vector<Fault>& faults, const Conditions& base,
                   Scenario* scenario) {
  std::set<Nanos> edges = {0};
  for (const Fault& fault : faults) {
    edges.insert(fault.start);
    edges.insert(fault.end);
  }
  for (Nanos edge : edges) {
    Segment segment{edge, base};
    for (const Fault& fault : faults) {
      if (edge < fault.start || edge >= fault.end) continue;
      Section section = root.Child(fault.node, fault.path);
      section.Find("name");
      section.Find("start");
      section.Find("end");
      ReadConditions(section, *scenario, &segment.conditions);
      section.Finish();
    }
    scenario->segments.push_back(std::move(segment));
  }
}

Action ReadAction(Section& section, const Scenario& scenario) {
  static const std::map<std::string, ActionKind> kinds = {
      {"restart", ActionKind::kRestart},          {"leader_change", ActionKind::kLeaderChange},
      {"delete_nodes", ActionKind::kDeleteNodes}, {"add_nodes", ActionKind::kAddNodes},
      {"unreachable", ActionKind::kUnreachable},  {"burst", ActionKind::kBurst},
      {"roll_out", ActionKind::kRollOut}};
  Action action;
  action.at = section.Duration("at", 0);
  const std::string kind = section.Text("do", "");
  if (!kinds.contains(kind)) {
    section.Fail(
        section.node(),
        fmt::format(
            "`do` is restart, leader_change, delete_nodes, add_nodes, unreachable, burst or "
            "roll_out, not `{}`",
            kind));
  }
  action.kind = kinds.at(kind);
  action.length = section.Duration("for", action.length);
  action.count = section.Count("count", 1, 1, 1'000'000);
  action.surge = section.Count("surge", 1, 1, 1'000'000);
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
      section.Fail(verb, fmt::format("`{}` is none of filter, prioritize, preempt, bind", name));
    }
  }
  out.managed = section.Text("managed", "");
  out.ignorable = section.Flag("ignorable", false);
  out.timeout = section.Number("timeout", out.timeout, 0.001, 3600);
  out.rejects = section.Number("rejects", out.rejects, 0, 1);
  out.weight = section.Count("weight", 1, 1, 1'000'000);
  return out;
}

// The configuration first: a key beside it says more.
void ReadScheduler(Section section, Scenario* scenario) {
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
    if (!time) section.Fail(section.node()["start"], fmt::format("`{}` is no time", text));
    scenario->start_time = *time;
  } else {
    section.Find("start");
  }
  section.Finish();
}

std::vector<std::string> ReadFindings(Section& section) {
  std::vector<std::string> out;
  const YAML::Node node = section.Find("findings");
  if (!node || node.IsNull()) return out;
  if (!node.IsSequence()) section.Fail(node, "`findings` must be a list");
  for (const YAML::Node& item : node) out.push_back(item.Scalar());
  return out;
}

Scenario ReadScenario(const YAML::Node& root, const std::string& file,
                      const ScenarioOptions& options) {
  Scenario scenario;
  scenario.severity = options.severity;
  Section top(root, file, "", options.severity);
  scenario.name = top.Text("name", file);
  scenario.description = top.Text("description", "");
  scenario.findings = ReadFindings(top);
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
  scenario.duration = top.Duration("duration", scenario.duration);
  Section incident = top.Sub("incident");
  scenario.incident_start = incident.Duration("start", scenario.incident_start);
  scenario.incident_end = incident.Duration("end", scenario.incident_end);
  incident.Finish();
  const std::string placement = top.Text("placement", "full");
  if (placement != "simple" && placement != "full") {
    top.Fail(root["placement"], fmt::format("`placement` is simple or full, not `{}`", placement));
  }
  scenario.simple_placement = placement == "simple";

  Section cluster = top.Sub("cluster");
  cluster.Each("nodes", [&](Section& s) { scenario.nodes.push_back(ReadNodes(s)); });
  scenario.running = cluster.Count("running", 0, 0, 5'000'000);
  cluster.Finish();
  ReadScheduler(top.Sub("scheduler"), &scenario);
  top.Each("extenders", [&](Section& s) { scenario.extenders.push_back(ReadExtender(s)); });
  ReadScrape(top.Sub("scrape"), &scenario);

  Section workload = top.Sub("workload");
  Conditions base;
  base.costs = Costs::Default();
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

  std::vector<Fault> faults;
  if (const YAML::Node list = top.Find("faults"); list) {
    if (!list.IsSequence()) top.Fail(list, "`faults` must be a list");
    for (std::size_t i = 0; i < list.size(); ++i) {
      Section section = top.Child(list[i], fmt::format("faults[{}]", i));
      Fault fault;
      fault.start = section.Duration("start", scenario.incident_start);
      fault.end = section.Duration("end", scenario.incident_end);
      fault.node = list[i];
      fault.path = fmt::format("faults[{}]", i);
      if (fault.end <= fault.start) section.Fail(list[i], "`end` must be later than `start`");
      faults.push_back(fault);
    }
  }
  BuildSegments(top, faults, base, &scenario);
  top.Each("actions", [&](Section& s) { scenario.actions.push_back(ReadAction(s, scenario)); });
  std::stable_sort(scenario.actions.begin(), scenario.actions.end(),
                   [](const Action& a, const Action& b) { return a.at < b.at; });
  top.Finish();
  return scenario;
}

}  // namespace

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
  constexpr double kPerPod = 1000;  // with a few attempts each
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
  if (scenario.NodeCount() <= 0)
    fail("cluster.nodes holds no node; give a group with count above 0");
  if (scenario.duration <= 0) fail("duration must be above 0");
  if (scenario.scrape_interval < 10 * kMillisecond) fail("scrape.interval must be at least 10ms");
  if (scenario.segments.empty() || scenario.templates.empty()) fail("there is no workload");
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
    root = YAML::Load(std::string(yaml));
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
  std::ifstream file(name_or_file, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw Error(ErrorKind::kUsage,
                fmt::format("`{}` is neither a file nor a built-in scenario, did you mean `{}`? "
                            "`schedlens simulate --list` shows all",
                            name_or_file, Nearest(name_or_file, names)));
  }
  return ParseScenario(text.str(), name_or_file, options);
}

}  // namespace schedlens::sim
