#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/options/investigate.h"
#include "model/file.h"
#include "reference/what_if.h"
#include "report/prediction.h"

namespace schedlens {
namespace {

struct WhatifOptions {
  InvestigateOptions investigate;
  std::vector<std::string> set;
  std::uint64_t seeds = 10;
  std::string output = "text";
};

std::string KnownKeys() {
  std::string keys;
  for (const ChangeKey& key : ChangeKeys()) {
    keys += fmt::format("{}{}", keys.empty() ? "" : ", ", key.key);
  }
  return keys;
}

int RunWhatif(const WhatifOptions& options, const Context& context) {
  std::vector<Change> changes;
  for (const std::string& text : options.set) {
    changes.push_back(ParseChange(text));
    Change& change = changes.back();
    if (change.kind == ChangeKind::kFile) change.text = ReadFile(change.file);
  }
  const QuerySet queries = QueriesOf(options.investigate);
  const Investigation investigation = InvestigateAsAsked(options.investigate, queries, context);
  const Prediction prediction = PredictChange(investigation, changes, options.seeds);
  context.out << (options.output == "json" ? PredictionJson : PredictionText)(prediction);
  return 0;
}

}  // namespace

Declared DeclareWhatif() {
  const auto options = std::make_shared<WhatifOptions>();
  WhatifOptions* o = options.get();
  return {Together({{{.names = "--set",
                      .value = "CHANGE",
                      .help = fmt::format("KEY=VALUE, KEY*=FACTOR, KEY=baseline or config=FILE (a "
                                          "KubeSchedulerConfiguration); may be repeated; keys: {}",
                                          KnownKeys()),
                      .target = &o->set,
                      .required = true,
                      .many = true},
                     {.names = "--seeds",
                      .value = "N",
                      .help = "replays of each side",
                      .target = &o->seeds,
                      .range = {{1, 100}}}},
                    InvestigateOptionTable(&o->investigate),
                    {{.names = "-o,--output",
                      .value = "FORMAT",
                      .help = "text or json",
                      .target = &o->output,
                      .choices = {"text", "json"}}}}),
          [options](const Context& context) { return RunWhatif(*options, context); }};
}

}  // namespace schedlens
