#include "analysis/glossary/step_commands.h"

#include <algorithm>
#include <utility>

namespace schedlens {

const std::vector<StepCommand>& StepCommands() {
  static const std::vector<StepCommand> all = {
      {"finding.bind.client-throttling.step.4", "whatif --set client.qps=200",
       CommandNeeds::kInvestigation},
      {"finding.bind.extender.step.4", "whatif --set bind.extender=0",
       CommandNeeds::kInvestigation},
      {"finding.data.contradiction.step.3", "doctor", CommandNeeds::kSource},
      {"finding.data.missing.step.1", "doctor", CommandNeeds::kSource},
      {"finding.quantile.population.step.2", "compare", CommandNeeds::kTwoHistograms},
      {"finding.quantile.rate-extrapolation.step.3", "quantile", CommandNeeds::kHistogram},
      {"finding.quantile.saturated.step.2", "lint", CommandNeeds::kExpression},
      {"finding.quantile.threshold-inside-bucket.step.3", "lint", CommandNeeds::kExpression},
      {"gap.nothing", "doctor", CommandNeeds::kSource},
  };
  return all;
}

const StepCommand* CommandOf(const Message& text) {
  const auto& all = StepCommands();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const StepCommand& c) { return c.step == text.id; });
  return it == all.end() ? nullptr : &*it;
}

std::string UsualCommand(const StepCommand& command) {
  const std::string words = "schedlens " + std::string(command.command);
  switch (command.needs) {
    case CommandNeeds::kInvestigation:
      return words + " --prometheus URL --start T --end T";
    case CommandNeeds::kHistogram:
      return words + " METRIC --prometheus URL --start T --end T";
    case CommandNeeds::kTwoHistograms:
      return words + " METRIC METRIC --prometheus URL --start T --end T";
    case CommandNeeds::kSource:
      return words + " --prometheus URL";
    case CommandNeeds::kExpression:
      return words + " RULES.yaml";
  }
  return words;
}

Message WithCommand(Message text, const std::string& command) {
  text.args = {{"command", command}};
  return text;
}

}  // namespace schedlens
