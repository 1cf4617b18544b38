#include "cli/commands/capture_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <thread>

#include "analysis/collect/release.h"
#include "cli/commands/capture_neighbours.h"
#include "cli/options/kept_rules.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "contract/source.h"
#include "model/seconds.h"
#include "model/text.h"
#include "model/url.h"
#include "model/work_budget.h"
#include "schedlens/error.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

constexpr TimeMs kMinute = 60'000;
/// What diagnose looks at around a window: the baseline before it, the recovery after it.
constexpr TimeMs kAround = 30 * kMinute;
constexpr TimeMs kDefaultRange = 60 * kMinute;

std::int64_t DurationOf(const std::string& option, const std::string& text) {
  const auto ms = ParseDuration(text);
  if (!ms || *ms <= 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}: expected a duration such as 5s or 2m", option, text));
  }
  return *ms;
}

std::vector<std::string> Header(const std::string& from, TimeMs recorded,
                                const Exposition& exposition) {
  TimeRange range{INT64_MAX, INT64_MIN};
  for (const Series& series : exposition.series) {
    range.start = std::min(range.start, series.samples.front().t);
    range.end = std::max(range.end, series.samples.back().t);
  }
  return {fmt::format("recorded by {} at {}", VersionLine(), FormatTime(recorded)), "from " + from,
          fmt::format("range: {} to {}", FormatTime(range.start), FormatTime(range.end))};
}

bool HasMetric(const Exposition& exposition, std::string_view prefix) {
  return std::any_of(exposition.series.begin(), exposition.series.end(), [&](const Series& series) {
    return series.labels.Get(kMetricName).starts_with(prefix);
  });
}

void RequireScheduler(const Exposition& exposition, const std::string& from) {
  if (!HasMetric(exposition, "scheduler_")) {
    throw Error(ErrorKind::kInsufficientData,
                fmt::format("{}: no kube-scheduler metrics in this range, nothing was written; "
                            "run `schedlens doctor` to see what the source has",
                            from));
  }
}

std::string ReleaseIn(Source& source, const std::string& selector, const TimeRange& range) {
  Facts facts;
  const QuerySet queries = QuerySet::Embedded();
  for (const std::string& statement : queries.Get("release").statements) {
    Answer answer = source.Ask(
        {.promql = Substitute(statement, selector,
                              FormatDuration(std::max<TimeMs>(range.end - range.start, 1))),
         .start = range.end,
         .end = range.end,
         .step_ms = 0});
    facts.answers["release"] = std::move(answer.series);
  }
  return ToString(DetectRelease(facts));
}

TimeRange RangeOf(const TimeOptions& asked, const SourceInfo& info, TimeMs now) {
  const TimeOptions time = TimesOn(asked, info.extent);
  if (const auto window = WindowOf(time, info.extent ? info.extent->end : now)) {
    return {window->start - kAround, window->end + kAround};
  }
  if (info.extent) return *info.extent;
  const TimeMs end = time.at.value_or(now);
  return {end - kDefaultRange, end};
}

}  // namespace

Exposition RecordFrom(const CaptureOptions& options, Source& source, const SourceInfo& info,
                      RecordingPlan plan) {
  const TimeMs now = Now();
  plan.range = RangeOf(options.time, info, now);
  plan.selector = options.source.selector;
  if (plan.selector.empty()) plan.selector = FindSchedulers(source, plan.range);
  plan.neighbours = NeighbourSelectors(source, plan.selector, plan.range);
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
    for (std::string& line : AlertComments(plan.alert, rules)) {
      out.comments.push_back(std::move(line));
    }
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
  plan.duration_ms = DurationOf("--for", options.duration);
  plan.interval_ms = DurationOf("--every", options.interval);
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
  plan.progress = [&progress](std::size_t done, std::size_t planned) {
    progress.Show("scrapes", done, planned, "");
  };
  Exposition out = RecordScrapes(plan);
  RequireScheduler(out, url->WithoutSecrets());
  out.comments = Header(url->WithoutSecrets() + " (scraped)", Now(), out);
  return out;
}

}  // namespace schedlens
