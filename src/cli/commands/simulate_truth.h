#ifndef SCHEDLENS_CLI_COMMANDS_SIMULATE_TRUTH_H_
#define SCHEDLENS_CLI_COMMANDS_SIMULATE_TRUTH_H_

// The files that a simulation writes beside its capture.

#include <string>

#include "cli/commands/commands.h"
#include "sim/engine/simulation.h"

namespace schedlens {

/// Empty: not wanted.
struct TruthFiles {
  std::string attempts, bindings, trace;
  bool any() const { return !attempts.empty() || !bindings.empty() || !trace.empty(); }
};

/// `-` is standard output; `.gz` packs. Throws Error(kFailed) if it cannot be written.
void WriteTo(const std::string& path, const std::string& text, const Context& context);
void WriteTruth(const TruthFiles& files, const sim::Scenario& scenario,
                const sim::SimulationResult& result, const Context& context);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SIMULATE_TRUTH_H_
