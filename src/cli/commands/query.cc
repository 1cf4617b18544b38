#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/source.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options/source.h"
#include "cli/options/time.h"
#include "cli/safe_stream.h"
#include "diagnose/collect/missing.h"
#include "messages/catalog.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct QueriesOptions {
  std::string action;
  std::string format = "rules";
  std::string release = "1.30";
  double threshold = WatchRuleOptions().threshold;
};

int MinorOf(const std::string& release) {
  const auto minor = release.rfind("1.", 0) == 0 ? ParseNumber(release.substr(2)) : std::nullopt;
  if (!minor || *minor < 19 || *minor > 99 || *minor != static_cast<int>(*minor)) {
    throw Error(ErrorKind::kUsage,
                "--release takes a kube-scheduler release from 1.19 on, like 1.26, not " + release);
  }
  return static_cast<int>(*minor);
}

void List(std::ostream& out) {
  const QuerySet queries = QuerySet::Embedded();
  for (const Question& question : queries.questions()) {
    out << question.name << "\n";
    for (const std::string& statement : question.statements) out << "  " << statement << "\n";
  }
}

int RunQueries(const QueriesOptions& options, const Context& context) {
  if (options.action == "list") {
    List(context.out);
    return 0;
  }
  const WatchRuleOptions watch{MinorOf(options.release), options.threshold};
  context.out << (options.format == "rules" ? WatchRules(watch) : Dashboard(watch));
  return 0;
}

}  // namespace

Declared DeclareQueries() {
  return DeclareWith<QueriesOptions>(
      [](QueriesOptions* o) {
        return Options{
            Option("action", "ACTION", "list or export", &o->action,
                   {.required = true, .choices = {"list", "export"}}),
            Option("--format", "FORMAT", "what to export", &o->format,
                   {.show_default = true, .choices = {"rules", "dashboard"}}),
            Option("--release", "1.NN",
                   "kube-scheduler's release: metric names and what they count depend on it",
                   &o->release, {.show_default = true}),
            Option("--threshold", "SECONDS",
                   "an attempt above this is slow; must be a bucket bound", &o->threshold,
                   {.show_default = true})};
      },
      RunQueries);
}

namespace {

struct QueryOptions {
  SourceOptions source;
  TimeOptions time;
  std::string expression;
  std::string step;
  std::string format = "table";
};

/// A duration, or a number of seconds, as the HTTP API takes it.
std::int64_t ReadStep(const std::string& text) {
  if (const auto duration = ParseDuration(text); duration && *duration > 0) return *duration;
  const auto seconds = ParseNumber(text);
  if (seconds && *seconds >= 0.001 && *seconds < 1e12) {
    return static_cast<std::int64_t>(*seconds * 1000);
  }
  throw Error(ErrorKind::kUsage,
              "--step " + text + ": expected a duration such as 15s, or seconds above zero");
}

/// Without a step, about 250 of them, of whole seconds.
std::int64_t DefaultStep(const TimeRange& window) {
  constexpr std::int64_t kSteps = 250;
  return std::max<std::int64_t>(1000, (window.end - window.start) / kSteps / 1000 * 1000);
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
    query.step_ms = options.step.empty() ? DefaultStep(*window) : ReadStep(options.step);
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

}  // namespace

Declared DeclareQuery() {
  return DeclareWith<QueryOptions>(
      [](QueryOptions* o) {
        return Together(
            {{Option("expression", "EXPR", "PromQL", &o->expression, {.required = true})},
             SourceOptionTable(&o->source),
             TimeOptionTable(&o->time),
             {Option("--step", "DURATION", "resolution step of a range query", &o->step,
                     {.group = "Time"}),
              Option("-o,--output", "FORMAT", "table, or json: the HTTP API's data object",
                     &o->format, {.choices = {"table", "json"}})}});
      },
      RunQuery);
}

}  // namespace schedlens
