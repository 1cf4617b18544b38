#include <ostream>
#include <thread>

#include "base/url.h"
#include "base/work_budget.h"
#include "cli/commands/diagnose.h"
#include "cli/options/output.h"
#include "diagnose/collect/missing.h"
#include "messages/catalog.h"
#include "promql/parser.h"
#include "source/capture/recording.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

using promql::Matcher;

using Matchers = std::vector<Matcher>;

/// The cluster that a selector asks for, as a matcher; empty where it asks for none.
std::string ClusterOf(const std::string& selector) {
  Matchers matchers = promql::ParseMatchers(selector).value_or(Matchers());
  std::erase_if(matchers, [](const Matcher& one) { return one.name != "cluster"; });
  return MatchersText(matchers);
}

/// What every selector of the question asks for, in all its wordings.
std::vector<Matchers> SelectorsOf(const Question& question, const std::string& within) {
  std::vector<Matchers> all;
  for (const std::string& statement : question.statements) {
    promql::Rewrite(promql::Parse(Substitute(statement, within, "1m")), [&](promql::Expr& node) {
      const auto* selector = std::get_if<promql::Selector>(&node.node);
      if (selector != nullptr) all.push_back(selector->matchers);
    });
  }
  return all;
}

/// Whether all that `narrow` chooses is chosen by `wide`, as far as their texts tell.
bool Covers(const Matchers& wide, const Matchers& narrow) {
  return std::ranges::all_of(wide, [&](const Matcher& asked) {
    return std::ranges::any_of(narrow, [&](const Matcher& given) {
      if (given == asked) return true;
      return given.op == promql::MatchOp::kEqual && given.name == asked.name &&
             promql::Accept(std::span(&asked, 1), Labels({{given.name, given.value}}));
    });
  });
}

/// One selector for those that differ in the metric's name alone.
std::vector<Matchers> Together(const std::vector<Matchers>& selectors) {
  std::vector<Matchers> groups;
  for (Matchers one : selectors) {
    const auto name = std::ranges::find(one, kMetricName, &Matcher::name);
    std::rotate(one.begin(), name, name + 1);
    one.front().op = promql::MatchOp::kRegex;
    const auto same = std::ranges::find_if(groups, [&](const Matchers& group) {
      return std::equal(group.begin() + 1, group.end(), one.begin() + 1, one.end());
    });
    if (same == groups.end()) {
      groups.push_back(std::move(one));
    } else {
      same->front().value += "|" + one.front().value;
    }
  }
  return groups;
}

struct CaptureOptions {
  SourceOptions source;
  TimeOptions time;
  std::string out, alert;
  std::string scrape;
  std::int64_t duration_ms = 120'000;
  std::int64_t interval_ms = 5'000;
  bool redact = false;
};

constexpr TimeMs kMinute = 60'000;
/// What diagnose looks at around a window: the baseline before it, the recovery after it.
constexpr TimeMs kAround = 30 * kMinute;
constexpr TimeMs kDefaultRange = 60 * kMinute;

std::vector<std::string> Header(const std::string& from, TimeMs recorded,
                                const Exposition& exposition) {
  TimeRange range{INT64_MAX, INT64_MIN};
  const auto add = [&](const auto& values) {
    if (values.empty()) return;
    range.start = std::min(range.start, values.front().t);
    range.end = std::max(range.end, values.back().t);
  };
  for (const Series& series : exposition.series) {
    add(series.samples);
    add(series.histograms);
  }
  return {fmt::format("recorded by {} at {}", VersionLine(), FormatTime(recorded)), "from " + from,
          fmt::format("range: {} to {}", FormatTime(range.start), FormatTime(range.end))};
}

bool HasMetric(const Exposition& exposition, std::string_view prefix) {
  return std::ranges::any_of(exposition.series, [&](const Series& series) {
    return series.labels.Get(kMetricName).starts_with(prefix);
  });
}

void RequireScheduler(const Exposition& exposition, const std::string& from) {
  if (!HasMetric(exposition, "scheduler_")) {
    Raise(ErrorKind::kInsufficientData,
          "{}: no kube-scheduler metrics in this range, nothing was written; run `schedlens "
          "doctor` to see what the source has",
          from);
  }
}

std::string ReleaseIn(Source& source, const std::string& selector, const TimeRange& range) {
  Facts facts;
  const QuerySet queries = QuerySet::Embedded();
  for (const std::string& statement : queries.Get("release").statements) {
    const std::string promql = Substitute(
        statement, selector, FormatDuration(std::max<TimeMs>(range.end - range.start, 1)));
    facts.answers["release"] = source.Ask({promql, range.end, range.end, 0}).series;
  }
  return ToString(DetectRelease(facts));
}

TimeRange RangeOf(const TimeOptions& asked, const SourceInfo& info, TimeMs now) {
  const TimeOptions time = TimesOn(asked, info.extent);
  if (const auto window = WindowOf(time, info.extent ? info.extent->end : now)) {
    const TimeMs around = window->end + kAround;
    return {window->start - kAround, info.extent ? around : std::min(around, now)};
  }
  if (info.extent) return *info.extent;
  const TimeMs end = time.at.value_or(now);
  return {end - kDefaultRange, end};
}

std::function<void(std::size_t done, std::size_t planned)> ShownOn(Progress* progress,
                                                                   const std::string& what) {
  return [=](std::size_t done, std::size_t planned) { progress->Show(what, done, planned, ""); };
}

/// What the options ask of the source; looks for schedulers where no selector is given. Throws
/// Error(kInsufficientData) when the range has no kube-scheduler metrics, and what the source
/// throws.
Exposition RecordSource(const CaptureOptions& options, std::ostream& err) {
  const auto opened = OpenAnySource(options.source);
  Source& source = *opened;
  const SourceInfo info = source.Describe();
  Progress progress(err);
  RecordingPlan plan;
  plan.progress = ShownOn(&progress, "queries");
  const TimeMs now = Now();
  plan.range = RangeOf(options.time, info, now);
  plan.selector = options.source.selector;
  if (plan.selector.empty()) plan.selector = FindSchedulers(source, plan.range);
  plan.control_plane = ControlPlaneSelectors(source, plan.selector, plan.range);
  plan.alert = options.alert;
  const RulesOfAlert rules = FetchRulesOf(options.source, options.alert);
  plan.recorded = rules.recorded;
  Exposition out = Record(source, plan);
  RequireScheduler(out, info.name);
  if (!plan.alert.empty() && !HasMetric(out, "ALERTS")) {
    out.warnings.push_back(Message("recording.no_alerts", {{"alert", plan.alert}}));
  }
  const std::string kind = info.version.empty() ? info.kind : info.kind + " " + info.version;
  out.comments = Header(fmt::format("{} ({})", info.name, kind), now, out);
  if (!plan.selector.empty()) out.comments.push_back("selector: " + plan.selector);
  const TimeMs last = info.extent ? info.extent->end : now;
  const std::string release =
      ReleaseIn(source, plan.selector, {plan.range.start, std::min(plan.range.end, last)});
  if (!release.empty()) out.comments.push_back("release: " + release);
  if (!plan.alert.empty()) {
    const std::vector<std::string> lines = AlertComments(plan.alert, rules);
    out.comments.insert(out.comments.end(), lines.begin(), lines.end());
  }
  if (WindowOf(TimesOn(options.time, info.extent), info.extent ? info.extent->end : now)) {
    err << fmt::format("recorded {} to {}: {} more on each side, for what was before and after\n",
                       FormatTime(plan.range.start), FormatTime(plan.range.end),
                       FormatDuration(kAround));
  }
  out.comments.push_back(SemanticsComment(info.semantics));
  return out;
}

Exposition RecordPages(const CaptureOptions& options, std::ostream& err) {
  Progress progress(err);
  const auto url = ParseUrl(options.scrape);
  if (!url) throw Error(ErrorKind::kUsage, "--scrape: not an http, https or unix URL");
  SourceOptions each = options.source;
  ScrapePlan plan;
  plan.duration_ms = options.duration_ms;
  plan.interval_ms = options.interval_ms;
  SetDeadline(DeadlineSeconds() + MsToSeconds(plan.duration_ms));
  // A page that takes longer than two intervals is a failed scrape, as in Prometheus.
  each.total_timeout_seconds = std::min(
      each.total_timeout_seconds, std::max(1.0, static_cast<double>(plan.interval_ms) / 500.0));
  plan.instance = fmt::format("{}:{}", url->host, url->PortOrDefault());
  plan.fetch = [&] { return FetchPage(each, options.scrape); };
  plan.now = Now;
  plan.wait_until = [](TimeMs time) {
    std::this_thread::sleep_until(
        std::chrono::system_clock::time_point(std::chrono::milliseconds(time)));
  };
  plan.progress = ShownOn(&progress, "scrapes");
  Exposition out = RecordScrapes(plan);
  RequireScheduler(out, url->WithoutSecrets());
  out.comments = Header(url->WithoutSecrets() + " (scraped)", Now(), out);
  return out;
}

void Write(const CaptureOptions& options, Exposition recorded, const Context& context) {
  if (options.redact) {
    const std::string salt = RandomSalt();
    recorded = Redacted(std::move(recorded), salt);
    recorded.comments.emplace_back("names are replaced by codes");
    if (!options.alert.empty()) {
      context.err << fmt::format("in this file the alert's name is {}\n",
                                 RedactedName(options.alert, salt));
    }
  }
  for (const std::string& warning : InEnglish(recorded.warnings)) {
    context.err << "warning: " << warning << '\n';
  }
  std::size_t samples = 0;
  for (const Series& series : recorded.series) {
    samples += series.samples.size() + series.histograms.size();
  }
  const std::string text = WriteOpenMetrics(recorded);
  WriteTo(options.out, text, context);
  context.err << fmt::format("{}: {} series, {} samples, {} bytes of text\n",
                             options.out == "-" ? "standard output" : options.out,
                             recorded.series.size(), samples, text.size());
}

int RunCapture(CaptureOptions options, const Context& context) {
  if (!options.scrape.empty() && HasSource(options.source)) {
    throw Error(ErrorKind::kUsage, "--scrape cannot be combined with another source");
  }
  FollowExplore(&options.source);
  Write(options,
        options.scrape.empty() ? RecordSource(options, context.err)
                               : RecordPages(options, context.err),
        context);
  return 0;
}

}  // namespace

std::vector<std::string> ControlPlaneSelectors(Source& source, const std::string& selector,
                                               const TimeRange& range) {
  const std::string cluster = ClusterOf(selector), jobs = FindApiServers(source, cluster, range);
  const std::string apiservers = jobs.empty() || cluster.empty() ? jobs : cluster + "," + jobs;
  const QuerySet queries = QuerySet::Embedded();
  std::vector<Matchers> all;
  for (const Question& question : queries.questions()) {
    if (!IsOfControlPlane(question)) continue;
    const bool of_processes = question.name == kControlPlaneProcesses;
    if (of_processes && jobs.empty()) continue;
    const auto some = SelectorsOf(question, of_processes ? apiservers : cluster);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::vector<Matchers> more;
  for (const StepQuestion& step : StepQuestions()) {
    if (step.of == AskedOf::kSchedulers) continue;
    const std::string within = StepSelector(step.of, cluster, apiservers);
    for (Matchers& one : SelectorsOf(queries.Get(step.name), within)) {
      const auto covers = [&](const Matchers& wide) { return Covers(wide, one); };
      if (std::ranges::any_of(all, covers)) continue;
      if (std::ranges::none_of(more, covers)) more.push_back(std::move(one));
    }
  }
  const std::vector<Matchers> joined = Together(more);
  all.insert(all.end(), joined.begin(), joined.end());
  std::vector<std::string> texts;
  std::ranges::transform(all, std::back_inserter(texts), MatchersText);
  return texts;
}

Declared DeclareCapture() {
  return DeclareWith<CaptureOptions>(RunCapture, [](CaptureOptions* o) {
    return Together({SourceOptionTable(&o->source),
                     TimeOptionTable(&o->time),
                     {Option("capture:--out", &o->out, {.required = true}),
                      {"capture:--alert", &o->alert},
                      {"--redact", &o->redact},
                      {"--scrape", &o->scrape},
                      {"--for",
                       [o](const std::string& text) {
                         o->duration_ms = ReadDuration("--for", text, "5s or 2m");
                       }},
                      {"capture:--every", [o](const std::string& text) {
                         o->interval_ms = ReadDuration("--every", text, "5s or 2m");
                       }}}});
  });
}

}  // namespace schedlens
