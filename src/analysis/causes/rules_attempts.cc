// Rules about failed attempts, preemption and the queue.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/breakdown/queue.h"
#include "analysis/causes/rules_tables.h"

namespace schedlens {
namespace {

double ShareOf(const TimeBreakdown& breakdown, const char* result) {
  const auto it = breakdown.by_result.find(result);
  return it == breakdown.by_result.end() ? 0
                                         : it->second.count / std::max(1.0, breakdown.e2e.count);
}

Message AttemptCounts(const WindowEvidence& c, const char* result) {
  const TimeBreakdown& now = c.now.breakdown;
  const auto it = now.by_result.find(result);
  const double count = it == now.by_result.end() ? 0 : it->second.count;
  Message text("evidence.results", {{"count", arg::Count(count)},
                                    {"attempts", arg::Count(now.e2e.count)},
                                    {"result", result},
                                    {"share", arg::Share(ShareOf(now, result))}});
  if (c.baseline) {
    text.id = "evidence.results.baseline";
    text.args.push_back({"before", arg::Share(ShareOf(c.baseline->breakdown, result))});
  }
  return text;
}

std::optional<CauseCandidate> JudgePreemption(const WindowEvidence& c) {
  if (c.Growth("postfilter") <= 0) return std::nullopt;
  CauseCandidate s{"postfilter", c.Growth("postfilter"), true, false, false, false, {}};
  s.evidence.push_back(StageEvidence(c, "postfilter", Message("evidence.stage.preemption"),
                                     PointQuery(c, "PostFilter")));
  double attempts = 0;
  for (const CounterIncrease& p :
       IncreasesOf(*c.facts, "preemption_attempts", c.now.breakdown.window)) {
    attempts += p.increase;
  }
  if (attempts > 0) {
    s.evidence.push_back({Message("evidence.preemptions", {{"count", arg::Count(attempts)}}),
                          IncreaseQuery(c, "scheduler_preemption_attempts_total", "")});
  }
  return s;
}

std::optional<CauseCandidate> JudgeUnschedulable(const WindowEvidence& c) {
  if (!c.failing || ShareOf(c.now.breakdown, "unschedulable") < 0.1) return std::nullopt;
  CauseCandidate s{"", std::max(0.0, c.FailedGrowth()), false, false, true, false, {}};
  s.evidence.push_back(
      {AttemptCounts(c, "unschedulable"),
       IncreaseQuery(c, "scheduler_schedule_attempts_total", "result=\"unschedulable\"")});
  return s;
}

std::optional<CauseCandidate> JudgeErrors(const WindowEvidence& c) {
  constexpr double kLeastErrors = 5;
  constexpr double kLeastShare = 0.01;
  const auto it = c.now.breakdown.by_result.find("error");
  if (it == c.now.breakdown.by_result.end() || it->second.count < kLeastErrors) return std::nullopt;
  const double before = c.baseline ? ShareOf(c.baseline->breakdown, "error") : 0;
  if (ShareOf(c.now.breakdown, "error") < std::max(kLeastShare, 2 * before)) return std::nullopt;
  CauseCandidate s{"", 0, false, false, true, false, {}};
  s.evidence.push_back({AttemptCounts(c, "error"),
                        IncreaseQuery(c, "scheduler_schedule_attempts_total", "result=\"error\"")});
  if (c.now.breakdown.late_failures > 0) {
    s.evidence.push_back(
        {Message("evidence.late_failures", {{"count", arg::Count(c.now.breakdown.late_failures)}}),
         ""});
  }
  return s;
}

std::optional<CauseCandidate> JudgeBacklog(const WindowEvidence& c) {
  // Half a minute of arrivals waiting in activeQ is a queue that the loop does not keep up with.
  constexpr double kSecondsOfWork = 30;
  const double pending = MeanPending(*c.facts, "active", c.now.breakdown.window).value_or(0);
  const double rate = c.now.breakdown.e2e.count / std::max(1.0, c.now.breakdown.window.seconds());
  const double before =
      c.baseline ? MeanPending(*c.facts, "active", c.baseline->breakdown.window).value_or(0) : 0;
  if (pending < 10 || pending < kSecondsOfWork * rate || pending < 3 * before) return std::nullopt;
  CauseCandidate s{"", 0, false, false, true, false, {}};
  Message text("evidence.backlog", {{"pods", arg::Count(pending)}, {"rate", arg::Number(rate)}});
  if (c.baseline) {
    text.id = "evidence.backlog.baseline";
    text.args.push_back({"before", arg::Count(before)});
  }
  s.evidence.push_back({std::move(text), "scheduler_pending_pods{queue=\"active\"}"});
  s.stands_alone = true;
  return s;
}

}  // namespace

std::vector<CauseRule> AttemptRules() {
  return {{"preemption", JudgePreemption},
          {"attempts.unschedulable", JudgeUnschedulable},
          {"attempts.error", JudgeErrors},
          {"queue.backlog", JudgeBacklog}};
}

}  // namespace schedlens
