#include "cli/whatif_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/investigate_options.h"
#include "model/file.h"
#include "model/text.h"
#include "reference/what_if.h"

namespace schedlens {
namespace {

struct WhatifOptions {
  InvestigateOptions investigate;
  std::vector<std::string> set;
  std::size_t seeds = 10;
  std::string output = "text";
};

std::string Seconds(const Measured& m) {
  if (!m.value) return "unknown";
  return fmt::format("{:.4g} s ({:.4g} to {:.4g})", *m.value, m.low.value_or(0),
                     m.high.value_or(INFINITY));
}

const char* Word(const std::optional<bool>& fires) {
  return !fires ? "cannot be decided" : *fires ? "fires" : "is quiet";
}

void PrintRows(std::ostream& out, const char* title, const std::vector<PredictedChange>& rows) {
  out << title << '\n';
  for (const PredictedChange& row : rows) {
    out << fmt::format("  p{:<5} {:<34} -> {}\n", FormatNumber(100 * row.q), Seconds(row.before),
                       Seconds(row.after));
  }
}

void PrintText(std::ostream& out, const Prediction& p) {
  PrintRows(out, "e2e, scheduled attempts (before -> after)", p.e2e);
  PrintRows(out, "pod, from its first attempt to its binding", p.pod);
  if (p.threshold) {
    out << fmt::format("Alert p{} over {} s: before, it {}; after, it {}.\n",
                       FormatNumber(100 * p.alert_quantile), FormatNumber(*p.threshold),
                       Word(p.fires_before), Word(p.fires_after));
  } else {
    out << "No alert: --alert says whether it would fire.\n";
  }
  out << fmt::format("{} seeds. What this assumes:\n", p.seeds);
  for (const std::string& line : p.assumptions) out << "  - " << line << '\n';
}

using Json = nlohmann::ordered_json;

Json ToJson(const Measured& m) {
  const auto number = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  return {{"value", number(m.value)},
          {"low", number(m.low)},
          {"high", number(m.high)},
          {"unit", m.unit},
          {"basis", m.basis}};
}

Json ToJson(const std::vector<PredictedChange>& rows) {
  Json out = Json::array();
  for (const PredictedChange& row : rows) {
    out.push_back({{"q", row.q}, {"before", ToJson(row.before)}, {"after", ToJson(row.after)}});
  }
  return out;
}

Json ToJson(const Prediction& p) {
  const auto word = [](const std::optional<bool>& v) { return v ? Json(*v) : Json(nullptr); };
  return {{"schema", "schedlens.whatif/1"},
          {"e2e", ToJson(p.e2e)},
          {"pod", ToJson(p.pod)},
          {"threshold", p.threshold ? Json(*p.threshold) : Json(nullptr)},
          {"alert", {{"metric", p.alert_metric}, {"q", p.alert_quantile}}},
          {"fires", {{"before", word(p.fires_before)}, {"after", word(p.fires_after)}}},
          {"seeds", p.seeds},
          {"assumptions", p.assumptions}};
}

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
    if (options->output == "json") {
      context.out << ToJson(prediction).dump(2) << '\n';
    } else {
      PrintText(context.out, prediction);
    }
    return 0;
  };
}

}  // namespace schedlens
