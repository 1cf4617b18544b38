#include "report/quantile.h"

#include <fmt/format.h>

#include <cmath>
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
#include "messages/catalog.h"
#include "model/text.h"
#include "report/checked.h"
#include "schedlens/error.h"
#include "source/capture/local_source.h"

namespace schedlens {
namespace {

/// How far before the expression's range its evaluation may look.
constexpr std::int64_t kLookbackMs = 5 * 60 * 1000;

/// One of each behaviour that can change a number (schedlens explain semantics).
constexpr const char* kServers[] = {"2.20", "2.42", "2.49", "2.53",       "3.0",
                                    "3.5",  "3.6",  "3.15", "3.15-arm64", "victoriametrics"};

struct QuantileOptions {
  SourceOptions source;
  TimeOptions time;
  std::string what;
  std::optional<double> q;
  bool all_semantics = false;
  std::string output = "text";
  std::string lang = "en";
};

/// The expression's selector as raw samples, evaluated once more as each server version would.
std::vector<ServerValue> AskAllSemantics(Source& source, const std::string& expr, TimeMs at,
                                         const std::string& raw_selector) {
  const Answer raw = source.Ask({raw_selector, at, at, 0});
  std::vector<ServerValue> out;
  for (const char* version : kServers) {
    SourceInfo info;
    info.semantics = ParseSemantics(version);
    const Answer answer = NewLocalSource(raw.series, info)->Ask({expr, at, at, 0});
    ServerValue value{version, std::nullopt};
    for (const Series& series : answer.series) {
      if (series.samples.empty()) continue;
      const double v = series.samples.back().v;
      // Several series: the highest is what the alert would see first.
      if (!std::isnan(v) && !(value.value && *value.value >= v)) value.value = v;
    }
    out.push_back(value);
  }
  return out;
}

int RunQuantile(const QuantileOptions& options, const Context& context) {
  QuantileRequest request = ReadQuantileArgument(options.what, options.source.selector);
  request.q = options.q;
  const auto source = OpenAnySource(options.source);
  request.semantics = source->Describe().semantics;
  const std::int64_t range = request.expression && request.expression->range_ms > 0
                                 ? request.expression->range_ms
                                 : kDefaultWindowMs;
  const ChosenWindow window = ChooseWindow(options.time, *source, range);
  request.window = window.range;
  request.lifetime = window.lifetime;
  const QuantileReport report = Checked(ExplainQuantile(*source, request));

  std::vector<ServerValue> servers;
  if (options.all_semantics && !request.lifetime) {
    const std::string expr =
        request.expression ? request.expression->quantile_expression : ExpressionFor(request);
    const std::string selector =
        request.expression ? request.expression->selector : request.selector;
    const std::int64_t length = request.window.end - request.window.start + kLookbackMs;
    servers = AskAllSemantics(*source, expr, request.window.end,
                              fmt::format("{}_bucket{{{}}}[{}]", report.rows.front().metric,
                                          selector, FormatDuration(length)));
  }
  context.out << (options.output == "json" ? QuantileJson(report, servers)
                                           : QuantileText(Messages(options.lang), report, servers));
  for (const std::string& warning : InEnglish(source->Describe().warnings)) {
    context.err << "schedlens: " << warning << "\n";
  }
  const bool empty = report.rows.front().proven.observations == 0;
  return empty ? static_cast<int>(ErrorKind::kInsufficientData) : 0;
}

}  // namespace

Declared DeclareQuantile() {
  const auto options = std::make_shared<QuantileOptions>();
  QuantileOptions* o = options.get();
  return {Together(
              {{{.names = "what",
                 .value = "METRIC|EXPR",
                 .help = "a histogram (with or without _bucket, with or without {matchers}), or an "
                         "expression with histogram_quantile",
                 .target = &o->what,
                 .required = true},
                QuantileOption("default: the expression's, else 0.99", &o->q)},
               SourceOptionTable(&o->source),
               TimeOptionTable(&o->time),
               {{.names = "--all-semantics",
                 .help = "also show what each server version's rate() and quantile give",
                 .target = &o->all_semantics},
                {.names = "-o,--output",
                 .value = "FORMAT",
                 .help = "text or json",
                 .target = &o->output,
                 .show_default = true,
                 .choices = {"text", "json"}},
                LanguageOption(&o->lang)}}),
          [options](const Context& context) { return RunQuantile(*options, context); }};
}

}  // namespace schedlens
