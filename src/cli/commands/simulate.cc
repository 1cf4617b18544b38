#include <poll.h>

#include <mutex>
#include <ostream>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/work_budget.h"
#include "cli/interrupt.h"
#include "cli/options/investigate.h"
#include "cli/options/output.h"
#include "cli/web/server.h"
#include "replay/what_if.h"
#include "report/commands.h"
#include "scheduler/engine/truth.h"

namespace schedlens {
namespace {

struct SimulateOptions {
  std::string scenario;
  std::string output, truth, bindings, trace;  ///< files; empty: not wanted
  bool summary = false;
  std::uint64_t seed = 1;
  double severity = 1;
  std::string version;
  std::string max_memory = "2Gi";
  bool list = false, keys = false;
  std::string show;
  std::string address;     ///< of `--serve`; replicas on the ports that follow
  std::string from = "0";  ///< of `--serve`: virtual time to start from
  std::string web_config;  ///< file; empty: plain HTTP for anybody
  std::vector<std::string> nodes, pods, plugins;
  std::string why;           ///< a pod: namespace/name, or a name in the namespace `default`
  std::string fit;           ///< a manifest's file
  std::string fit_at = "0";  ///< virtual time
  bool full = false;

  bool truth_wanted() const { return !truth.empty() || !bindings.empty() || !trace.empty(); }
  bool asks_about_pod() const { return !why.empty() || !fit.empty(); }
};

void WriteTruth(const SimulateOptions& options, const sim::Scenario& scenario,
                const sim::SimulationResult& result, const Context& context) {
  const auto write = [&](const std::string& file, const auto& text) {
    if (!file.empty()) WriteTo(file, text(scenario, result), context);
  };
  write(options.truth, sim::TruthCsv);
  write(options.bindings, sim::BindingsCsv);
  write(options.trace, sim::ChromeTrace);
}

/// The scenario's metrics at wall-clock speed: virtual time follows the clock, requests are
/// answered in between. An interrupt ends it, and what was asked for is still written.
int ServeScenario(sim::Scenario scenario, const SimulateOptions& options, const Context& context) {
  constexpr std::size_t kScrapesAtOnce = 8;
  const ListenAddress first = ParseListenAddress("--serve", options.address);
  const sim::Nanos from = sim::FromSeconds(sim::ParseQuantity(options.from, 1));
  // The processes say when they started; a server that scrapes them lives now.
  scenario.start_time = Now() - from / sim::kMillisecond;
  const NotesSignals notes({SIGINT, SIGTERM, SIGHUP});
  SetDeadline(kNoDeadline);
  const auto simulation = sim::StartSimulation(
      scenario, {.seed = options.seed, .keep_attempts = options.truth_wanted(), .scrape = false});
  simulation->AdvanceTo(std::min(from, scenario.duration));
  const auto started = std::chrono::steady_clock::now();
  std::mutex mutex;  // the servers' threads and this one
  const auto catch_up = [&] {
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(
                            std::chrono::steady_clock::now() - started)
                            .count();
    simulation->AdvanceTo(std::min(from + passed, scenario.duration));
    return simulation->now() < scenario.duration;
  };
  std::vector<std::unique_ptr<WebServer>> servers;
  for (int replica = 0; replica < scenario.replicas; ++replica) {
    WebServerOptions server;
    server.address = first;
    server.handler = MetricsPage([&, replica] {
      const std::lock_guard lock(mutex);
      catch_up();
      return simulation->MetricsPage(replica);
    });
    if (first.port != 0) server.address.port = static_cast<std::uint16_t>(first.port + replica);
    if (!options.web_config.empty()) {
      server.config = [&options] { return ReadWebConfig(options.web_config); };
    }
    server.limits.connections = kScrapesAtOnce;
    servers.push_back(StartWebServer(std::move(server)));
    context.err << fmt::format("schedlens: kube-scheduler-{} on {}/metrics\n", replica,
                               servers.back()->url())
                << std::flush;
  }
  for (bool more = true; more && NotesSignals::noted() == 0;) {
    poll(nullptr, 0, 20);
    const std::lock_guard lock(mutex);
    more = catch_up();
  }
  servers.clear();
  const sim::SimulationResult result = simulation->Finish();
  WriteTruth(options, scenario, result, context);
  if (NotesSignals::noted() == 0) return 0;
  throw Error(ErrorKind::kInterrupted, "interrupted");
}

std::string Why(const SimulateOptions& options, bool json, const sim::Scenario& scenario) {
  const bool named = options.why.find('/') != std::string::npos;
  const std::string watch = named ? options.why : "default/" + options.why;
  const sim::SimulationResult result = sim::RunScenario(
      scenario, {.seed = options.seed, .scrape = false, .watch = watch, .metrics = false});
  sim::CheckWatched(scenario, result);
  return json ? sim::StoryJson(scenario, result, options.seed)
              : sim::StoryText(scenario, result, options.full);
}

std::string Fit(const SimulateOptions& options, bool json, const sim::Scenario& scenario) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const std::string manifest = ReadFile(options.fit, kMost);
  const auto simulation = sim::StartSimulation(
      scenario, {.seed = options.seed, .keep_attempts = false, .scrape = false, .metrics = false});
  const sim::Nanos at = sim::FromSeconds(sim::ParseQuantity(options.fit_at, 1));
  if (at > 0) simulation->AdvanceTo(std::min(at, scenario.duration));
  const sim::FitResult fit = simulation->Fit(manifest, options.fit);
  return json ? sim::FitJson(scenario, fit) : sim::FitText(scenario, fit, options.full);
}

std::vector<sim::ObjectText> ReadObjects(const std::vector<std::string>& files) {
  std::vector<sim::ObjectText> out;
  for (const std::string& file : files) out.push_back({file, ReadFile(file, kAnySize)});
  return out;
}

void PrintWarnings(const sim::Scenario& scenario, const Context& context) {
  if (!scenario.note.empty()) context.err << "schedlens: note: " << scenario.note << '\n';
  if (!scenario.ignored.empty()) context.err << "schedlens: ignored: " << scenario.ignored << '\n';
  for (const std::string& warning : scenario.warnings) {
    context.err << "schedlens: warning: " << warning << '\n';
  }
}

/// A question about a pod of real objects needs no scenario: then nothing arrives.
sim::Scenario ScenarioOf(const SimulateOptions& options) {
  sim::ScenarioOptions how;
  how.severity = options.severity;
  how.kubernetes_version = options.version;
  how.max_memory = static_cast<double>(ParseSize("--max-memory", options.max_memory));
  how.nodes = ReadObjects(options.nodes);
  how.pods = ReadObjects(options.pods);
  for (const std::string& file : options.plugins) {
    for (SchedulerPluginFactory& plugin : sim::core::LoadPluginLibrary(file, how.plugins)) {
      how.plugins.push_back(std::move(plugin));
    }
  }
  if (!options.scenario.empty()) return sim::LoadScenario(options.scenario, how);
  if (!options.asks_about_pod() || how.nodes.size() + how.pods.size() == 0) {
    throw Error(
        ErrorKind::kUsage,
        "simulate needs a scenario: a file or a name that `schedlens simulate --list` shows");
  }
  return sim::ParseScenario("{name: cluster, workload: {rate: 0}}", "cluster", how);
}

std::string ScenarioList() {
  std::size_t width = 0;
  for (const auto& builtin : sim::BuiltinScenarios()) width = std::max(width, builtin.name.size());
  std::string lines;
  for (const auto& builtin : sim::BuiltinScenarios()) {
    const sim::Scenario scenario = sim::LoadScenario(std::string(builtin.name));
    lines += fmt::format("{:<{}}  {}\n", builtin.name, width, scenario.description);
  }
  return lines;
}

std::string ScenarioText(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& builtin : sim::BuiltinScenarios()) {
    if (builtin.name == name) return std::string(builtin.text);
    names.emplace_back(builtin.name);
  }
  Raise(ErrorKind::kUsage, "no built-in scenario `{}`{} --list shows all", name,
        Suggestion(name, names, ";"));
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

/// Two results in one file would leave the last one alone.
void CheckPlaces(const SimulateOptions& o) {
  const std::pair<const char*, std::string> places[] = {
      {"--output", o.asks_about_pod() ? "" : o.output},
      {"--truth", o.truth},
      {"--truth-bindings", o.bindings},
      {"--trace", o.trace}};
  for (const auto& own : places) {
    for (const auto* other = std::begin(places); other != &own; ++other) {
      if (own.second.empty() || other->second.empty() || !SamePlace(own.second, other->second)) {
        continue;
      }
      Raise(ErrorKind::kUsage, "{} {}: {} is written to this file", own.first, own.second,
            other->first);
    }
  }
}

int Simulate(const SimulateOptions& options, const Context& context) {
  CheckPlaces(options);
  if (options.list || options.keys || !options.show.empty()) {
    context.out << (options.list   ? ScenarioList()
                    : options.keys ? std::string(sim::ScenarioKeys().front().text)
                                   : ScenarioText(options.show));
    return 0;
  }
  const sim::Scenario scenario = ScenarioOf(options);
  PrintWarnings(scenario, context);
  if (options.asks_about_pod()) {
    const std::string& format = options.output;
    if (!format.empty() && format != "text" && format != "json") {
      Raise(ErrorKind::kUsage, "with --why or --fit, -o is text or json, not `{}`", format);
    }
    context.out << (options.why.empty() ? Fit : Why)(options, format == "json", scenario);
    return 0;
  }
  if (!options.bindings.empty() && !scenario.At(0).path.on) {
    throw Error(ErrorKind::kUsage, "--truth-bindings needs a scenario with `apiserver`");
  }
  if (!options.address.empty()) return ServeScenario(scenario, options, context);
  if (!scenario.cost_note.empty()) context.err << "schedlens: note: " << scenario.cost_note << '\n';

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
  WriteTruth(options, scenario, result, context);
  if (options.summary) {
    context.out << sim::SummaryJson(scenario, result, options.seed);
  } else if (options.output.empty() && !options.truth_wanted()) {
    PrintSummary(scenario, result, context.out);
  }
  return 0;
}

Options PodOptions(SimulateOptions* o) {
  return InGroup("Questions about a pod",
                 {Option("--why", &o->why, {.excludes = {"--fit", "--serve"}}),
                  Option("--fit", &o->fit, {.excludes = {"--serve"}}),
                  Option("--fit-at", &o->fit_at, {.needs = {"--fit"}}),
                  {"simulate:--full", &o->full}});
}

Options ResultOptions(SimulateOptions* o) {
  return {{"simulate:-o,--output", &o->output},
          {"--truth", &o->truth},
          {"--truth-bindings", &o->bindings},
          {"--trace", &o->trace},
          {"--summary", &o->summary}};
}

Options ScenarioOptions(SimulateOptions* o) {
  return {{"scenario", &o->scenario},
          {"--seed", &o->seed},
          {"--severity", &o->severity},
          {"--kubernetes-version", &o->version},
          {"simulate:--max-memory", &o->max_memory},
          Option("--nodes", &o->nodes, {.many = true}),
          Option("--pods", &o->pods, {.many = true}),
          {"--plugin", &o->plugins}};
}

Options OtherOptions(SimulateOptions* o) {
  return {
      {"--list", &o->list},
      {"--show", &o->show},
      {"--show-keys", &o->keys},
      {"--serve", &o->address},
      {"simulate:--web.config.file", &o->web_config},
      {"--serve-from", &o->from},
  };
}

struct WhatifOptions {
  InvestigateOptions investigate;
  std::vector<std::string> set;
  std::uint64_t seeds = 10;
  std::string headroom, target;
  std::string output = "text", lang = "en";
};

ThresholdOf TargetOf(const WhatifOptions& options, const Investigation& investigation) {
  if (!options.target.empty()) return ParseTarget(options.target);
  if (const auto threshold = ThresholdOfAlert(investigation.diagnosis)) return *threshold;
  throw Error(ErrorKind::kUsage,
              "--headroom needs a threshold: --target p99=1s, or an --alert that has one");
}

int RunWhatif(const WhatifOptions& options, const Context& context) {
  if (options.set.empty() && options.headroom.empty()) {
    throw Error(ErrorKind::kUsage, "whatif: --set or --headroom is required");
  }
  if (!options.target.empty()) ParseTarget(options.target);
  std::vector<Change> changes;
  for (const std::string& text : options.set) {
    Change& change = changes.emplace_back(ParseChange(text));
    if (change.kind == ChangeKind::kFile) change.text = ReadFile(change.file);
  }
  const QuerySet queries = QueriesOf(options.investigate);
  const Investigation investigation = InvestigateAsAsked(options.investigate, queries, context);
  const bool json = options.output == "json";
  if (!options.headroom.empty()) {
    const Headroom headroom = Checked(PredictHeadroom(
        investigation, changes, options.headroom, TargetOf(options, investigation), options.seeds));
    context.out << (json ? HeadroomJson(headroom) : HeadroomText(Messages(options.lang), headroom));
    return 0;
  }
  const Prediction prediction = Checked(PredictChange(investigation, changes, options.seeds));
  context.out << (json ? PredictionJson(prediction)
                       : PredictionText(Messages(options.lang), prediction));
  return 0;
}

}  // namespace

Declared DeclareSimulate() {
  return DeclareWith<SimulateOptions>(Simulate, [](SimulateOptions* o) {
    return Together({ResultOptions(o), ScenarioOptions(o), PodOptions(o), OtherOptions(o)});
  });
}

Declared DeclareWhatif() {
  return DeclareWith<WhatifOptions>(RunWhatif, [](WhatifOptions* o) {
    Option set("--set", &o->set, {.many = true});
    set.help += ChangeKeys();
    return Together({{std::move(set),
                      Option("--headroom", &o->headroom, {.choices = {"rate", "nodes", "running"}}),
                      Option("--target", &o->target, {.needs = {"--headroom"}}),
                      Option("--seeds", &o->seeds, {.range = {{1, 100}}})},
                     InvestigateOptionTable(&o->investigate),
                     FormatAndLanguage(&o->output, &o->lang)});
  });
}

}  // namespace schedlens
