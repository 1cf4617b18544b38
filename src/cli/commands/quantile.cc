#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <ostream>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options/output.h"
#include "cli/options/source.h"
#include "cli/options/time.h"
#include "diagnose/explain/compare.h"
#include "messages/catalog.h"
#include "promql/parser.h"
#include "report/commands.h"
#include "schedlens/error.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

/// How far before the expression's range its evaluation may look.
constexpr std::int64_t kLookbackMs = 5 * 60 * 1000;

/// One of each behaviour that can change a number (schedlens explain semantics).
constexpr const char* kServers[] = {"2.20", "2.42", "2.49", "2.53",       "3.0",
                                    "3.5",  "3.6",  "3.15", "3.15-arm64", "victoriametrics"};

/// Of both commands; `compare` has a whole.
struct QuantileOptions {
  SourceOptions source;
  TimeOptions time;
  std::string what, whole;
  std::optional<double> q;
  bool all_semantics = false;
  std::string output = "text";
  std::string lang = "en";
};

double ReadQ(const std::string& text) {
  const auto q = ParseNumber(text);
  if (q && *q >= 0 && *q <= 1) return *q;
  const std::string expected = q && *q > 1 && *q <= 100
                                   ? fmt::format("; p{} is -q {:.6g}", text, *q / 100)
                                   : ", such as 0.99";
  throw Error(ErrorKind::kUsage,
              fmt::format("-q {}: expected a number from 0 to 1{}", text, expected));
}

Option QuantileOption(const std::string& help, std::optional<double>* q) {
  return {"-q,--quantile", "Q", help, [q](const std::string& text) { *q = ReadQ(text); }};
}

/// A name or `name{matchers}` becomes metric and selector, anything else an expression. `selector`
/// is added to what the text itself selects.
QuantileRequest ReadArgument(const std::string& text, const std::string& selector) {
  QuantileRequest request;
  request.selector = selector;
  const promql::ExprPtr expr = promql::Parse(promql::WrittenOut(text));
  const auto* plain = promql::WithoutParens(*expr).As<promql::Selector>();
  if (plain == nullptr || plain->name.empty() || plain->range_ms > 0) {
    request.expression = promql::ParseAlertExpression(text);
    return request;
  }
  request.metric = plain->name;
  const std::string own = promql::MatchersToString(*plain);
  request.selector += (own.empty() || selector.empty() ? "" : ",") + own;
  return request;
}

/// Fills in what the options say of all of them: the window's length is an expression's range, the
/// last one's.
void Complete(const QuantileOptions& options, Source& source,
              std::initializer_list<QuantileRequest*> requests) {
  std::int64_t length = kDefaultWindowMs;
  for (const QuantileRequest* one : requests) {
    if (one->expression && one->expression->range_ms > 0) length = one->expression->range_ms;
  }
  const ChosenWindow window = ChooseWindow(options.time, source, length);
  for (QuantileRequest* one : requests) {
    one->q = options.q;
    one->window = window.range;
    one->lifetime = window.lifetime;
    one->semantics = source.Describe().semantics;
  }
}

/// The expression's selector as raw samples, evaluated once more as each server version would.
std::vector<ServerValue> AskAllSemantics(Source& source, const QuantileRequest& request,
                                         const std::string& metric) {
  const auto& expression = request.expression;
  const std::string expr = expression ? expression->quantile_expression : ExpressionFor(request);
  const TimeMs at = request.window.end;
  const Answer raw =
      source.Ask({fmt::format("{}_bucket{{{}}}[{}]", metric,
                              expression ? expression->selector : request.selector,
                              FormatDuration(at - request.window.start + kLookbackMs)),
                  at, at, 0});
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
  QuantileRequest request = ReadArgument(options.what, options.source.selector);
  const auto source = OpenAnySource(options.source);
  Complete(options, *source, {&request});
  const QuantileReport report = Checked(ExplainQuantile(*source, request));
  std::vector<ServerValue> servers;
  if (options.all_semantics && !request.lifetime) {
    servers = AskAllSemantics(*source, request, report.rows.front().metric);
  }
  context.out << (options.output == "json" ? QuantileJson(report, servers)
                                           : QuantileText(Messages(options.lang), report, servers));
  for (const std::string& warning : InEnglish(source->Describe().warnings)) {
    context.err << "schedlens: " << warning << "\n";
  }
  const bool empty = report.rows.front().proven.observations == 0;
  return empty ? static_cast<int>(ErrorKind::kInsufficientData) : 0;
}

int RunCompare(const QuantileOptions& options, const Context& context) {
  CompareRequest request;
  request.part = ReadArgument(options.what, options.source.selector);
  request.whole = ReadArgument(options.whole, options.source.selector);
  const auto source = OpenAnySource(options.source);
  Complete(options, *source, {&request.part, &request.whole});
  const Comparison comparison = Checked(Compare(*source, request));
  context.out << (options.output == "json" ? CompareJson(comparison)
                                           : CompareText(Messages(options.lang), comparison));
  return 0;
}

}  // namespace

Declared DeclareQuantile() {
  return DeclareWith<QuantileOptions>(
      [](QuantileOptions* o) {
        return Together(
            {{Option("what", "METRIC|EXPR",
                     "a histogram (with or without _bucket, with or without {matchers}), or an "
                     "expression with histogram_quantile",
                     &o->what, {.required = true}),
              QuantileOption("default: the expression's, else 0.99", &o->q)},
             SourceOptionTable(&o->source),
             TimeOptionTable(&o->time),
             {{"--all-semantics", kFlag,
               "also show what each server version's rate() and quantile give", &o->all_semantics}},
             FormatAndLanguage(&o->output, &o->lang)});
      },
      RunQuantile);
}

Declared DeclareCompare() {
  return DeclareWith<QuantileOptions>(
      [](QuantileOptions* o) {
        return Together(
            {{Option("a", "METRIC|EXPR", "the quantile that reads above, though it is the part",
                     &o->what, {.required = true}),
              Option("b", "METRIC|EXPR", "the quantile that should contain it", &o->whole,
                     {.required = true}),
              QuantileOption("default: the expressions', else 0.99", &o->q)},
             SourceOptionTable(&o->source),
             TimeOptionTable(&o->time),
             FormatAndLanguage(&o->output, &o->lang)});
      },
      RunCompare);
}

}  // namespace schedlens
