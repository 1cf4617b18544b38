#include "cli/commands/simulate_pod.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "model/file.h"
#include "schedlens/error.h"
#include "sim/base/distribution.h"
#include "sim/engine/pod_story.h"
#include "sim/engine/simulation.h"
#include "sim/framework/own_plugin.h"

namespace schedlens {
namespace {

std::string Why(const PodQuestion& question, bool json, const sim::Scenario& scenario,
                std::uint64_t seed) {
  sim::RunOptions run;
  run.seed = seed;
  run.scrape = run.metrics = false;
  const bool named = question.why.find('/') != std::string::npos;
  run.watch = named ? question.why : "default/" + question.why;
  const sim::SimulationResult result = sim::RunScenario(scenario, run);
  sim::CheckWatched(scenario, result);
  return json ? sim::StoryJson(scenario, result, seed)
              : sim::StoryText(scenario, result, question.full);
}

std::string Fit(const PodQuestion& question, bool json, const sim::Scenario& scenario,
                std::uint64_t seed) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const std::string manifest = ReadFile(question.fit, kMost);
  sim::RunOptions run;
  run.seed = seed;
  run.scrape = run.metrics = false;
  run.keep_attempts = false;
  sim::Simulation simulation(scenario, run);
  const sim::Nanos at = sim::FromSeconds(sim::ParseQuantity(question.at, 1));
  if (at > 0) simulation.AdvanceTo(std::min(at, scenario.duration));
  const sim::FitResult fit = simulation.Fit(manifest, question.fit);
  return json ? sim::FitJson(scenario, fit) : sim::FitText(scenario, fit, question.full);
}

}  // namespace

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

std::vector<SchedulerPluginFactory> LoadPlugins(const std::vector<std::string>& files) {
  std::vector<SchedulerPluginFactory> out;
  for (const std::string& file : files) {
    for (SchedulerPluginFactory& plugin : sim::core::LoadPluginLibrary(file, out)) {
      out.push_back(std::move(plugin));
    }
  }
  return out;
}

Options PodOptions(PodQuestion* question) {
  const std::string group = "Questions about a pod";
  return {
      {.names = "--why",
       .value = "POD",
       .help = "instead explain each attempt of the pod (namespace/name): every node's verdict, "
               "scores, preemption, what woke it; without a scenario: of --nodes and --pods",
       .target = &question->why,
       .group = group,
       .excludes = {"--fit", "--serve"}},
      {.names = "--fit",
       .value = "FILE",
       .help = "instead say how many more pods of the manifest fit, and what stops the next",
       .target = &question->fit,
       .group = group,
       .excludes = {"--serve"}},
      {.names = "--fit-at",
       .value = "DURATION",
       .help = "with --fit: virtual time at which they are added (default 0)",
       .target = &question->at,
       .group = group,
       .needs = {"--fit"}},
      {.names = "--full",
       .help = "with --why or --fit: every node and attempt, however long",
       .target = &question->full,
       .group = group}};
}

sim::Scenario ScenarioFor(const std::string& name_or_file, const PodQuestion& question,
                          const sim::ScenarioOptions& options) {
  if (!name_or_file.empty()) return sim::LoadScenario(name_or_file, options);
  if (!question.asked() || options.nodes.size() + options.pods.size() == 0) {
    throw Error(
        ErrorKind::kUsage,
        "simulate needs a scenario: a file or a name that `schedlens simulate --list` shows");
  }
  return sim::ParseScenario("{name: cluster, workload: {rate: 0}}", "cluster", options);
}

int AnswerAboutPod(const PodQuestion& question, const std::string& format,
                   const sim::Scenario& scenario, std::uint64_t seed, const Context& context) {
  if (!format.empty() && format != "text" && format != "json") {
    throw Error(ErrorKind::kUsage,
                fmt::format("with --why or --fit, -o is text or json, not `{}`", format));
  }
  const bool json = format == "json";
  context.out << (question.why.empty() ? Fit(question, json, scenario, seed)
                                       : Why(question, json, scenario, seed));
  return 0;
}

}  // namespace schedlens
