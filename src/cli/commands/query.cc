#include "cli/commands/diagnose.h"
#include "cli/options/output.h"
#include "cli/safe_stream.h"
#include "diagnose/collect/missing.h"
#include "diagnose/explain/compare.h"
#include "promql/evaluate.h"
#include "promql/parser.h"
#include "report/commands.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

struct QueriesOptions {
  std::string action;
  std::string format = "rules", release = "1.30";
  double threshold = WatchRuleOptions().threshold;
};

int MinorOf(const std::string& release) {
  const auto minor = kube::ParseRelease(release);
  if (minor && *minor >= 19 && *minor <= 99) return *minor;
  Raise(ErrorKind::kUsage,
        "--release takes a kube-scheduler release from 1.19 on, like 1.26, not {}", release);
}

int RunQueries(const QueriesOptions& options, const Context& context) {
  if (options.action == "list") {
    const QuerySet queries = QuerySet::Embedded();
    for (const Question& question : queries.questions()) {
      context.out << question.name << "\n";
      for (const std::string& one : question.statements) context.out << "  " << one << "\n";
    }
    return 0;
  }
  const WatchRuleOptions watch{MinorOf(options.release), options.threshold};
  context.out << (options.format == "rules" ? WatchRules(watch) : Dashboard(watch));
  return 0;
}

struct QueryOptions {
  SourceOptions source;
  TimeOptions time;
  std::string expression, step;
  std::string format = "table";
};

/// A duration, or a number of seconds, as the HTTP API takes it.
std::int64_t ReadStep(const std::string& text) {
  if (const auto duration = ParseDuration(text); duration && *duration > 0) return *duration;
  const auto seconds = ParseNumber(text);
  if (seconds && *seconds >= 0.001 && *seconds < 1e12) {
    return static_cast<std::int64_t>(*seconds * 1000);
  }
  Raise(ErrorKind::kUsage, "--step {}: expected a duration such as 15s, or seconds above zero",
        text);
}

Query QueryOf(const QueryOptions& options, const SourceInfo& info) {
  Query query;
  query.promql = options.expression;
  const TimeOptions time = TimesOn(options.time, info.extent);
  const TimeMs fallback = info.extent ? info.extent->end : Now();
  if (time.lifetime) {
    throw Error(ErrorKind::kUsage, "query: --window lifetime has no steps; give a duration");
  }
  if (const auto window = WindowOf(time, fallback)) {
    query.start = window->start;
    query.end = window->end;
    // Without a step, about 250 of them, of whole seconds.
    const std::int64_t whole = (window->end - window->start) / 250 / 1000 * 1000;
    query.step_ms =
        options.step.empty() ? std::max<std::int64_t>(1000, whole) : ReadStep(options.step);
  } else {
    if (!options.step.empty()) {
      throw Error(ErrorKind::kUsage, "query: --step needs --start and --end, or --window");
    }
    query.start = query.end = time.at.value_or(fallback);
  }
  return query;
}

int RunQuery(const QueryOptions& options, const Context& context) {
  SourceOptions asked = options.source;
  asked.questions = {options.expression};
  const auto source = OpenAnySource(asked);
  const SourceInfo info = source->Describe();
  for (const std::string& warning : InEnglish(info.warnings)) {
    context.err << "warning: " << OneLine(warning) << '\n';
  }
  const Query query = QueryOf(options, info);
  const Answer answer = source->Ask(query);
  for (const std::string& warning : answer.warnings) {
    context.err << "warning: " << OneLine(warning) << '\n';
  }
  for (const std::string& note : answer.infos) context.err << "info: " << OneLine(note) << '\n';
  if (options.format == "json") {
    context.out << AnswerJson(answer, query.end) << '\n';
    return 0;
  }
  if (answer.series.empty() && answer.kind != ValueKind::kString) {
    context.err << fmt::format(
        "nothing matched at {}{}\n", FormatTime(query.end),
        info.extent ? fmt::format(" (the data runs from {} to {})", FormatTime(info.extent->start),
                                  FormatTime(info.extent->end))
                    : "");
    for (const Message& hint : WhyEmptyOf(*source, query.promql, {query.start, query.end})) {
      context.err << InEnglish(hint) << '\n';
    }
  }
  context.out << AnswerTable(answer);
  return 0;
}

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
  std::string output = "text", lang = "en";
};

double ReadQ(const std::string& text) {
  const auto q = ParseNumber(text);
  if (q && *q >= 0 && *q <= 1) return *q;
  const std::string expected = q && *q > 1 && *q <= 100
                                   ? fmt::format("; p{} is -q {:.6g}", text, *q / 100)
                                   : ", such as 0.99";
  Raise(ErrorKind::kUsage, "-q {}: expected a number from 0 to 1{}", text, expected);
}

Option QuantileOption(const char* row, std::optional<double>* q) {
  return {row, [q](const std::string& text) { *q = ReadQ(text); }};
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
                              FormatDuration(at - request.window.start + promql::kLookbackMs)),
                  at, at, 0});
  std::vector<ServerValue> out;
  for (const char* version : kServers) {
    SourceInfo info;
    info.semantics = ParseSemantics(version);
    // Several series: the highest is what the alert would see first.
    out.push_back({version, Worst(NewLocalSource(raw.series, info)->Ask({expr, at, at, 0}))});
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

Declared DeclareQueries() {
  return DeclareWith<QueriesOptions>(RunQueries, [](QueriesOptions* o) {
    return Options{
        Option("action", &o->action, {.required = true, .choices = {"list", "export"}}),
        Option("--format", &o->format, {.show_default = true, .choices = {"rules", "dashboard"}}),
        Option("query:--release", &o->release, {.show_default = true}),
        Option("--threshold", &o->threshold, {.show_default = true})};
  });
}

Declared DeclareQuery() {
  return DeclareWith<QueryOptions>(RunQuery, [](QueryOptions* o) {
    return Together({{Option("expression", &o->expression, {.required = true})},
                     SourceOptionTable(&o->source),
                     TimeOptionTable(&o->time),
                     {Option("--step", &o->step, {.group = "Time"}),
                      Option("query:-o,--output", &o->format, {.choices = {"table", "json"}})}});
  });
}

Declared DeclareQuantile() {
  return DeclareWith<QuantileOptions>(RunQuantile, [](QuantileOptions* o) {
    return Together({{Option("what", &o->what, {.required = true}),
                      QuantileOption("quantile:-q,--quantile", &o->q)},
                     SourceOptionTable(&o->source),
                     TimeOptionTable(&o->time),
                     {{"--all-semantics", &o->all_semantics}},
                     FormatAndLanguage(&o->output, &o->lang)});
  });
}

Declared DeclareCompare() {
  return DeclareWith<QuantileOptions>(RunCompare, [](QuantileOptions* o) {
    return Together(
        {{Option("a", &o->what, {.required = true}), Option("b", &o->whole, {.required = true}),
          QuantileOption("compare:-q,--quantile", &o->q)},
         SourceOptionTable(&o->source),
         TimeOptionTable(&o->time),
         FormatAndLanguage(&o->output, &o->lang)});
  });
}

}  // namespace schedlens
