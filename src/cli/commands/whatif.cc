#include <fmt/format.h>

#include <ostream>

#include "base/file.h"
#include "cli/command.h"
#include "cli/options/investigate.h"
#include "cli/options/output.h"
#include "replay/what_if.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct WhatifOptions {
  InvestigateOptions investigate;
  std::vector<std::string> set;
  std::uint64_t seeds = 10;
  std::string headroom, target;
  std::string output = "text";
  std::string lang = "en";
};

/// The target that was given, or else the alert's.
ThresholdOf TargetOf(const WhatifOptions& options, const Investigation& investigation) {
  if (!options.target.empty()) return ParseTarget(options.target);
  if (const auto threshold = ThresholdOfAlert(investigation.diagnosis)) return *threshold;
  throw Error(ErrorKind::kUsage,
              "--headroom needs a threshold: --target p99=1s, or an --alert that has one");
}

void CheckAsked(const WhatifOptions& options) {
  if (options.set.empty() && options.headroom.empty()) {
    throw Error(ErrorKind::kUsage, "whatif: --set or --headroom is required");
  }
  if (!options.target.empty() && options.headroom.empty()) {
    throw Error(ErrorKind::kUsage, "--target is of --headroom rate, nodes or running");
  }
  if (!options.target.empty()) ParseTarget(options.target);
}

int RunWhatif(const WhatifOptions& options, const Context& context) {
  CheckAsked(options);
  std::vector<Change> changes;
  for (const std::string& text : options.set) {
    changes.push_back(ParseChange(text));
    Change& change = changes.back();
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

Declared DeclareWhatif() {
  return DeclareWith<WhatifOptions>(
      [](WhatifOptions* o) {
        return Together(
            {{Option("--set", "CHANGE",
                     fmt::format("KEY=VALUE, KEY*=FACTOR, KEY=baseline, KEY=removed or config=FILE "
                                 "(a KubeSchedulerConfiguration); may be repeated; keys: {}",
                                 ChangeKeys()),
                     &o->set, {.many = true}),
              Option("--headroom", "WHAT",
                     "instead of a change's effect: by which factor rate, nodes or running pods "
                     "may grow until the alert's threshold or the --target is crossed",
                     &o->headroom, {.choices = {"rate", "nodes", "running"}}),
              {"--target", "pQ=TIME",
               "with --headroom: a quantile of the pods' time from the queue to the binding, like "
               "p99=1s",
               &o->target},
              Option("--seeds", "N", "replays of each side", &o->seeds, {.range = {{1, 100}}})},
             InvestigateOptionTable(&o->investigate),
             {Option("-o,--output", "FORMAT", "text or json", &o->output,
                     {.choices = {"text", "json"}}),
              LanguageOption(&o->lang)}});
      },
      RunWhatif);
}

}  // namespace schedlens
