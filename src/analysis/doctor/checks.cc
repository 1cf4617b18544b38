#include "analysis/doctor/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/collect/missing.h"
#include "messages/catalog.h"
#include "model/text.h"

namespace schedlens {
namespace {

/// The Date header has full seconds only.
constexpr double kClockTolerance = 2.5;
constexpr const char* kBuildInfo = "/api/v1/status/buildinfo";

CheckUp Line(Health health, std::string subject, std::string text, std::string evidence = "") {
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

Work WorkOf(const std::vector<ScrapeIncreases>& cells, std::size_t target) {
  Work work;
  for (const ScrapeIncreases& child : cells) {
    if (child.target != target) continue;
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const double count = child.Count(i);
      if (!(count > 0)) continue;
      if (work.attempts == 0 || child.edges[i] < work.first) work.first = child.edges[i];
      work.last = std::max(work.last, child.edges[i + 1]);
      work.attempts += count;
    }
  }
  return work;
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

std::string DividingAdvice(const Facts& facts) {
  const std::string label = DividingLabel(facts);
  const std::string by = label.empty() ? "" : fmt::format(", or diagnose --by {},", label);
  return fmt::format("narrow with --selector{} if they are different schedulers", by);
}

std::vector<ScrapeIncreases> AttemptCells(const Facts& facts) {
  return CellsOf(HistogramOf(facts, "attempt"), facts.targets, facts.fetched);
}

}  // namespace

std::string QueryOf(const Facts& facts, std::string_view question) {
  const AskedQuery* found = nullptr;
  for (const AskedQuery& asked : facts.queries) {
    if (asked.name != question) continue;
    if (found == nullptr || (found->series == 0 && asked.series > 0)) found = &asked;
  }
  return found == nullptr ? "" : found->promql;
}

CheckUp CheckSource(const SourceInfo& info) {
  std::string text = fmt::format("{} {}", info.kind, info.name);
  if (!info.version.empty()) text += fmt::format(", version {}", info.version);
  text += fmt::format(", arithmetic of {}", ToString(info.semantics));
  CheckUp check =
      Line(Health::kOk, "source", text + (info.exact ? ", to the bit" : ""),
           info.extent ? fmt::format("samples from {} to {}", FormatTime(info.extent->start),
                                     FormatTime(info.extent->end))
                       : kBuildInfo);
  if (!info.exact) {
    check.health = Health::kNote;
    check.text += ": its values are reproduced to 1e-9, not to the bit";
  }
  return check;
}

CheckUp CheckClock(double skew) {
  CheckUp check =
      Line(Health::kOk, "clock", "the server's clock agrees with this machine's to a few seconds",
           fmt::format("the Date header of {}", kBuildInfo));
  if (std::fabs(skew) <= kClockTolerance) return check;
  check.health = Health::kNote;
  check.text = fmt::format(
      "the server's clock is {} {} this machine's: `now` means another time there",
      FormatDuration(std::llround(std::fabs(skew)) * 1000), skew > 0 ? "ahead of" : "behind");
  check.fix = "set the clocks by NTP, or give --start and --end";
  return check;
}

CheckUp CheckAccess(const std::string& access) {
  return Line(Health::kOk, "access", access, kBuildInfo);
}

CheckUp CheckRelease(const Facts& facts, const ReleaseRange& release) {
  const std::string evidence = QueryOf(facts, "release");
  if (!release.known() && release.exact.empty()) {
    return Line(Health::kNote, "release", "the metrics fit every release from 1.18 on", evidence);
  }
  return Line(Health::kOk, "release",
              "the metrics are those of kube-scheduler " + ToString(release), evidence);
}

std::vector<CheckUp> CheckReplicas(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<ScrapeIncreases> cells = AttemptCells(facts);
  std::vector<std::string> busy;
  for (std::size_t i = 0; i < facts.targets.size(); ++i) {
    const Target& target = facts.targets[i];
    const Work work = WorkOf(cells, i);
    CheckUp check = Line(Health::kOk, "scheduler", target.id.ToString());
    check.evidence = QueryOf(facts, "attempt");
    if (work.attempts > 0) {
      busy.push_back(TargetName(facts, target.id));
      check.text +=
          fmt::format(": {} attempts between {} and {}", FormatNumber(std::round(work.attempts)),
                      FormatTime(work.first), FormatTime(work.last));
    } else {
      check.text += ": no attempts, a standby or an idle cluster";
    }
    checks.push_back(std::move(check));
  }
  if (busy.size() > 1) {
    CheckUp check = Line(Health::kNote, "leader",
                         fmt::format("{} targets scheduled in this range ({}): the leader changed, "
                                     "or several schedulers or clusters are mixed",
                                     busy.size(), fmt::join(busy, ", ")),
                         QueryOf(facts, "attempt"));
    check.fix = DividingAdvice(facts);
    checks.push_back(std::move(check));
  } else if (busy.size() == 1 && facts.targets.size() > 1) {
    checks.push_back(Line(Health::kOk, "leader", busy.front() + " led through the whole range",
                          QueryOf(facts, "attempt")));
  }
  return checks;
}

std::vector<CheckUp> CheckRestarts(const Facts& facts) {
  std::vector<CheckUp> checks;
  for (const Target& target : facts.targets) {
    for (const TimeMs restart : target.restarts()) {
      checks.push_back(Line(Health::kNote, "reset",
                            fmt::format("{} restarted at {}: what it counted after its last scrape "
                                        "before is lost",
                                        TargetName(facts, target.id), FormatTime(restart)),
                            QueryOf(facts, "process")));
    }
  }
  for (const ScrapeIncreases& child : AttemptCells(facts)) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const bool known = !facts.targets[child.target].restarts().empty();
      if (!child.reset[i] || known) continue;
      checks.push_back(Line(Health::kNote, "reset",
                            fmt::format("{} fell back between {} and {}", child.labels.ToString(),
                                        FormatTime(child.edges[i]), FormatTime(child.edges[i + 1])),
                            QueryOf(facts, "attempt")));
    }
  }
  return checks;
}

CheckUp CheckAttempts(const Facts& facts) {
  const HistogramFacts histogram = GroupAll(facts).attempt;
  CheckUp check = Line(Health::kProblem, "attempts", "");
  check.evidence = QueryOf(facts, "attempt");
  if (histogram.children.empty()) {
    check.text = "no attempts here, and no other histograms that could stand for them";
    check.fix = "keep scheduler_scheduling_attempt_duration_seconds when relabelling";
    return check;
  }
  double attempts = 0;
  for (const ScrapeIncreases& child : CellsOf(histogram, facts.targets, facts.fetched)) {
    attempts += TotalCount(child);
  }
  check.text =
      fmt::format("{} attempts in {} from {} to {}", FormatNumber(std::round(attempts)),
                  histogram.family.empty() ? "the histograms of their parts" : histogram.family,
                  FormatTime(facts.fetched.start), FormatTime(facts.fetched.end));
  if (attempts < 1) {
    check.fix = "choose a range in which pods were scheduled";
  } else if (histogram.children.front().bounds.size() == 1) {
    check.health = Health::kNote;
    check.text += ", without buckets: no quantile can be told";
    check.fix = "keep scheduler_scheduling_attempt_duration_seconds_bucket when relabelling";
  } else {
    check.health = Health::kOk;
  }
  return check;
}

std::vector<CheckUp> CheckMissing(const Facts& facts, const ReleaseRange& release) {
  std::vector<CheckUp> checks;
  for (const MissingMetric& missing : MissingMetrics(facts, release)) {
    CheckUp check = Line(Health::kNote, "metric", InEnglish(missing.text));
    check.evidence = QueryOf(facts, missing.question);
    if (!missing.expected) check.fix = "scrape kube-scheduler's /metrics and drop none of it";
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace schedlens
