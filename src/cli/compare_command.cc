#include "cli/compare_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "analysis/compare/compare.h"
#include "cli/any_source.h"
#include "cli/quantile_argument.h"
#include "cli/source_options.h"
#include "cli/time_options.h"
#include "cli/window_request.h"
#include "report/compare.h"

namespace schedlens {
namespace {

constexpr std::int64_t kDefaultWindowMs = 5 * 60 * 1000;

struct CompareOptions {
  SourceOptions source;
  TimeOptions time;
  std::string part, whole;
  std::optional<double> q;
  std::string output = "text";
};

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
