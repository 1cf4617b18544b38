#include "analysis/compare/compare.h"

#include <memory>
#include <ostream>
#include <string>

#include "cli/commands/commands.h"
#include "cli/commands/quantile_argument.h"
#include "cli/options/any_source.h"
#include "cli/options/output.h"
#include "cli/options/source.h"
#include "cli/options/time.h"
#include "cli/options/window_request.h"
#include "report/checked.h"
#include "report/compare.h"

namespace schedlens {
namespace {

struct CompareOptions {
  SourceOptions source;
  TimeOptions time;
  std::string part, whole;
  std::optional<double> q;
  std::string output = "text";
  std::string lang = "en";
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
  const Comparison comparison = Checked(Compare(*source, request));
  context.out << (options.output == "json" ? CompareJson(comparison)
                                           : CompareText(Messages(options.lang), comparison));
  return 0;
}

}  // namespace

Declared DeclareCompare() {
  const auto options = std::make_shared<CompareOptions>();
  CompareOptions* o = options.get();
  return {Together({{{.names = "a",
                      .value = "METRIC|EXPR",
                      .help = "the quantile that reads above, though it is the part",
                      .target = &o->part,
                      .required = true},
                     {.names = "b",
                      .value = "METRIC|EXPR",
                      .help = "the quantile that should contain it",
                      .target = &o->whole,
                      .required = true},
                     QuantileOption("default: the expressions', else 0.99", &o->q)},
                    SourceOptionTable(&o->source),
                    TimeOptionTable(&o->time),
                    {{.names = "-o,--output",
                      .value = "FORMAT",
                      .help = "text or json",
                      .target = &o->output,
                      .show_default = true,
                      .choices = {"text", "json"}},
                     LanguageOption(&o->lang)}}),
          [options](const Context& context) { return RunCompare(*options, context); }};
}

}  // namespace schedlens
