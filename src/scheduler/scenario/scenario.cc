#include "scheduler/scenario/scenario.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <numeric>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/yaml_load.h"
#include "scheduler/cluster/cluster.h"

namespace schedlens::sim {
namespace {

// Pods whose schedulerName no profile has would wait for ever without a word.
void CheckProfiles(const Scenario& scenario) {
  if (scenario.configuration.empty()) return;
  std::vector<std::string> names;
  for (const core::Profile& profile : ConfigurationOf(scenario, false).profiles) {
    names.push_back(profile.scheduler_name);
  }
  for (const PodTemplate& pod : scenario.templates) {
    if (std::ranges::find(names, pod.profile) != names.end()) continue;
    Raise(ErrorKind::kUsage,
          "scenario {}: template `{}` asks for profile `{}`, which the "
          "configuration does not have{}",
          scenario.name, pod.name, pod.profile,
          Suggestion(pod.profile, names, fmt::format("; it has {}", fmt::join(names, ", "))));
  }
}

}  // namespace

Costs Costs::Default() {
  Costs out;
  for (const CostRow& row : kCostRows) {
    StepCost& step = out[row.cost];
    if (row.median > 0) step.wall = Distribution::LogNormal(row.median, row.sigma);
    step.per_node = row.per_node;
    // A request's client side is mostly system calls and wake-ups, which nobody measured apart.
    step.computed = (IsCpuWork(row.cost) && row.cost != Cost::kBindClient) ||
                    row.cost == Cost::kExtFilter || row.cost == Cost::kExtPrioritize;
  }
  // One attempt in five meets a busy machine, as in the recordings.
  out.noise = Distribution::Mixture(
      {{0.8, Distribution::LogNormal(0.95, 0.2)}, {0.2, Distribution::LogNormal(2.6, 0.9)}});
  return out;
}

bool Webhook::Matches(bool subresource) const {
  if (resource == "*/*" || resource == "pods/*") return true;
  return resource == (subresource ? "pods/binding" : "pods") || (!subresource && resource == "*");
}

std::string TemplatePodName(const PodTemplate& pod, std::uint32_t number) {
  return fmt::format("{}/{}-{:06}", pod.namespace_name, pod.name, number);
}

const Conditions& Scenario::At(Nanos t) const {
  const auto after = std::ranges::upper_bound(segments, t, {}, &Segment::start);
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

void CheckScenario(const Scenario& scenario, double max_memory) {
  const auto fail = [&](const std::string& why) {
    Raise(ErrorKind::kUsage, "scenario {}: {}", scenario.name, why);
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
    const bool arrives = std::ranges::any_of(scenario.segments, [&](const Segment& segment) {
      return segment.conditions.rate > 0 && segment.conditions.weights[i] > 0;
    });
    if (!pod.never_fits.empty() || !arrives || scenario.objects) continue;
    const bool fits = std::ranges::any_of(scenario.nodes, [&](const NodeGroup& group) {
      if (group.count == 0 || pod.cpu > group.cpu || pod.memory > group.memory) return false;
      return std::ranges::all_of(pod.extended, [&](const auto& want) {
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
  const std::vector<YAML::Node> documents = LoadYamlFile(std::string(yaml), name);
  if (documents.empty() || !documents.front().IsMap()) {
    Raise(ErrorKind::kUsage, "{}: a scenario is a YAML mapping", name);
  }
  try {
    Scenario scenario = ReadScenario(documents.front(), name, options);
    if (options.nodes.empty() && options.pods.empty()) {
      CheckScenario(scenario, options.max_memory);
    } else {
      AddClusterObjects(options.nodes, options.pods, options.max_memory, &scenario);
    }
    return scenario;
  } catch (const YAML::Exception& error) {
    Raise(ErrorKind::kUsage, "{}:{}: {}", name, ErrorLine(error), error.msg);
  }
}

Scenario LoadScenario(const std::string& name_or_file, const ScenarioOptions& options) {
  std::vector<std::string> names;
  for (const EmbeddedFile& builtin : BuiltinScenarios()) {
    if (builtin.name == name_or_file) return ParseScenario(builtin.text, name_or_file, options);
    names.emplace_back(builtin.name);
  }
  std::error_code none;
  if (name_or_file == "-" || !std::filesystem::exists(name_or_file, none)) {
    Raise(ErrorKind::kUsage,
          "`{}` is neither a file nor a built-in scenario{} `schedlens simulate --list` shows all",
          name_or_file, Suggestion(name_or_file, names, ";"));
  }
  return ParseScenario(ReadFile(name_or_file), name_or_file, options);
}

}  // namespace schedlens::sim
