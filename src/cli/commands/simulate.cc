#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/simulate_pod.h"
#include "cli/commands/simulate_serve.h"
#include "cli/commands/simulate_truth.h"
#include "cli/options/size.h"
#include "cli/progress.h"
#include "cli/same_place.h"
#include "model/byte_source.h"
#include "model/file.h"
#include "model/nearest.h"
#include "model/work_budget.h"
#include "schedlens/error.h"
#include "sim/base/distribution.h"
#include "sim/engine/simulation.h"
#include "sim/engine/truth.h"

namespace schedlens {
namespace {

struct SimulateOptions {
  std::string scenario;
  std::string output, truth, bindings, trace;
  bool summary = false;
  std::uint64_t seed = 1;
  double severity = 1;
  std::string version;
  std::string max_memory = "2Gi";
  bool list = false;
  bool keys = false;
  std::string show;
  ServedScenario serve;
  std::vector<std::string> nodes, pods, plugins;
  PodQuestion pod;
};

void ListScenarios(std::ostream& out) {
  std::size_t width = 0;
  for (const auto& builtin : sim::BuiltinScenarios()) width = std::max(width, builtin.name.size());
  for (const auto& builtin : sim::BuiltinScenarios()) {
    const sim::Scenario scenario = sim::LoadScenario(std::string(builtin.name));
    out << fmt::format("{:<{}}  {}\n", builtin.name, width, scenario.description);
  }
}

void ShowScenario(const std::string& name, std::ostream& out) {
  std::vector<std::string> names;
  for (const auto& builtin : sim::BuiltinScenarios()) {
    if (builtin.name == name) {
      out << builtin.yaml;
      return;
    }
    names.emplace_back(builtin.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("no built-in scenario `{}`, did you mean `{}`? --list shows all", name,
                          Nearest(name, names)));
}

void PrintSummary(const sim::Scenario& scenario, const sim::SimulationResult& result,
                  std::ostream& out) {
  const sim::SimulationCounts& c = result.counts;
  out << fmt::format(
      "{} (kube-scheduler {}): {} pods created, {} bound, {} pending at the end; {} attempts in "
      "{:.0f} s, {} series, {} scrapes\n",
      scenario.name, scenario.release.ToString(), c.pods_created, c.pods_bound, c.pods_pending,
      c.attempts, sim::ToSeconds(scenario.duration), result.exposition.series.size(), c.scrapes);
}

TruthFiles FilesOf(const SimulateOptions& o) { return {o.truth, o.bindings, o.trace}; }

/// Two results in one file would leave the last one alone.
void CheckPlaces(const SimulateOptions& o) {
  const std::pair<const char*, std::string> places[] = {{"--output", o.pod.asked() ? "" : o.output},
                                                        {"--truth", o.truth},
                                                        {"--truth-bindings", o.bindings},
                                                        {"--trace", o.trace}};
  for (const auto& own : places) {
    for (const auto* other = std::begin(places); other != &own; ++other) {
      if (own.second.empty() || other->second.empty() || !SamePlace(own.second, other->second)) {
        continue;
      }
      throw Error(ErrorKind::kUsage, fmt::format("{} {}: {} is written to this file", own.first,
                                                 own.second, other->first));
    }
  }
}

int Simulate(const SimulateOptions& options, const Context& context) {
  CheckPlaces(options);
  if (options.list) {
    ListScenarios(context.out);
    return 0;
  }
  if (options.keys) {
    context.out << sim::ScenarioKeys().front().yaml;
    return 0;
  }
  if (!options.show.empty()) {
    ShowScenario(options.show, context.out);
    return 0;
  }
  sim::ScenarioOptions how;
  how.severity = options.severity;
  how.kubernetes_version = options.version;
  how.max_memory = static_cast<double>(ParseSize("--max-memory", options.max_memory));
  how.nodes = ReadObjects(options.nodes);
  how.pods = ReadObjects(options.pods);
  how.plugins = LoadPlugins(options.plugins);
  const sim::Scenario scenario = ScenarioFor(options.scenario, options.pod, how);
  PrintWarnings(scenario, context);
  if (options.pod.asked()) {
    return AnswerAboutPod(options.pod, options.output, scenario, options.seed, context);
  }
  if (!options.bindings.empty() && !scenario.At(0).path.on) {
    throw Error(ErrorKind::kUsage, "--truth-bindings needs a scenario with `apiserver`");
  }
  if (!options.serve.address.empty()) {
    return ServeScenario(scenario, options.serve, options.seed, FilesOf(options), context);
  }
  if (!scenario.cost_note.empty()) {
    context.err << "schedlens: note: " << scenario.cost_note << '\n';
  }

  Progress progress(context.err);
  sim::RunOptions run;
  run.seed = options.seed;
  run.scrape = !options.output.empty() || (options.truth.empty() && options.bindings.empty());
  run.metrics = run.scrape;
  run.progress = [&](double done) {
    progress.Show("simulated seconds",
                  static_cast<std::size_t>(done * sim::ToSeconds(scenario.duration)),
                  static_cast<std::size_t>(sim::ToSeconds(scenario.duration)), scenario.name);
    return true;
  };
  const sim::SimulationResult result = sim::RunScenario(scenario, run);
  if (!options.output.empty()) {
    WriteTo(options.output, WriteOpenMetrics(result.exposition), context);
  }
  WriteTruth(FilesOf(options), scenario, result, context);
  if (options.summary) {
    context.out << sim::SummaryJson(scenario, result, options.seed);
  } else if (options.output.empty() && !FilesOf(options).any()) {
    PrintSummary(scenario, result, context.out);
  }
  return 0;
}

Options ResultOptions(SimulateOptions* o) {
  return {{.names = "-o,--output",
           .value = "FILE",
           .help = "write the capture as OpenMetrics text, compressed if it ends in .gz; `-` for "
                   "standard output; with --why or --fit: text or json",
           .target = &o->output},
          {.names = "--truth",
           .value = "FILE",
           .help = "write one CSV row per attempt with the seconds of every stage",
           .target = &o->truth},
          {.names = "--truth-bindings",
           .value = "FILE",
           .help = "write one CSV row per binding with the seconds of every part of its request; "
                   "for scenarios with `apiserver`",
           .target = &o->bindings},
          {.names = "--trace",
           .value = "FILE",
           .help = "write Chrome trace JSON; opens in Perfetto",
           .target = &o->trace},
          {.names = "--summary",
           .help = "print a summary as JSON on standard output",
           .target = &o->summary}};
}

Options ScenarioOptions(SimulateOptions* o) {
  return {{.names = "scenario",
           .value = "NAME|FILE",
           .help = "a built-in scenario's name or a YAML file",
           .target = &o->scenario},
          {.names = "--seed",
           .value = "N",
           .help = "same seed, same bytes (default 1)",
           .target = &o->seed},
          {.names = "--severity",
           .value = "X",
           .help = "scales the incident; 1 is as written (default 1)",
           .target = &o->severity},
          {.names = "--kubernetes-version",
           .value = "1.N",
           .help = "simulate another release: 1.18 to 1.36",
           .target = &o->version},
          {.names = "--max-memory",
           .value = "SIZE",
           .help = "refuse a scenario that needs more memory (default 2Gi)",
           .target = &o->max_memory},
          {.names = "--nodes",
           .value = "FILE",
           .help = "real nodes instead of the scenario's, as `kubectl get nodes -o json` prints "
                   "them",
           .target = &o->nodes,
           .many = true},
          {.names = "--pods",
           .value = "FILE",
           .help = "real pods in addition to the scenario's, as `kubectl get pods -A -o json` "
                   "prints them: bound pods run from the start, pending ones wait; nodes in "
                   "it count too unless --nodes is given, volumes and claims on them always",
           .target = &o->pods,
           .many = true},
          {.names = "--plugin",
           .value = "FILE",
           .help = "a library of scheduler plugins (schedlens/plugin.h); without a configuration "
                   "they run in every profile; may be given several times",
           .target = &o->plugins}};
}

Options OtherOptions(SimulateOptions* o) {
  return {
      {.names = "--list", .help = "list the built-in scenarios", .target = &o->list},
      {.names = "--show", .value = "NAME", .help = "print a built-in scenario", .target = &o->show},
      {.names = "--show-keys", .help = "explain every key of a scenario file", .target = &o->keys},
      {.names = "--serve",
       .value = "ADDRESS",
       .help = "instead serve GET /metrics on [HOST:]PORT at wall-clock speed; replicas on the "
               "ports that follow",
       .target = &o->serve.address},
      {.names = "--web.config.file",
       .value = "FILE",
       .help = "with --serve: TLS, users and headers in Prometheus' format",
       .target = &o->serve.web_config},
      {.names = "--serve-from",
       .value = "DURATION",
       .help = "with --serve: virtual time to start from (default 0)",
       .target = &o->serve.from},
  };
}

}  // namespace

Declared DeclareSimulate() {
  const auto options = std::make_shared<SimulateOptions>();
  SimulateOptions* o = options.get();
  return {Together({ResultOptions(o), ScenarioOptions(o), PodOptions(&o->pod), OtherOptions(o)}),
          [options](const Context& context) { return Simulate(*options, context); }};
}

}  // namespace schedlens
