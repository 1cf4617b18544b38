#include "sim/scenario/scenario.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "model/file.h"
#include "model/nearest.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"
#include "sim/cluster/cluster.h"
#include "sim/scenario/cluster.h"
#include "sim/scenario/conditions.h"
#include "sim/scenario/parts.h"

namespace schedlens::sim {
namespace {

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
