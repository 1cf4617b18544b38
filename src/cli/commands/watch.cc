// The diagnosis again and again until the alert clears.

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "analysis/alert/firing_rules.h"
#include "analysis/alert/target.h"
#include "cli/commands/commands.h"
#include "cli/commands/diagnosing.h"
#include "cli/commands/watched_alert.h"
#include "cli/interrupt.h"
#include "cli/one_line.h"
#include "cli/options/any_source.h"
#include "cli/options/grafana_link.h"
#include "cli/options/output.h"
#include "cli/safe_stream.h"
#include "cli/screen.h"
#include "messages/catalog.h"
#include "model/file.h"
#include "model/text.h"
#include "model/work_budget.h"
#include "report/format.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct WatchOptions {
  DiagnosingOptions diagnosing;
  OutputOptions output;
  std::int64_t every_ms = 30'000;
};

void ReadEvery(const std::string& text, WatchOptions* options) {
  const auto ms = ParseDuration(text);
  if (!ms || *ms <= 0) {
    throw Error(ErrorKind::kUsage, "--every " + text + ": expected a duration such as 30s");
  }
  options->every_ms = *ms;
}

void CheckLive(const InvestigateOptions& options) {
  const SourceOptions& source = options.source;
  if (!source.capture.empty() || !source.scrape_before.empty() || !source.scenario.empty()) {
    throw Error(ErrorKind::kUsage,
                "watch: files and scenarios do not change while one watches: give --prometheus "
                "URL, or use diagnose");
  }
  if (options.time.at || options.time.end) {
    throw Error(ErrorKind::kUsage,
                "watch: every look ends now: leave out --at and --end, or use diagnose");
  }
}

/// Standard input can be read only once.
void KeepWebhook(AlertOptions* alert) {
  if (!alert->webhook.empty()) alert->webhook_text = ReadFile(alert->webhook);
}

/// Pages of Grafana are followed once: every look asks what they led to.
void FollowLinks(InvestigateOptions* asked) {
  AlertRequest request = AlertRequestOf(asked->alert);
  FollowGrafana(&request, &asked->source);
  asked->alert.alert = request.alert;
  asked->alert.is_name = request.is_name;
}

/// An alert that nobody named is the same one at every look, as far as one was found.
void KeepTaken(const Diagnosis& first, AlertOptions* alert) {
  const std::string taken = TakenAlert(first.warnings);
  if (taken.empty()) return;
  alert->alert = taken;
  alert->is_name = true;
}

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
        queries_(QueriesOf(options_.diagnosing.investigate)),
        screen_(context.out,
                IsTerminal(context) ? std::function<int()>(TerminalRows) : std::function<int()>()),
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
    return Catalog::Of(options_.output.lang).Write(message);
  }
  Diagnosis DiagnoseNow() const;
  bool Look();
  bool Ended(AlertNow now, const std::string& report);
  std::string TellUnknown(AlertNow* now);

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

/// Up to now, whenever the alert began. Progress is shown at first only: later it would be drawn
/// over the report.
Diagnosis Watch::DiagnoseNow() const {
  DiagnosingOptions asked = options_.diagnosing;
  if (!asked.investigate.time.start) asked.investigate.time.at = Now();
  std::ostringstream unread;
  return DiagnoseAsAsked(
      asked, queries_,
      {context_.in, context_.out, alert_ ? unread : context_.err, context_.command});
}

/// One look; true when the alert is clear. Where a server fails later than at first nothing is
/// known, and it is asked again the next time.
bool Watch::Look() {
  try {
    const Diagnosis diagnosis = DiagnoseNow();
    InvestigateOptions& asked = options_.diagnosing.investigate;
    if (!alert_) {
      KeepTaken(diagnosis, &asked.alert);
      alert_ = ExpressionToWatch(asked);
    }
    const auto source = OpenAnySource(WithLinkedServer(asked.source, AlertRequestOf(asked.alert)));
    const AlertNow now = AskAlertNow(*source, *alert_, asked.source.selector, Now());
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

/// Why nothing is known, in a line. An interrupt says so as well.
std::string Watch::TellUnknown(AlertNow* now) {
  if (now->unknown.empty()) {
    unknown_since_ = std::nullopt;
    EndInterruptsAs(nullptr);
    return "";
  }
  if (!unknown_since_) unknown_since_ = now->since;
  now->since = *unknown_since_;
  const std::string line =
      Write(Message("watch.unknown", {{"since", DateAndTime(now->since)}, {"why", now->unknown}}));
  InterruptEnd& end = ends_[++end_ % ends_.size()];
  end = {ErrorKind::kInsufficientData, fmt::format("interrupted: {}", line)};
  EndInterruptsAs(&end);
  return Write(now->unknown) + "\n";
}

bool Watch::Ended(AlertNow now, const std::string& report) {
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

int RunWatch(WatchOptions options, const Context& context) {
  CheckLive(options.diagnosing.investigate);
  KeepWebhook(&options.diagnosing.investigate.alert);
  FollowLinks(&options.diagnosing.investigate);
  return Watch(std::move(options), context).Run();
}

}  // namespace

Declared DeclareWatch() {
  const auto options = std::make_shared<WatchOptions>();
  WatchOptions* o = options.get();
  return {
      Together({DiagnosingOptionTable(&o->diagnosing),
                OutputOptionTable(&o->output),
                {{.names = "--every",
                  .value = "DURATION",
                  .help = "from one look to the next (default 30s); it ends with 0 when the alert "
                          "clears, at Ctrl-C with 130, or 5 while its state is unknown",
                  .target = [o](const std::string& text) { ReadEvery(text, o); }}}}),
      [options](const Context& context) { return RunWatch(*options, context); }};
}

}  // namespace schedlens
