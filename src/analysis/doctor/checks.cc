#include "analysis/doctor/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/collect/missing.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

/// The Date header has full seconds only.
constexpr double kClockTolerance = 2.5;
/// Each of them has a line of its own too.
constexpr std::size_t kNamedLeaders = 20;
constexpr const char* kBuildInfo = "/api/v1/status/buildinfo";

CheckUp Line(Health health, std::string subject, Message text, Message evidence) {
  return {.health = health,
          .subject = std::move(subject),
          .text = std::move(text),
          .fix = {},
          .evidence = std::move(evidence)};
}

/// Increases of all attempt counts of one target between scrapes, first and last time of any.
struct Work {
  double attempts = 0;
  TimeMs first = 0;
  TimeMs last = 0;
};

std::vector<Work> WorkOf(const std::vector<ScrapeIncreases>& cells, std::size_t targets) {
  std::vector<Work> all(targets);
  for (const ScrapeIncreases& child : cells) {
    Work& work = all[child.target];
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const double count = child.Count(i);
      if (!(count > 0)) continue;
      if (work.attempts == 0 || child.edges[i] < work.first) work.first = child.edges[i];
      work.last = std::max(work.last, child.edges[i + 1]);
      work.attempts += count;
    }
  }
  return all;
}

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

Message DividingAdvice(const Facts& facts) {
  const std::string label = DividingLabel(facts);
  if (label.empty()) return Message("doctor.leaders.fix");
  return Message("doctor.leaders.fix.by", {{"label", label}});
}

Message Keep(std::string_view metric) {
  return Message("doctor.keep", {{"metric", arg::Metric(metric)}});
}

std::vector<ScrapeIncreases> AttemptCells(const Facts& facts) {
  return CellsOf(HistogramOf(facts, "attempt"), facts.targets, facts.fetched);
}

}  // namespace

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
  return Line(info.exact ? Health::kOk : Health::kNote, "source",
              Message(info.exact ? "doctor.source.exact" : "doctor.source.rounded",
                      {{"source", source}, {"arithmetic", ToString(info.semantics)}}),
              info.extent
                  ? Message("doctor.evidence.samples", {{"start", arg::Time(info.extent->start)},
                                                        {"end", arg::Time(info.extent->end)}})
                  : Verbatim(kBuildInfo));
}

CheckUp CheckClock(double skew) {
  CheckUp check = Line(Health::kOk, "clock", Message("doctor.clock"),
                       Message("doctor.evidence.date", {{"path", kBuildInfo}}));
  if (std::fabs(skew) <= kClockTolerance) return check;
  check.health = Health::kNote;
  check.text = Message(skew > 0 ? "doctor.clock.ahead" : "doctor.clock.behind",
                       {{"skew", arg::Duration(std::round(std::fabs(skew)))}});
  check.fix = Message("doctor.clock.fix");
  return check;
}

CheckUp CheckAccess(const Message& access) {
  return Line(Health::kOk, "access", access, Verbatim(kBuildInfo));
}

CheckUp CheckRelease(const Facts& facts, const ReleaseRange& release) {
  const Message evidence = QueryOf(facts, "release");
  if (!release.known() && release.exact.empty()) {
    return Line(
        Health::kNote, "release",
        Message("doctor.release.any", {{"oldest", fmt::format("1.{}", kube::kOldestRelease)}}),
        evidence);
  }
  return Line(Health::kOk, "release", Message("doctor.release", {{"release", ToString(release)}}),
              evidence);
}

std::vector<CheckUp> CheckReplicas(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<Work> all = WorkOf(AttemptCells(facts), facts.targets.size());
  const std::vector<std::string> names = TargetNames(facts);
  std::vector<Message> busy;
  for (std::size_t i = 0; i < facts.targets.size(); ++i) {
    const Target& target = facts.targets[i];
    const Work& work = all[i];
    Message text("doctor.scheduler.idle", {{"target", target.id.ToString()}});
    if (work.attempts > 0) {
      busy.push_back(Verbatim(names[i]));
      text.id = "doctor.scheduler";
      text.args.push_back({"attempts", arg::Count(std::round(work.attempts))});
      text.args.push_back({"first", arg::Time(work.first)});
      text.args.push_back({"last", arg::Time(work.last)});
    }
    checks.push_back(Line(Health::kOk, "scheduler", std::move(text), QueryOf(facts, "attempt")));
  }
  if (busy.size() > 1) {
    const Value count = arg::Count(busy.size());
    if (busy.size() > kNamedLeaders) {
      busy.resize(kNamedLeaders);
      busy.push_back(Verbatim("..."));
    }
    CheckUp check = Line(Health::kNote, "leader",
                         Message("doctor.leaders", {{"count", count}, {"targets", busy}}),
                         QueryOf(facts, "attempt"));
    check.fix = DividingAdvice(facts);
    checks.push_back(std::move(check));
  } else if (busy.size() == 1 && facts.targets.size() > 1) {
    checks.push_back(Line(Health::kOk, "leader",
                          Message("doctor.leader", {{"target", busy.front()}}),
                          QueryOf(facts, "attempt")));
  }
  return checks;
}

std::vector<CheckUp> CheckRestarts(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<std::string> names = TargetNames(facts);
  std::vector<bool> known;
  for (std::size_t target = 0; target < names.size(); ++target) {
    const std::vector<TimeMs> restarts = facts.targets[target].restarts();
    known.push_back(!restarts.empty());
    for (const TimeMs restart : restarts) {
      checks.push_back(
          Line(Health::kNote, "reset",
               Message("doctor.restart", {{"target", names[target]}, {"at", arg::Time(restart)}}),
               QueryOf(facts, "process")));
    }
  }
  for (const ScrapeIncreases& child : AttemptCells(facts)) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      if (!child.reset[i] || known[child.target]) continue;
      checks.push_back(Line(Health::kNote, "reset",
                            Message("doctor.reset", {{"series", child.labels.ToString()},
                                                     {"start", arg::Time(child.edges[i])},
                                                     {"end", arg::Time(child.edges[i + 1])}}),
                            QueryOf(facts, "attempt")));
    }
  }
  return checks;
}

CheckUp CheckAttempts(const Facts& facts) {
  const HistogramFacts histogram = GroupAll(facts).attempt;
  CheckUp check = Line(Health::kProblem, "attempts", Message("doctor.attempts.none"),
                       QueryOf(facts, "attempt"));
  if (histogram.children.empty()) {
    check.fix = Keep(NameOf(kube::Metric::kAttempt));
    return check;
  }
  double attempts = 0;
  for (const ScrapeIncreases& child : CellsOf(histogram, facts.targets, facts.fetched)) {
    attempts += TotalCount(child);
  }
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

std::vector<CheckUp> CheckMissing(const Facts& facts, const ReleaseRange& release) {
  std::vector<CheckUp> checks;
  for (const MissingMetric& missing : MissingMetrics(facts, release)) {
    CheckUp check = Line(Health::kNote, "metric", missing.text, QueryOf(facts, missing.question));
    if (!missing.expected) check.fix = Message("doctor.metric.fix");
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace schedlens
