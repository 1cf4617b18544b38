#include "analysis/doctor_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/account.h"
#include "model/text.h"

namespace schedlens {
namespace {

/// Scrapes further apart than this many usual distances are a gap.
constexpr double kGap = 1.8;
/// rate() wants two samples; four leave room for a failed scrape and the edges.
constexpr int kScrapesInWindow = 4;
/// The Date header has full seconds only.
constexpr double kClockTolerance = 2.5;

/// What a question is needed for, and in which releases (minor versions of 1.x) its metrics exist.
struct Need {
  std::string_view question;
  std::string_view metric;
  int first, last;
  bool vital;  ///< a diagnosis without it says much less
  std::string_view cost;
};

constexpr Need kNeeds[] = {
    {"attempt",
     "scheduler_scheduling_attempt_duration_seconds (up to 1.22: "
     "scheduler_e2e_scheduling_duration_seconds)",
     18, 99, true, "the attempts' parts are added up instead, and no e2e quantile can be told"},
    {"algorithm", "scheduler_scheduling_algorithm_duration_seconds", 18, 99, true,
     "the scheduling loop and the binding cycle cannot be told apart"},
    {"extension_point", "scheduler_framework_extension_point_duration_seconds", 18, 99, true,
     "filter, score, prebind and bind cannot be told apart: only loop and binding are"},
    {"binding", "scheduler_binding_duration_seconds", 18, 20, false,
     "an extender's bind is found by a wider subtraction"},
    {"plugin_execution", "scheduler_plugin_execution_duration_seconds", 18, 99, false,
     "slow extension points are named, their plugins are not"},
    {"permit_wait", "scheduler_permit_wait_duration_seconds", 18, 99, false,
     "waiting on permit is seen only when a Permit plugin made a pod wait; absent otherwise"},
    {"pod_scheduling", "scheduler_pod_scheduling_(sli_)duration_seconds", 18, 99, false,
     "time in the queue is not seen, and the attempts' quantile has no second ladder of buckets"},
    {"rest_request", "rest_client_request_duration_seconds", 18, 99, false,
     "a slow API server cannot be told from work inside the scheduler"},
    {"rate_limiter", "rest_client_rate_limiter_duration_seconds", 22, 99, false,
     "the client's own limit is judged by the rhythm of the binds"},
    {"process", "process_cpu_seconds_total, process_start_time_seconds", 18, 99, false,
     "computing and waiting cannot be told apart, restarts only by falling counters"},
    {"pending_pods", "scheduler_pending_pods", 18, 99, false, "the queue's length is not seen"},
    {"preemption_attempts", "scheduler_preemption_attempts_total", 18, 99, false,
     "preemption is seen only by its extension point"},
    {"goroutines", "scheduler_goroutines (up to 1.27: scheduler_scheduler_goroutines)", 18, 99,
     false, "running binding cycles are not seen"},
    {"leader", "leader_election_master_status", 18, 99, false,
     "the leader is found by which replica schedules"},
};

CheckUp Line(Health health, std::string subject, std::string text) {
  return {.health = health,
          .subject = std::move(subject),
          .text = std::move(text),
          .fix = {},
          .evidence = {}};
}

std::string QueryOf(const Facts& facts, std::string_view question) {
  for (const AskedQuery& asked : facts.queries) {
    if (asked.name == question) return asked.promql;
  }
  return "";
}

std::string NameOf(const Labels& id) {
  for (const char* label : {"pod", "instance", "job"}) {
    if (id.Has(label)) return std::string(id.Get(label));
  }
  return id.ToString();
}

TimeMs UsualDistance(const std::vector<TimeMs>& times) {
  std::vector<TimeMs> gaps;
  for (std::size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
  if (gaps.empty()) return 0;
  const auto middle = gaps.begin() + static_cast<long>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

/// Increases of all attempt counts of one target between scrapes, first and last time of any.
struct Work {
  double attempts = 0;
  TimeMs first = 0;
  TimeMs last = 0;
};

Work WorkOf(const std::vector<HistogramCells>& cells, const Labels& id) {
  Work work;
  for (const HistogramCells& child : cells) {
    if (TargetId(child.labels) != id) continue;
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

std::vector<HistogramCells> AttemptCells(const Facts& facts) {
  std::vector<std::string> ignored;
  return CellsOf(HistogramOf(facts, "attempt", &ignored), facts, facts.fetched);
}

std::string ScrapeText(const Target& target, TimeMs usual) {
  double jitter = 0;
  int gaps = 0;
  TimeMs longest = 0;
  for (std::size_t i = 1; i < target.scrapes.size(); ++i) {
    const TimeMs distance = target.scrapes[i] - target.scrapes[i - 1];
    const auto away = static_cast<double>(std::abs(distance - usual));
    if (static_cast<double>(distance) > kGap * static_cast<double>(usual)) {
      ++gaps;
      longest = std::max(longest, distance);
    } else {
      jitter = std::max(jitter, away);
    }
  }
  std::string text = fmt::format("{}: {} scrapes, one every {}, jitter up to {}", NameOf(target.id),
                                 target.scrapes.size(), FormatDuration(usual),
                                 FormatDuration(static_cast<std::int64_t>(jitter)));
  if (gaps > 0) text += fmt::format(", {} gaps (longest {})", gaps, FormatDuration(longest));
  return text;
}

}  // namespace

CheckUp CheckSource(const SourceInfo& info) {
  std::string text = fmt::format("{} {}", info.kind, info.name);
  if (!info.version.empty()) text += fmt::format(", version {}", info.version);
  text += fmt::format(", arithmetic of {}", ToString(info.semantics));
  CheckUp check = Line(Health::kOk, "source", text + (info.exact ? ", to the bit" : ""));
  if (!info.exact) {
    check.health = Health::kNote;
    check.text += ": its values are reproduced to 1e-9, not to the bit";
  }
  return check;
}

CheckUp CheckClock(double skew) {
  CheckUp check = Line(Health::kOk, "clock", "the server's clock agrees with this machine's");
  if (std::fabs(skew) <= kClockTolerance) return check;
  check.health = Health::kNote;
  check.text = fmt::format(
      "the server's clock is {:.0f} s {} of this machine's: `now` means "
      "another time there",
      std::fabs(skew), skew > 0 ? "ahead" : "behind");
  check.fix = "set the clocks by NTP, or give --at, --start and --end";
  return check;
}

CheckUp CheckRelease(const Release& release) {
  if (!release.known() && release.exact.empty()) {
    return Line(Health::kNote, "release", "the metrics fit every release from 1.18 on");
  }
  return Line(Health::kOk, "release",
              "the metrics are those of kube-scheduler " + ToString(release));
}

std::vector<CheckUp> CheckReplicas(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<HistogramCells> cells = AttemptCells(facts);
  std::vector<std::string> busy;
  for (const Target& target : facts.targets) {
    const Work work = WorkOf(cells, target.id);
    CheckUp check = Line(Health::kOk, "scheduler", target.id.ToString());
    check.evidence = QueryOf(facts, "attempt");
    if (work.attempts > 0) {
      busy.push_back(NameOf(target.id));
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
                                     busy.size(), fmt::join(busy, ", ")));
    check.fix = "narrow with --selector if they are different schedulers";
    checks.push_back(std::move(check));
  } else if (busy.size() == 1 && facts.targets.size() > 1) {
    checks.push_back(Line(Health::kOk, "leader", busy.front() + " led through the whole range"));
  }
  return checks;
}

std::vector<CheckUp> CheckScrapes(const Facts& facts) {
  std::vector<CheckUp> checks;
  TimeMs widest = 0;
  for (const Target& target : facts.targets) {
    if (target.scrapes.size() < 2) {
      checks.push_back(Line(Health::kProblem, "scrapes",
                            NameOf(target.id) + ": a single scrape, no increase can be taken"));
      checks.back().fix = "widen the range, or scrape once more";
      continue;
    }
    const TimeMs usual = UsualDistance(target.scrapes);
    widest = std::max(widest, usual);
    const std::string text = ScrapeText(target, usual);
    const bool gaps = text.find("gaps") != std::string::npos;
    checks.push_back(Line(gaps ? Health::kNote : Health::kOk, "scrapes", text));
  }
  if (widest > 0) {
    checks.push_back(
        Line(Health::kOk, "window",
             fmt::format("rate() and --window want at least {} ({} scrapes)",
                         FormatDuration(widest * kScrapesInWindow), kScrapesInWindow)));
  }
  return checks;
}

std::vector<CheckUp> CheckRestarts(const Facts& facts) {
  std::vector<CheckUp> checks;
  for (const Target& target : facts.targets) {
    for (const TimeMs restart : target.restarts) {
      checks.push_back(Line(Health::kNote, "reset",
                            fmt::format("{} restarted at {}: what it counted after its last scrape "
                                        "before is lost",
                                        NameOf(target.id), FormatTime(restart))));
    }
  }
  for (const HistogramCells& child : AttemptCells(facts)) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const bool known =
          std::any_of(facts.targets.begin(), facts.targets.end(), [&](const Target& target) {
            return target.id == TargetId(child.labels) && !target.restarts.empty();
          });
      if (!child.reset[i] || known) continue;
      checks.push_back(
          Line(Health::kNote, "reset",
               fmt::format("{} fell back between {} and {}", child.labels.ToString(),
                           FormatTime(child.edges[i]), FormatTime(child.edges[i + 1]))));
    }
  }
  return checks;
}

CheckUp CheckAttempts(const Facts& facts) {
  std::vector<std::string> ignored;
  const HistogramFacts histogram = GroupAll(facts, &ignored).attempt;
  CheckUp check = Line(Health::kProblem, "attempts", "");
  check.evidence = QueryOf(facts, "attempt");
  if (histogram.children.empty()) {
    check.text = "no attempts here, and no other histograms that could stand for them";
    check.fix = "keep scheduler_scheduling_attempt_duration_seconds when relabelling";
    return check;
  }
  double attempts = 0;
  for (const HistogramCells& child : CellsOf(histogram, facts, facts.fetched)) {
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
    check.text += ", without buckets: time adds up, no quantile can be told";
    check.fix = "keep scheduler_scheduling_attempt_duration_seconds_bucket when relabelling";
  } else {
    check.health = Health::kOk;
  }
  return check;
}

std::vector<CheckUp> CheckMissing(const Facts& facts, const Release& release) {
  std::vector<CheckUp> checks;
  for (const Need& need : kNeeds) {
    if (facts.Has(need.question)) continue;
    const bool gone = release.oldest > need.last || release.newest < need.first;
    std::string text = fmt::format("{} is missing: {}", need.metric, need.cost);
    if (gone) {
      text += need.last < 99 ? fmt::format(" (removed after 1.{})", need.last)
                             : fmt::format(" (exposed from 1.{} on)", need.first);
    }
    CheckUp check = Line(Health::kNote, "metric", std::move(text));
    check.evidence = QueryOf(facts, need.question);
    if (!gone && need.vital) check.fix = "scrape kube-scheduler's /metrics and drop none of it";
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace schedlens
