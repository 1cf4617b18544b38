#ifndef SCHEDLENS_CLI_COMMANDS_SIMULATE_POD_H_
#define SCHEDLENS_CLI_COMMANDS_SIMULATE_POD_H_

// `simulate --why POD` and `simulate --fit FILE`: what the scheduler makes of one pod.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "sim/scenario/scenario.h"

namespace schedlens {

struct PodQuestion {
  std::string why;       ///< namespace/name, or a name in the namespace `default`
  std::string fit;       ///< a manifest's file
  std::string at = "0";  ///< of `fit`: virtual time
  bool full = false;

  bool asked() const { return !why.empty() || !fit.empty(); }
};

/// The files' texts.
std::vector<sim::ObjectText> ReadObjects(const std::vector<std::string>& files);

/// What whoever runs the scenario should know, on standard error.
void PrintWarnings(const sim::Scenario& scenario, const Context& context);

/// The plugins of these libraries. Throws Error as sim::core::LoadPluginLibrary.
std::vector<SchedulerPluginFactory> LoadPlugins(const std::vector<std::string>& files);

Options PodOptions(PodQuestion* question);

/// The scenario of that name or file. A question about a pod of real objects needs none: then
/// nothing arrives. Throws Error(kUsage) as LoadScenario, and where one is missing.
sim::Scenario ScenarioFor(const std::string& name_or_file, const PodQuestion& question,
                          const sim::ScenarioOptions& options);

/// Answers on standard output. `format` is the value of -o: text, json or nothing.
int AnswerAboutPod(const PodQuestion& question, const std::string& format,
                   const sim::Scenario& scenario, std::uint64_t seed, const Context& context);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SIMULATE_POD_H_
