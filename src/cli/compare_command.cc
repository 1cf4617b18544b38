#include "cli/compare_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "analysis/compare/compare.h"
#include "cli/any_source.h"
#include "cli/quantile_argument.h"
#include "cli/quantile_output.h"
#include "cli/source_options.h"
#include "cli/time_options.h"
#include "cli/window_request.h"
#include "cli/wrap.h"
#include "model/text.h"

namespace schedlens {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 100;
constexpr std::int64_t kDefaultWindowMs = 5 * 60 * 1000;

struct CompareOptions {
  SourceOptions source;
  TimeOptions time;
  std::string part, whole;
  std::optional<double> q;
  std::string output = "text";
};

Json Number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json SideJson(const QuantileExplanation& row, const std::optional<double>& rate) {
  Json out;
  out["metric"] = row.metric;
  Json labels = Json::object();
  for (const auto& [name, value] : row.labels) labels[name] = value;
  out["labels"] = labels;
  out["q"] = row.q;
  out["observations"] = Number(row.proven.observations);
  out["shown"] = Number(row.shown);
  out["shown_by_rate"] = Number(rate);
  const Interval& interval = row.proven.proof.interval;
  out["interval"] = {
      {"low", Number(interval.low)}, {"high", Number(interval.high)}, {"basis", row.proven.basis}};
  return out;
}

std::string CompareJson(const Comparison& comparison) {
  Json out;
  out["schema"] = "schedlens.compare/1";
  out["part"] = SideJson(comparison.part, comparison.part_rate);
  out["whole"] = SideJson(comparison.whole, comparison.whole_rate);
  out["inverted"] = comparison.inverted;
  out["inverted_by_rate"] = comparison.rate_inverted;
  out["witness"] = nullptr;
  if (comparison.witness) {
    const Witness& w = *comparison.witness;
    out["witness"] = {{"bound", w.bound},
                      {"part_above", w.part_above},
                      {"whole_above", w.whole_above},
                      {"only_in_part_at_least", w.part_only},
                      {"only_in_whole_at_least", w.whole_only}};
  }
  out["cases"] = Json::array();
  std::string proven;
  for (const ComparedCase& one : comparison.cases) {
    if (one.outcome == CaseOutcome::kProven) proven = one.id;
    out["cases"].push_back({{"number", one.number},
                            {"id", one.id},
                            {"outcome", ToString(one.outcome)},
                            {"text", one.text}});
  }
  out["proven"] = proven.empty() ? Json(nullptr) : Json(proven);
  out["verdict"] = comparison.verdict;
  out["believe"] = comparison.believe;
  out["same_attempts_above"] = Number(comparison.same_above);
  out["same_attempts"] = comparison.same_above ? Json(comparison.same_count) : Json(nullptr);
  out["warnings"] = comparison.warnings;
  out["queries"] = comparison.queries;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string SideText(const char* name, const QuantileExplanation& row,
                     const std::optional<double>& rate) {
  return fmt::format(
      "  {} {}{} p{:g}\n    shown {} on exact increases{}, {:.10g} observations\n"
      "    proven {}, by {}\n",
      name, row.metric, row.labels.empty() ? "" : row.labels.ToString(), row.q * 100,
      row.shown ? Seconds(*row.shown) : "nothing",
      rate ? ", " + Seconds(*rate) + " with the server's rate()" : "", row.proven.observations,
      SecondsBetween(row.proven.proof.interval),
      row.proven.basis.empty() ? "nothing" : row.proven.basis);
}

std::string CompareText(const Comparison& comparison) {
  std::string out = SideText("A", comparison.part, comparison.part_rate) +
                    SideText("B", comparison.whole, comparison.whole_rate) + "\n";
  if (comparison.witness) {
    const Witness& w = *comparison.witness;
    out +=
        Wrap(fmt::format("Witness: above {} s there are {:.10g} of A's {:.10g} and {:.10g} of "
                         "B's {:.10g}. Over the same attempts A could not have the larger part.",
                         FormatNumber(w.bound), w.part_above, comparison.part.proven.observations,
                         w.whole_above, comparison.whole.proven.observations),
             kWidth, "  ", "  ");
    out += "\n";
  }
  for (const ComparedCase& one : comparison.cases) {
    // What is proven is the verdict below.
    const bool proven = one.outcome == CaseOutcome::kProven;
    out += Wrap(fmt::format("{}. {}: {}{}{}", one.number, one.id, ToString(one.outcome),
                            proven ? "" : ". ", proven ? "" : one.text),
                kWidth, "  ", "     ");
  }
  if (!comparison.cases.empty()) out += "\n";
  out += Wrap("Verdict: " + comparison.verdict, kWidth, "  ", "  ");
  if (comparison.same_above && !comparison.cases.empty()) {
    out +=
        Wrap(fmt::format("Above {} s both count the same {:.10g} attempts: towards q = 1 the two "
                         "quantiles meet.",
                         FormatNumber(*comparison.same_above), comparison.same_count),
             kWidth, "  ", "  ");
  }
  if (!comparison.believe.empty()) out += "\n  Which number to believe\n";
  for (const std::string& line : comparison.believe) out += Wrap(line, kWidth, "  - ", "    ");
  for (const std::string& warning : comparison.warnings) {
    out += Wrap("note: " + warning, kWidth, "  ", "    ");
  }
  return out;
}

int RunCompare(const CompareOptions& options, const Context& context) {
  CompareRequest request;
  request.part = ReadQuantileArgument(options.part, options.source.selector);
  request.whole = ReadQuantileArgument(options.whole, options.source.selector);
  const auto source = OpenAnySource(options.source);
  std::int64_t length = kDefaultWindowMs;
  for (const QuantileRequest* side : {&request.part, &request.whole}) {
    if (side->expression && side->expression->range_ms > 0) length = side->expression->range_ms;
  }
  const ChosenWindow window = ChooseWindow(options.time, *source, length);
  for (QuantileRequest* side : {&request.part, &request.whole}) {
    side->q = options.q;
    side->window = window.range;
    side->lifetime = window.lifetime;
    side->semantics = source->Describe().semantics;
  }
  const Comparison comparison = Compare(*source, request);
  context.out << (options.output == "json" ? CompareJson(comparison) : CompareText(comparison));
  return 0;
}

}  // namespace

Run SetUpCompare(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  app.add_option("a", options->part, "the quantile that reads above, though it is the part")
      ->type_name("METRIC|EXPR")
      ->required();
  app.add_option("b", options->whole, "the quantile that should contain it")
      ->type_name("METRIC|EXPR")
      ->required();
  app.add_option("-q,--quantile", options->q, "default: the expressions', else 0.99")
      ->type_name("Q");
  AddSourceOptions(app, &options->source);
  AddTimeOptions(app, &options->time);
  app.add_option("-o,--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  return [options](const Context& context) { return RunCompare(*options, context); };
}

}  // namespace schedlens
