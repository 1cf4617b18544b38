#include "cli/commands/simulate_truth.h"

#include <ostream>

#include "model/file.h"
#include "schedlens/error.h"
#include "sim/engine/truth.h"

namespace schedlens {

void WriteTo(const std::string& path, const std::string& text, const Context& context) {
  if (path.empty()) return;
  if (path == "-") {
    context.out << text;
    if (!context.out.flush()) {
      throw Error(ErrorKind::kFailed, "cannot write to standard output");
    }
    return;
  }
  WriteTextFile(path, text);
}

void WriteTruth(const TruthFiles& files, const sim::Scenario& scenario,
                const sim::SimulationResult& result, const Context& context) {
  if (!files.attempts.empty()) WriteTo(files.attempts, TruthCsv(scenario, result), context);
  if (!files.bindings.empty()) WriteTo(files.bindings, BindingsCsv(scenario, result), context);
  if (!files.trace.empty()) WriteTo(files.trace, ChromeTrace(scenario, result), context);
}

}  // namespace schedlens
