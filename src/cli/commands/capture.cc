#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include "analysis/collect/release.h"
#include "cli/commands/capture_resume.h"
#include "cli/commands/commands.h"
#include "cli/interrupt.h"
#include "cli/options/any_source.h"
#include "cli/options/kept_rules.h"
#include "cli/options/source.h"
#include "cli/options/time.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "contract/query.h"
#include "messages/catalog.h"
#include "model/byte_source.h"
#include "model/exposition.h"
#include "model/file.h"
#include "model/redact.h"
#include "model/text.h"
#include "model/url.h"
#include "schedlens/error.h"
#include "source/capture/part_file.h"
#include "source/capture/recording.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr TimeMs kMinute = 60'000;
/// What diagnose looks at around a window: the baseline before it, the recovery after it.
constexpr TimeMs kAround = 30 * kMinute;
constexpr TimeMs kDefaultRange = 60 * kMinute;

struct CaptureOptions {
  SourceOptions source;
  TimeOptions time;
  std::string out;
  std::string alert;
  std::string scrape;
  std::string duration = "2m";
  std::string interval = "5s";
  bool redact = false;
};

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
                fmt::format("{}: no kube-scheduler metrics in this range, nothing was written: "
                            "`schedlens doctor` says what is there",
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

TimeRange RangeOf(const TimeOptions& time, const SourceInfo& info, TimeMs now) {
  if (const auto window = WindowOf(time, info.extent ? info.extent->end : now)) {
    return {window->start - kAround, window->end + kAround};
  }
  if (info.extent) return *info.extent;
  const TimeMs end = time.at.value_or(now);
  return {end - kDefaultRange, end};
}

std::string Asked(const CaptureOptions& options, const SourceInfo& info) {
  return AskedText(options.source, info, options.alert, options.time.typed);
}

/// Answers are kept where asking again costs a server's time, beside a file of their own.
bool KeepsAnswers(const CaptureOptions& options) {
  std::error_code none;
  return !options.source.prometheus.empty() && options.out != "-" &&
         (!fs::exists(options.out, none) || fs::is_regular_file(options.out, none));
}

CapturePartHead NewHead(const CaptureOptions& options, Source& source, const SourceInfo& info,
                        const std::string& asked) {
  CapturePartHead head;
  head.asked = asked;
  head.recorded = Now();
  head.range = RangeOf(options.time, info, head.recorded);
  head.selector = options.source.selector;
  if (head.selector.empty()) head.selector = FindSchedulers(source, head.range);
  return head;
}

Exposition RecordFrom(const CaptureOptions& options, Source& source, const SourceInfo& info,
                      const CapturePartHead& head, RecordingPlan plan) {
  plan.range = head.range;
  plan.selector = head.selector;
  plan.alert = options.alert;
  const RulesOfAlert rules = FetchRulesOf(options.source, options.alert);
  plan.recorded = rules.recorded;
  Exposition out = Record(source, plan);
  RequireScheduler(out, info.name);
  if (!plan.alert.empty() && !HasMetric(out, "ALERTS")) {
    out.warnings.push_back(Message("recording.no_alerts", {{"alert", plan.alert}}));
  }
  const std::string kind = info.version.empty() ? info.kind : info.kind + " " + info.version;
  out.comments = Header(fmt::format("{} ({})", info.name, kind), head.recorded, out);
  if (!plan.selector.empty()) out.comments.push_back("selector: " + plan.selector);
  const TimeMs last = info.extent ? info.extent->end : head.recorded;
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

/// Records with answers kept beside the file, going on from those of an earlier run.
Exposition RecordKeeping(const CaptureOptions& options, Source& source, const SourceInfo& info,
                         RecordingPlan plan, CapturePartFile& part, std::ostream& err) {
  if (part.head() && LeavesOutWhoAsks(options.source) && !StillAnswersTheSame(source, part)) {
    err << part.path() << ": the server answers otherwise now; it is begun anew\n";
    part.Begin(NewHead(options, source, info, Asked(options, info)));
  }
  if (!part.head()) part.Begin(NewHead(options, source, info, Asked(options, info)));
  plan.held = [&part](const Query& query) { return part.Take(query); };
  plan.keep = [&part](const Query& query, const Answer& answer) { part.Keep(query, answer); };
  try {
    return RecordFrom(options, source, info, *part.head(), std::move(plan));
  } catch (const Error& error) {
    if (!part.trouble().empty()) err << "warning: " << part.trouble() << '\n';
    if (error.kind() == ErrorKind::kInsufficientData) part.Remove();
    if (error.kind() == ErrorKind::kInsufficientData || part.count() == 0) throw;
    throw Error(error.kind(),
                fmt::format("{}; {} answers are kept in {}, the same command goes on from there",
                            error.what(), part.count(), part.path()));
  }
}

Exposition RecordPages(const CaptureOptions& options, std::ostream& err) {
  Progress progress(err);
  const auto url = ParseUrl(options.scrape);
  if (!url) throw Error(ErrorKind::kUsage, "--scrape: not an http, https or unix URL");
  SourceOptions each = options.source;
  ScrapePlan plan;
  plan.duration_ms = DurationOf("--for", options.duration);
  plan.interval_ms = DurationOf("--every", options.interval);
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

void CheckUsage(const CaptureOptions& options) {
  const SourceOptions& source = options.source;
  const bool other = !source.prometheus.empty() || !source.capture.empty() ||
                     !source.scrape_before.empty() || !source.scenario.empty();
  if (!options.scrape.empty() && other) {
    throw Error(ErrorKind::kUsage, "--scrape is a source of its own: leave the others out");
  }
}

void Write(const CaptureOptions& options, Exposition recorded, const Context& context) {
  for (const std::string& warning : InEnglish(recorded.warnings))
    context.err << "warning: " << warning << '\n';
  if (options.redact) {
    recorded.comments.emplace_back("names of nodes, pods and instances are replaced by codes");
    recorded = Redacted(std::move(recorded), RandomSalt());
  }
  std::size_t samples = 0;
  for (const Series& series : recorded.series) samples += series.samples.size();
  const std::string text = WriteOpenMetrics(recorded);
  if (options.out == "-") {
    context.out << text;
  } else {
    WriteFileAtomically(options.out, options.out.ends_with(".gz") ? Gzip(text) : text);
  }
  context.err << fmt::format("{}: {} series, {} samples, {} bytes\n",
                             options.out == "-" ? "standard output" : options.out,
                             recorded.series.size(), samples, text.size());
}

void CaptureSource(const CaptureOptions& options, const Context& context) {
  const auto source = OpenAnySource(options.source);
  const SourceInfo info = source->Describe();
  const auto recorded = [&](CapturePartFile* part) {
    Progress progress(context.err);
    RecordingPlan plan;
    plan.progress = [&progress](std::size_t done, std::size_t planned) {
      progress.Show("questions", done, planned, "");
    };
    if (part != nullptr) return RecordKeeping(options, *source, info, plan, *part, context.err);
    return RecordFrom(options, *source, info, NewHead(options, *source, info, ""), plan);
  };
  if (!KeepsAnswers(options)) return Write(options, recorded(nullptr), context);
  CapturePartFile part(options.out + ".part", Asked(options, info));
  if (!part.note().empty()) context.err << part.note() << '\n';
  const RemovedOnInterrupt removed(part.path());
  Write(options, recorded(&part), context);
  part.Remove();
}

int RunCapture(const CaptureOptions& options, const Context& context) {
  CheckUsage(options);
  if (options.scrape.empty()) {
    CaptureSource(options, context);
  } else {
    Write(options, RecordPages(options, context.err), context);
  }
  return 0;
}

}  // namespace

Declared DeclareCapture() {
  const auto options = std::make_shared<CaptureOptions>();
  CaptureOptions* o = options.get();
  return {
      Together(
          {SourceOptionTable(&o->source),
           TimeOptionTable(&o->time),
           {{.names = "--out",
             .value = "FILE",
             .help =
                 "file to write, compressed if it ends in .gz, - for standard output. FILE.part "
                 "(mode 0600, never redacted) keeps a server's answers until FILE is complete: "
                 "after a failure the same command resumes from it; Ctrl-C removes it",
             .target = &o->out,
             .required = true},
            {.names = "--alert",
             .value = "NAME",
             .help = "also record this alert's rules and its ALERTS series",
             .target = &o->alert},
            {.names = "--redact",
             .help = "replace the names of nodes, pods and instances by codes",
             .target = &o->redact},
            {.names = "--scrape",
             .value = "URL",
             .help = "scrape a scheduler's /metrics itself; token, certificate and CA in "
                     "--http.config.file",
             .target = &o->scrape},
            {.names = "--for",
             .value = "DURATION",
             .help = "how long to scrape",
             .target = &o->duration},
            {.names = "--every",
             .value = "DURATION",
             .help = "scrape interval",
             .target = &o->interval}}}),
      [options](const Context& context) { return RunCapture(*options, context); }};
}

}  // namespace schedlens
