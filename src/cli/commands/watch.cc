#include <sstream>
#include <thread>

#include "base/work_budget.h"
#include "cli/commands/diagnose.h"
#include "cli/interrupt.h"
#include "cli/options/output.h"
#include "cli/safe_stream.h"
#include "kube/metrics.h"
#include "promql/parser.h"
#include "report/format.h"

namespace schedlens {
namespace {

bool IsQuantile(const promql::AlertExpression& alert) {
  return alert.is_histogram_quantile && alert.quantile && alert.scale != 0;
}

/// The time, and what both lines say of the alert's numbers.
std::vector<Argument> Numbers(const promql::AlertExpression& alert, const AlertNow& now) {
  const bool quantile = IsQuantile(alert);
  const auto number = quantile ? arg::Duration : arg::Number;
  std::vector<Argument> numbers = {{"time", DateAndTime(now.at)}};
  if (quantile) numbers.push_back({"quantile", QuantileName(*alert.quantile)});
  numbers.push_back({"value", number(*now.value)});
  numbers.push_back({"threshold", number(alert.threshold.value_or(0))});
  return numbers;
}

constexpr std::int64_t kSpan = 5 * 60 * 1000;
/// How old a newest sample may be: what servers hold back, and scrapes that may fail.
constexpr double kHeldBack = 60;
constexpr double kFailedScrapes = 4;

/// The alert's selector without range and modifiers; empty where it names no metric, whose series
/// many functions cannot take together.
std::string InstantSelector(const promql::AlertExpression& alert) {
  if (alert.selector_expression.empty()) return "";
  promql::Expr expr = *promql::Parse(alert.selector_expression);
  auto& selector = std::get<promql::Selector>(expr.node);
  if (selector.name.empty()) return "";
  selector.range_ms = 0;
  selector.shift = {};
  return promql::ToString(expr);
}

/// Selectors of what the schedulers themselves show: the alert's own, or, of recorded series, which
/// outlive what they are made of, the attempts' counter by both of its names.
std::vector<std::string> OwnSelectors(const promql::AlertExpression& alert,
                                      const std::string& selector) {
  std::vector<std::string> own = {InstantSelector(alert)};
  if (!own[0].empty() && IsAboutScheduler(*alert.ast)) return own;
  own.clear();
  for (const kube::Metric metric : {kube::Metric::kAttempt, kube::Metric::kE2e}) {
    own.push_back(fmt::format("{}{{{}}}", CountOf(metric), selector));
  }
  return own;
}

/// `text` around each of the selectors.
std::string Over(const std::vector<std::string>& selectors, const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& one : selectors) parts.push_back(fmt::format(fmt::runtime(text), one));
  return fmt::format("{}", fmt::join(parts, " or "));
}

/// A process by the first of its labels that tells.
std::string ProcessName(const Labels& labels) {
  for (const char* label : {"pod", "instance", "job", "cluster"}) {
    if (labels.Has(label)) return std::string(labels.Get(label));
  }
  return "kube-scheduler";
}

/// Fills in why what does not hold is not known to be quiet, if it is not.
void TellUnknown(Source& source, const promql::AlertExpression& alert, const std::string& selector,
                 AlertNow* now) {
  const std::vector<std::string> own = OwnSelectors(alert, selector);
  const std::string rests_on = own.size() == 1 ? "" : InstantSelector(alert);
  const std::string other = alert.compared_with ? "" : alert.other_expression;
  // The last: processes that the expression's window still counts and that show nothing any more.
  const std::string range = FormatDuration(std::max(alert.range_ms, kSpan));
  std::vector<std::string> texts = {
      "max(" + Over(own, "timestamp({})") + ")",
      "max(" + Over(own, "count_over_time({}[5m])") + ")",
      fmt::format("{0} ({1}) unless {0} ({2})", "count by (cluster, job, instance, pod)",
                  Over(own, "count_over_time({}[" + range + "])"), Over(own, "{}"))};
  if (!rests_on.empty()) texts.push_back("max(timestamp(" + rests_on + "))");
  if (!other.empty()) texts.push_back(other);
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back({text, now->at, now->at, 0});
  const std::vector<Answer> answers = source.AskAll(queries);

  const auto scraped = Worst(answers[0]);
  const auto newest = rests_on.empty() ? scraped : Worst(answers[3]);
  const double scrapes = std::max(Worst(answers[1]).value_or(1), 1.0);
  const double oldest = static_cast<double>(now->at) / 1000 - kHeldBack -
                        kFailedScrapes * static_cast<double>(kSpan) / 1000 / scrapes;
  now->since = now->at;
  if (!scraped) {
    now->unknown = Message("watch.unknown.no_scheduler");
  } else if (!newest || std::min(*scraped, *newest) < oldest) {
    now->since = static_cast<TimeMs>(std::min(*scraped, newest.value_or(*scraped)) * 1000);
    now->unknown = Message("watch.unknown.stale");
  } else if (!answers[2].series.empty()) {
    now->unknown =
        Message("watch.unknown.gone", {{"name", ProcessName(answers[2].series[0].labels)}});
  } else if (!now->value && !alert.comparison.empty()) {
    now->unknown = Message("watch.unknown.no_value");
  } else if (!other.empty() && !Worst(answers.back())) {
    now->unknown = Message("watch.unknown.no_other", {{"promql", arg::Promql(other)}});
  }
}

struct WatchOptions {
  InvestigateOptions diagnosing;
  OutputOptions output;
  std::int64_t every_ms = 30'000;
};

/// Of the schedulers that the report is about.
promql::AlertExpression ExpressionToWatch(const InvestigateOptions& asked) {
  const AlertRequest request = AlertRequestOf(asked.alert);
  const auto alert = AlertOf(request, WithLinkedServer(asked.source, request));
  if (alert && !alert->expression.expr.empty()) {
    return promql::ParseAlertExpression(
        NarrowedExpression(alert->expression.expr, asked.source.selector));
  }
  throw Error(ErrorKind::kUsage,
              "watch: it ends when an alert clears, and no alert with a readable expression is "
              "given: give --alert NAME, EXPR or URL");
}

bool MayPass(const Error& error) {
  return error.kind() == ErrorKind::kFailed || error.kind() == ErrorKind::kTimeout ||
         error.kind() == ErrorKind::kInsufficientData;
}

class Watch {
 public:
  Watch(WatchOptions options, const Context& context)
      : options_(std::move(options)),
        context_(context),
        queries_(QueriesOf(options_.diagnosing)),
        screen_(context.out,
                IsTerminal(context) ? SizeOfTerminal : std::function<TerminalSize()>()),
        timeout_(DeadlineSeconds()) {}
  ~Watch() { EndInterruptsAs(nullptr); }

  int Run() {
    for (;;) {
      const auto next =
          std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.every_ms);
      // What a look cannot end by itself in time ends the watch, but not at once.
      constexpr double kGrace = 5;
      SetDeadline(timeout_, kGrace);
      if (Look()) return 0;
      SetDeadline(kNoDeadline);
      std::this_thread::sleep_until(next);
    }
  }

 private:
  std::string Write(const Message& message) const {
    return Catalog::Of(options_.output.look.lang).Write(message);
  }

  /// Up to now, whenever the alert began. Progress is shown at first only: later it would be drawn
  /// over the report.
  Diagnosis DiagnoseAt(TimeMs now) const {
    InvestigateOptions asked = options_.diagnosing;
    if (!asked.time.start) asked.time.at = now;
    std::ostringstream unread;
    return DiagnoseAsAsked(
        asked, queries_,
        {context_.in, context_.out, alert_ ? unread : context_.err, context_.command});
  }

  /// One look; true when the alert is clear. Where a server fails later than at first nothing is
  /// known, and it is asked again the next time.
  bool Look() {
    try {
      const TimeMs at = Now();  // head and report tell one number
      const Diagnosis diagnosis = DiagnoseAt(at);
      InvestigateOptions& asked = options_.diagnosing;
      if (!alert_) {
        // An alert that nobody named is the same one at every look, as far as one was found.
        if (const std::string taken = TakenAlert(diagnosis.warnings); !taken.empty()) {
          asked.alert.alert = taken;
          asked.alert.is_name = true;
        }
        alert_ = ExpressionToWatch(asked);
      }
      const auto source =
          OpenAnySource(WithLinkedServer(asked.source, AlertRequestOf(asked.alert)));
      const AlertNow now = AskAlertNow(*source, *alert_, asked.source.selector, at);
      const std::string report =
          ReportAsAsked(diagnosis, options_.output, RenderOptionsFor(options_.output, context_));
      return Ended(now, report);
    } catch (const Error& error) {
      if (!alert_ || !MayPass(error)) throw;
      SetDeadline(kNoDeadline);  // what is over already would end this, too
      AlertNow now;
      now.at = now.since = Now();
      now.unknown = Message("watch.unknown.failed", {{"error", OneLine(error.what())}});
      return Ended(std::move(now), "");
    }
  }

  bool Ended(AlertNow now, const std::string& report) {
    const std::string unknown = TellUnknown(&now);
    screen_.Show(Write(WatchHead(*alert_, now, options_.every_ms)), unknown + report);
    held_ = held_ || now.holds;
    if (now.holds || !unknown.empty()) return false;
    if (IsTerminal(context_)) {
      screen_.Close();
      context_.out << Own{report};
    }
    context_.out << Write(ClearedLine(*alert_, now, held_)) << "\n";
    return true;
  }

  /// Why nothing is known, in a line. An interrupt says so as well.
  std::string TellUnknown(AlertNow* now) {
    if (now->unknown.empty()) {
      unknown_since_ = std::nullopt;
      EndInterruptsAs(nullptr);
      return "";
    }
    if (!unknown_since_) unknown_since_ = now->since;
    now->since = *unknown_since_;
    const std::string line = Write(
        Message("watch.unknown", {{"since", DateAndTime(now->since)}, {"why", now->unknown}}));
    InterruptEnd& end = ends_[++end_ % ends_.size()];
    end = {ErrorKind::kInsufficientData, fmt::format("interrupted: {}", line)};
    EndInterruptsAs(&end);
    return Write(now->unknown) + "\n";
  }

  WatchOptions options_;
  const Context& context_;
  const QuerySet queries_;
  Screen screen_;
  const double timeout_;
  std::optional<promql::AlertExpression> alert_;
  bool held_ = false;
  std::optional<TimeMs> unknown_since_;
  // An interrupt may still use the one before.
  std::array<InterruptEnd, 2> ends_;
  std::size_t end_ = 0;
};

int RunWatch(WatchOptions options, const Context& context) {
  InvestigateOptions& asked = options.diagnosing;
  if (IsRecorded(asked.source)) {
    throw Error(ErrorKind::kUsage,
                "watch: files and scenarios do not change while one watches: give --prometheus "
                "URL, or use diagnose");
  }
  if (asked.time.at || asked.time.end) {
    throw Error(ErrorKind::kUsage,
                "watch: every look ends now: leave out --at and --end, or use diagnose");
  }
  AlertRequest request = AlertRequestOf(asked.alert);
  asked.alert.webhook_text = request.webhook;  // standard input can be read only once
  // Pages of Grafana are followed once: every look asks what they led to.
  FollowGrafana(&request, &asked.source);
  asked.alert.alert = request.alert;
  asked.alert.is_name = request.is_name;
  return Watch(std::move(options), context).Run();
}

}  // namespace

std::optional<double> Worst(const Answer& answer, bool low) {
  std::optional<double> worst;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    const double v = series.samples.back().v;
    if (!worst || (low ? v < *worst : v > *worst)) worst = v;
  }
  return worst;
}

AlertNow AskAlertNow(Source& source, const promql::AlertExpression& alert,
                     const std::string& selector, TimeMs at) {
  // One after the other: a server that still takes in samples of `at` answers the later one anew,
  // and an alert that holds is never told with an older value.
  const Answer whole = source.Ask({alert.expr, at, at, 0});
  const Answer compared = source.Ask({alert.compared_expression, at, at, 0});
  AlertNow now;
  now.at = at;
  now.holds = !whole.series.empty();
  now.value = Worst(compared, alert.comparison.starts_with("<"));
  if (now.value && IsQuantile(alert)) now.value = (*now.value - alert.added) / alert.scale;
  if (!now.holds) TellUnknown(source, alert, selector, &now);
  return now;
}

Message WatchHead(const promql::AlertExpression& alert, const AlertNow& now,
                  std::int64_t every_ms) {
  const Argument every{"every", arg::Duration(static_cast<double>(every_ms) / 1000)};
  if (!now.unknown.empty()) {
    return Message("watch.head.unknown",
                   {{"time", DateAndTime(now.at)}, {"since", DateAndTime(now.since)}, every});
  }
  if (!now.value || !alert.threshold) {
    return Message("watch.head", {{"time", DateAndTime(now.at)}, every});
  }
  std::vector<Argument> arguments = Numbers(alert, now);
  arguments.push_back(every);
  return Message(IsQuantile(alert) ? "watch.head.quantile" : "watch.head.value", arguments);
}

Message ClearedLine(const promql::AlertExpression& alert, const AlertNow& now, bool held) {
  if (!now.value) {
    return Message(held ? "watch.cleared.no_value" : "watch.clear.no_value",
                   {{"time", DateAndTime(now.at)}});
  }
  const std::vector<Argument> arguments = Numbers(alert, now);
  if (!held) return Message("watch.clear", arguments);
  // Another of the expression's conditions may have ended it.
  const bool under = alert.threshold && *now.value < *alert.threshold;
  if (!under || !alert.comparison.starts_with(">")) return Message("watch.cleared", arguments);
  return Message(IsQuantile(alert) ? "watch.cleared.quantile" : "watch.cleared.value", arguments);
}

Declared DeclareWatch() {
  return DeclareWith<WatchOptions>(RunWatch, [](WatchOptions* o) {
    return Together({InvestigateOptionTable(&o->diagnosing, &o->output.look.zone),
                     BeyondOptionTable(&o->diagnosing),
                     OutputOptionTable(&o->output),
                     {{"watch:--every", [o](const std::string& text) {
                         o->every_ms = ReadDuration("--every", text, "30s");
                       }}}});
  });
}

}  // namespace schedlens
