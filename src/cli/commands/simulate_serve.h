#ifndef SCHEDLENS_CLI_COMMANDS_SIMULATE_SERVE_H_
#define SCHEDLENS_CLI_COMMANDS_SIMULATE_SERVE_H_

// `simulate --serve`: a scenario's metrics at wall-clock speed.

#include <cstdint>
#include <string>

#include "cli/command.h"
#include "cli/commands/simulate_truth.h"
#include "sim/scenario/scenario.h"

namespace schedlens {

struct ServedScenario {
  std::string address;     ///< `--serve`; replicas on the ports that follow
  std::string from = "0";  ///< virtual time to start from
  std::string web_config;  ///< file; empty: plain HTTP for anybody
};

/// Virtual time follows the clock, requests are answered in between. An interrupt ends it, and what
/// was asked for is still written. Returns the exit code; throws what listening throws.
int ServeScenario(sim::Scenario scenario, const ServedScenario& options, std::uint64_t seed,
                  const TruthFiles& truth, const Context& context);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SIMULATE_SERVE_H_
