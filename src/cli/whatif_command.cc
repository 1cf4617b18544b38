#include "cli/whatif_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "cli/investigate_options.h"
#include "model/file.h"
#include "reference/what_if.h"
#include "report/prediction.h"

namespace schedlens {
namespace {

struct WhatifOptions {
  InvestigateOptions investigate;
  std::vector<std::string> set;
  std::size_t seeds = 10;
  std::string output = "text";
};

}  // namespace

Run SetUpWhatif(CLI::App& app) {
  const auto options = std::make_shared<WhatifOptions>();
  std::string keys;
  for (const ChangeKey& key : ChangeKeys()) {
    keys += fmt::format("{}{}", keys.empty() ? "" : ", ", key.key);
  }
  app.add_option("--set", options->set,
                 fmt::format("KEY=VALUE, KEY*=FACTOR, KEY=baseline or config=FILE (a "
                             "KubeSchedulerConfiguration), repeatable; keys: {}",
                             keys))
      ->required();
  app.add_option("--seeds", options->seeds, "How many replays of each side")
      ->check(CLI::Range(1, 100));
  AddInvestigateOptions(app, &options->investigate);
  app.add_option("-o,--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  return [options](const Context& context) {
    std::vector<Change> changes;
    for (const std::string& text : options->set) {
      changes.push_back(ParseChange(text));
      Change& change = changes.back();
      if (change.kind == ChangeKind::kFile) change.text = ReadFile(change.file);
    }
    const QuerySet queries = QueriesOf(options->investigate);
    const Investigation investigation = InvestigateAsAsked(options->investigate, queries, context);
    const Prediction prediction = PredictChange(investigation, changes, options->seeds);
    context.out << (options->output == "json" ? PredictionJson : PredictionText)(prediction);
    return 0;
  };
}

}  // namespace schedlens
