#include "diagnose/doctor/doctor.h"

#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {
namespace {

constexpr TimeMs kLookBack = 30 * 60 * 1000;
/// How many of the names that are there instead are shown.
constexpr std::size_t kShownNames = 12;

void Append(std::vector<CheckUp>& to, std::vector<CheckUp> from) {
  std::ranges::move(from, std::back_inserter(to));
}

/// Values of one label over a vector, the ones with most series first.
std::vector<std::string> Names(const Answer& answer, std::string_view label) {
  std::vector<std::pair<double, std::string>> counted;
  for (const Series& series : answer.series) {
    const double count = series.samples.empty() ? 0 : series.samples.back().v;
    counted.emplace_back(-count, std::string(series.labels.Get(label)));
  }
  std::ranges::sort(counted);
  std::vector<std::string> names;
  for (auto& [count, name] : counted) names.push_back(std::move(name));
  return names;
}

/// What is there of a scheduler's metrics, when those of its attempts are not among them.
std::optional<CheckUp> FindRemnant(Source& source, const TimeRange& range,
                                   const std::string& selector) {
  const std::string statement = fmt::format(
      "count by (__name__) (last_over_time({{__name__=~\"{}.+\", $selector}}[$window]))",
      kube::kOwnPrefix);
  const std::string promql =
      Substitute(statement, selector, FormatDuration(std::max<TimeMs>(range.end - range.start, 1)));
  std::vector<std::string> names = Names(source.Ask({promql, range.end, range.end, 0}), "__name__");
  if (names.empty()) return std::nullopt;
  std::ranges::sort(names);
  return CheckUp{
      Health::kProblem, "scheduler",
      Message("doctor.remnant", {{"names", FirstNames(names, kShownNames)}}),
      Message("doctor.remnant.fix", {{"attempts", arg::Metric(NameOf(kube::Metric::kAttempt))},
                                     {"runs", arg::Metric(NameOf(kube::Metric::kAlgorithm))}}),
      Shown(promql)};
}

/// What else a source holds, after the sentence that it holds no scheduler.
Message WhatElse(Message nothing, const std::vector<std::string>& names, bool local) {
  if (names.empty()) return Message("doctor.nothing.at_all", {{"nothing", std::move(nothing)}});
  return Message(local ? "doctor.nothing.metrics" : "doctor.nothing.jobs",
                 {{"nothing", std::move(nothing)},
                  {"count", arg::Count(names.size())},
                  {"names", FirstNames(names, kShownNames)}});
}

Message Both(Message first, Message second) {
  return Message("list.pair", {{"first", std::move(first)}, {"second", std::move(second)}});
}

/// When a scheduler was scraped last before the range.
std::optional<NearestScrape> LastSeen(Source& source, const TimeRange& range) {
  auto seen = FindNearestScrape(
      source, fmt::format("{{__name__=~\"{}{}\"}}", kube::kOwnPrefix, kube::kOwnCounts), range);
  return seen && seen->before ? seen : std::nullopt;
}

/// What is there, when it is no scheduler.
CheckUp NothingFound(Source& source, const SourceInfo& info, const TimeRange& range,
                     const std::string& selector) {
  // Samples in memory are few enough to count by name; on a server that would touch every series.
  const bool local = info.extent.has_value();
  const std::string label = local ? "__name__" : "job";
  const std::string promql =
      local ? fmt::format("count by (__name__) (last_over_time({{__name__=~\".+\"}}[{}]))",
                          FormatDuration(std::max<TimeMs>(range.end - range.start, 1)))
            : "count by (job) (up)";
  const Answer answer = source.Ask({promql, range.end, range.end, 0});
  Message nothing = selector.empty() ? Message("doctor.nothing")
                                     : Message("doctor.nothing.selector", {{"selector", selector}});
  CheckUp check{
      Health::kProblem, "scheduler", WhatElse(std::move(nothing), Names(answer, label), local),
      Message(selector.empty() ? "doctor.nothing.fix" : "doctor.selector.fix"), Shown(promql)};
  const auto elsewhere = FindRelabelledMetrics(source, selector, range);
  if (elsewhere && !elsewhere->failure.empty()) {
    check.text = Both(check.text, elsewhere->failure);
  } else if (elsewhere) {
    check.text = Both(check.text, elsewhere->text);
    check.fix = elsewhere->fix;
    check.evidence = Shown(elsewhere->promql);
  } else if (const auto seen = local ? std::nullopt : LastSeen(source, range)) {
    check.text = Both(check.text, Message("doctor.last_seen", {{"at", arg::Time(seen->at)}}));
    check.fix = Message("doctor.last_seen.fix", {{"at", arg::Time(seen->at)}});
    check.evidence = Shown(seen->promql);
  }
  return check;
}

/// A page without times, or what else is of one moment: whose metrics they are can be told, and
/// nothing of attempts or scrapes.
void ExamineOneMoment(const Facts& facts, std::vector<CheckUp>* checks) {
  const Message evidence = checks->front().evidence;  // the source's first and last sample
  checks->push_back({Health::kProblem, "scrapes", Message("doctor.one_moment"),
                     Message("doctor.one_moment.fix"), evidence});
  for (const Target& target : facts.targets) {
    checks->push_back(
        CheckLine(Health::kOk, "scheduler",
                  Message("doctor.scheduler.here", {{"target", target.id.ToString()}}), evidence));
  }
  const ReleaseRange release = DetectRelease(facts);
  checks->push_back(CheckRelease(facts, release));
  Append(*checks, CheckMissing(facts, release));
}

/// The Date header has full seconds only.
constexpr double kClockTolerance = 2.5;
/// Each of them has a line of its own too.
constexpr std::size_t kNamedLeaders = 20;
constexpr const char* kBuildInfo = "/api/v1/status/buildinfo";

/// A label that tells groups of schedulers apart, such as cluster: not one of a single process.
std::string DividingLabel(const Facts& facts) {
  for (const auto& [name, value] : facts.targets.front().id) {
    if (name == "instance" || name == "pod" || name == "node" || name == "job") continue;
    for (const Target& target : facts.targets) {
      if (target.id.Get(name) != value) return std::string(name);
    }
  }
  return "";
}

Message Keep(std::string_view metric) {
  return Message("doctor.keep", {{"metric", arg::Metric(metric)}});
}

std::vector<ScrapeIncreases> AttemptCells(const Facts& facts) {
  return CellsOf(HistogramOf(facts, "attempt"), facts.targets, facts.fetched);
}

/// Scrapes further apart than this many usual distances are a gap.
constexpr double kGap = 1.8;
/// Scrapes that come earlier or later than this part of the usual distance are uneven.
constexpr double kUneven = 0.2;
/// rate() wants two samples; four leave room for a failed scrape and the edges.
constexpr int kScrapesInWindow = 4;
/// A last scrape this many usual distances before the range's end is stale.
constexpr double kStale = 5;

/// What the scrape times of one target say.
struct ScrapeSpacing {
  TimeMs usual = 0;   ///< median distance; 0 with fewer than two scrapes
  TimeMs jitter = 0;  ///< the most that a distance differs from it, gaps apart
  TimeMs shortest = 0, longest_gap = 0;
  int gaps = 0;
  int uneven = 0;  ///< distances off the usual by more than kUneven
};

ScrapeSpacing SpacingOf(const std::vector<TimeMs>& times) {
  ScrapeSpacing dispersion;
  std::vector<TimeMs> distances;
  for (std::size_t i = 1; i < times.size(); ++i) distances.push_back(times[i] - times[i - 1]);
  if (distances.empty()) return dispersion;
  dispersion.usual = ScrapeInterval(times);
  dispersion.shortest = *std::ranges::min_element(distances);
  const auto usual = static_cast<double>(dispersion.usual);
  for (const TimeMs distance : distances) {
    if (static_cast<double>(distance) > kGap * usual) {
      ++dispersion.gaps;
      dispersion.longest_gap = std::max(dispersion.longest_gap, distance);
      continue;
    }
    const TimeMs away = std::abs(distance - dispersion.usual);
    dispersion.jitter = std::max(dispersion.jitter, away);
    if (static_cast<double>(away) > kUneven * usual) ++dispersion.uneven;
  }
  return dispersion;
}

Value Duration(TimeMs ms) { return arg::Duration(MsToSeconds(ms)); }

CheckUp Scrapes(Health health, Message text, Message fix) {
  return {health, "scrapes", std::move(text), std::move(fix), {}};
}

CheckUp DispersionLine(const std::string& name, const Target& target,
                       const ScrapeSpacing& dispersion) {
  CheckUp check = Scrapes(Health::kOk,
                          Message("doctor.scrapes", {{"target", name},
                                                     {"scrapes", arg::Count(target.scrapes.size())},
                                                     {"usual", Duration(dispersion.usual)},
                                                     {"jitter", Duration(dispersion.jitter)}}),
                          {});
  if (dispersion.gaps > 0) {
    check.health = Health::kNote;
    check.text = Message("doctor.scrapes.gaps", {{"spacing", check.text},
                                                 {"gaps", arg::Count(dispersion.gaps)},
                                                 {"longest", Duration(dispersion.longest_gap)}});
    check.fix = Message("doctor.scrapes.gaps.fix");
  }
  if (dispersion.uneven > 1) {
    check.health = Health::kNote;
    check.text = Message("doctor.scrapes.uneven", {{"spacing", check.text},
                                                   {"uneven", arg::Count(dispersion.uneven)},
                                                   {"shortest", Duration(dispersion.shortest)}});
    check.fix = Message("doctor.scrapes.uneven.fix");
  }
  return check;
}

std::string ShortName(const Labels& id) {
  for (const char* label : {"pod", "instance", "job"}) {
    if (id.Has(label)) return std::string(id.Get(label));
  }
  return id.ToString();
}

/// How each target is called in a line: by its pod, instance or job, where no other has that name.
std::vector<std::string> TargetNames(const Facts& facts) {
  std::map<std::string, int> targets;
  for (const Target& target : facts.targets) ++targets[ShortName(target.id)];
  std::vector<std::string> names;
  for (const Target& target : facts.targets) {
    std::string name = ShortName(target.id);
    names.push_back(targets[name] > 1 ? target.id.ToString() : std::move(name));
  }
  return names;
}

/// Who the schedulers are; with several, which of them scheduled in which part of the range.
std::vector<CheckUp> CheckReplicas(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<WorkOfTarget> all = WorkOfTargets(AttemptCells(facts));
  const std::vector<std::string> names = TargetNames(facts);
  std::vector<Message> busy;
  for (std::size_t i = 0; i < facts.targets.size(); ++i) {
    const Target& target = facts.targets[i];
    const auto work = std::ranges::find(all, i, &WorkOfTarget::target);
    Message text("doctor.scheduler.idle", {{"target", target.id.ToString()}});
    if (work != all.end()) {
      busy.push_back(Verbatim(names[i]));
      text.id = "doctor.scheduler";
      text.args.push_back({"attempts", arg::Count(std::round(work->attempts))});
      text.args.push_back({"first", arg::Time(work->first)});
      text.args.push_back({"last", arg::Time(work->last)});
    }
    checks.push_back(
        CheckLine(Health::kOk, "scheduler", std::move(text), QueryOf(facts, "attempt")));
  }
  if (busy.size() > 1) {
    const Value count = arg::Count(busy.size());
    if (busy.size() > kNamedLeaders) {
      busy.resize(kNamedLeaders);
      busy.push_back(Verbatim("..."));
    }
    CheckUp check = CheckLine(Health::kNote, "leader",
                              Message("doctor.leaders", {{"count", count}, {"targets", busy}}),
                              QueryOf(facts, "attempt"));
    const std::string label = DividingLabel(facts);
    check.fix = label.empty() ? Message("doctor.leaders.fix")
                              : Message("doctor.leaders.fix.by", {{"label", label}});
    checks.push_back(std::move(check));
  } else if (busy.size() == 1 && facts.targets.size() > 1) {
    checks.push_back(CheckLine(Health::kOk, "leader",
                               Message("doctor.leader", {{"target", busy.front()}}),
                               QueryOf(facts, "attempt")));
  }
  return checks;
}

/// Attempts seen in the range; a problem when there are none or no buckets.
CheckUp CheckAttempts(const Facts& facts) {
  const HistogramFacts histogram = GroupAll(facts).attempt;
  CheckUp check = CheckLine(Health::kProblem, "attempts", Message("doctor.attempts.none"),
                            QueryOf(facts, "attempt"));
  if (histogram.children.empty()) {
    check.fix = Keep(NameOf(kube::Metric::kAttempt));
    return check;
  }
  const double attempts = TotalCount(CellsOf(histogram, facts.targets, facts.fetched));
  const Value family = histogram.family.empty() ? Value(Message("doctor.attempts.parts"))
                                                : arg::Metric(histogram.family);
  check.text = Message("doctor.attempts", {{"attempts", arg::Count(std::round(attempts))},
                                           {"family", family},
                                           {"start", arg::Time(facts.fetched.start)},
                                           {"end", arg::Time(facts.fetched.end)}});
  if (attempts < 1) {
    check.fix = Message("doctor.attempts.fix");
  } else if (histogram.children.front().bounds.size() == 1) {
    check.health = Health::kNote;
    check.text.id = "doctor.attempts.no_buckets";
    check.fix = Keep(BucketOf(kube::Metric::kAttempt));
  } else {
    check.health = Health::kOk;
  }
  return check;
}

/// Distance of scrapes, jitter, gaps, whether they go on until the end of the range, and which
/// window suits them, target by target.
std::vector<CheckUp> CheckScrapes(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<std::string> names = TargetNames(facts);
  auto name = names.begin();
  std::set<TimeMs> distances;
  TimeMs widest = 0;
  std::size_t fewest = SIZE_MAX;
  for (const Target& target : facts.targets) {
    fewest = std::min(fewest, target.scrapes.size());
    const ScrapeSpacing dispersion = SpacingOf(target.scrapes);
    const std::string& called = *name++;
    if (dispersion.usual == 0) {
      checks.push_back(Scrapes(Health::kProblem,
                               Message("doctor.scrapes.single", {{"target", called}}),
                               Message("doctor.scrapes.single.fix")));
      continue;
    }
    widest = std::max(widest, dispersion.usual);
    distances.insert((dispersion.usual + 500) / 1000 * 1000);
    checks.push_back(DispersionLine(called, target, dispersion));
    const TimeMs silent = facts.fetched.end - target.scrapes.back();
    if (static_cast<double>(silent) > kStale * static_cast<double>(dispersion.usual)) {
      checks.push_back(
          Scrapes(Health::kNote,
                  Message("doctor.scrapes.stale", {{"target", called},
                                                   {"at", arg::Time(target.scrapes.back())},
                                                   {"silent", Duration(silent / 1000 * 1000)}}),
                  Message("doctor.scrapes.stale.fix")));
    }
  }
  if (distances.size() > 1) {
    checks.push_back(Scrapes(
        Health::kNote,
        Message("doctor.scrapes.intervals",
                {{"least", Duration(*distances.begin())}, {"most", Duration(*distances.rbegin())}}),
        Message("doctor.scrapes.intervals.fix")));
  }
  for (CheckUp& check : checks) check.evidence = QueryOf(facts, "attempt");
  if (widest == 0) return checks;
  CheckUp window =
      CheckLine(Health::kOk, "window",
                Message("doctor.window", {{"window", Duration(widest * kScrapesInWindow)},
                                          {"scrapes", arg::Count(kScrapesInWindow)}}),
                QueryOf(facts, "attempt"));
  if (fewest < kScrapesInWindow) {
    window.health = Health::kNote;
    window.text.id = "doctor.window.short";
    window.text.args.push_back({"held", arg::Count(fewest)});
    window.fix =
        Message("doctor.window.fix", {{"window", Duration(widest * (kScrapesInWindow + 1))}});
  }
  checks.push_back(std::move(window));
  return checks;
}

}  // namespace

DoctorReport Examine(Source& source, const QuerySet& queries, const DoctorRequest& request) {
  DoctorReport report;
  SourceInfo info = source.Describe();
  TimeRange range = request.range.value_or(TimeRange{request.now - kLookBack, request.now});
  if (!request.range && info.extent) range = {info.extent->start - 1, info.extent->end};
  const Facts facts = Collect(source, queries, request.selector, range);
  info = source.Describe();  // with what answering has shown of it
  report.checks.push_back(CheckSource(info));
  for (const Message& warning : info.warnings) {
    report.checks.push_back({Health::kNote, "source", warning, {}, {}});
  }
  if (!request.access.empty()) {
    report.checks.push_back(CheckLine(Health::kOk, "access", request.access, Verbatim(kBuildInfo)));
  }
  if (request.clock_skew) report.checks.push_back(CheckClock(*request.clock_skew));

  if (facts.targets.empty()) {
    const auto remnant = FindRemnant(source, range, request.selector);
    report.checks.push_back(remnant ? *remnant
                                    : NothingFound(source, info, range, request.selector));
    return report;
  }
  if (info.extent && info.extent->start == info.extent->end) {
    ExamineOneMoment(facts, &report.checks);
    return report;
  }
  const ReleaseRange release = DetectRelease(facts);
  const CheckUp attempts = CheckAttempts(facts);
  Append(report.checks, CheckReplicas(facts));
  report.checks.push_back(CheckRelease(facts, release));
  report.checks.push_back(attempts);
  Append(report.checks, CheckScrapes(facts));
  Append(report.checks, CheckRestarts(facts));
  Append(report.checks, CheckMissing(facts, release));
  ControlPlaneCheckUp control_plane = CheckControlPlane(source, queries, facts, release);
  Append(report.checks, std::move(control_plane.checks));
  report.control_plane = std::move(control_plane.seen);
  report.configurations = std::move(control_plane.configurations);
  for (const Message& warning : facts.warnings) {
    report.checks.push_back({Health::kNote, "server", warning, {}, {}});
  }
  report.diagnosable = attempts.health != Health::kProblem;
  return report;
}

CheckUp CheckLine(Health health, std::string subject, Message text, Message evidence) {
  return {health, std::move(subject), std::move(text), {}, std::move(evidence)};
}

Message Shown(std::string_view promql) {
  return Message("doctor.evidence.query", {{"promql", arg::Promql(promql)}});
}

Message QueryOf(const Facts& facts, std::string_view question) {
  const AskedQuery* found = nullptr;
  for (const AskedQuery& asked : facts.queries) {
    if (asked.name != question) continue;
    if (found == nullptr || (found->series == 0 && asked.series > 0)) found = &asked;
  }
  return found == nullptr || found->promql.empty() ? Message() : Shown(found->promql);
}

CheckUp CheckSource(const SourceInfo& info) {
  Message source("doctor.source", {{"kind", info.kind}, {"name", info.name}});
  if (!info.version.empty()) {
    source.id = "doctor.source.version";
    source.args.push_back({"version", info.version});
  }
  return CheckLine(
      info.exact ? Health::kOk : Health::kNote, "source",
      Message(info.exact ? "doctor.source.exact" : "doctor.source.rounded",
              {{"source", source}, {"arithmetic", ToString(info.semantics)}}),
      info.extent ? Message("doctor.evidence.samples", {{"start", arg::Time(info.extent->start)},
                                                        {"end", arg::Time(info.extent->end)}})
                  : Verbatim(kBuildInfo));
}

CheckUp CheckClock(double skew) {
  CheckUp check = CheckLine(Health::kOk, "clock", Message("doctor.clock"),
                            Message("doctor.evidence.date", {{"path", kBuildInfo}}));
  if (std::fabs(skew) <= kClockTolerance) return check;
  check.health = Health::kNote;
  check.text = Message(skew > 0 ? "doctor.clock.ahead" : "doctor.clock.behind",
                       {{"skew", arg::Duration(std::round(std::fabs(skew)))}});
  check.fix = Message("doctor.clock.fix");
  return check;
}

CheckUp CheckRelease(const Facts& facts, const ReleaseRange& release) {
  const Message evidence = QueryOf(facts, "release");
  if (!release.known() && release.exact.empty()) {
    return CheckLine(
        Health::kNote, "release",
        Message("doctor.release.any", {{"oldest", fmt::format("1.{}", kube::kOldestRelease)}}),
        evidence);
  }
  return CheckLine(Health::kOk, "release",
                   Message("doctor.release", {{"release", ToString(release)}}), evidence);
}

std::vector<CheckUp> CheckRestarts(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<std::string> names = TargetNames(facts);
  std::vector<bool> known;
  for (std::size_t target = 0; target < names.size(); ++target) {
    const std::vector<TimeMs> restarts = facts.targets[target].restarts();
    known.push_back(!restarts.empty());
    for (const TimeMs restart : restarts) {
      checks.push_back(CheckLine(
          Health::kNote, "reset",
          Message("doctor.restart", {{"target", names[target]}, {"at", arg::Time(restart)}}),
          QueryOf(facts, "process")));
    }
  }
  double twice = 0;
  for (const ScrapeIncreases& child : AttemptCells(facts)) {
    twice += child.counted_twice;
    for (std::size_t i = 0; i < child.cells(); ++i) {
      if (!child.reset[i] || known[child.target]) continue;
      checks.push_back(CheckLine(Health::kNote, "reset",
                                 Message("doctor.reset", {{"series", child.labels.ToString()},
                                                          {"start", arg::Time(child.edges[i])},
                                                          {"end", arg::Time(child.edges[i + 1])}}),
                                 QueryOf(facts, "attempt")));
    }
  }
  if (twice > 0) {
    checks.push_back({Health::kProblem, "replicas",
                      Message("counts.twice", {{"count", arg::Count(std::round(twice))}}),
                      Message("doctor.twice.fix"), QueryOf(facts, "attempt")});
  }
  return checks;
}

std::vector<CheckUp> CheckMissing(const Facts& facts, const ReleaseRange& release) {
  std::vector<CheckUp> checks;
  for (const MissingMetric& missing : MissingMetrics(facts, release)) {
    CheckUp check =
        CheckLine(Health::kNote, "metric", missing.text, QueryOf(facts, missing.question));
    if (!missing.expected) check.fix = Message("doctor.metric.fix");
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace schedlens
