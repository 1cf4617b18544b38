// Rules about failed attempts, preemption and the queue.

#include <fmt/format.h>

#include <algorithm>

#include "diagnose/causes/rules_tables.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;
using kube::Metric;

double ShareOf(const TimeBreakdown& breakdown, AttemptResult result) {
  return breakdown.by_result.Get(result).count / std::max(1.0, breakdown.e2e.count);
}

std::string AttemptsQuery(const WindowEvidence& c, AttemptResult result) {
  return IncreaseQuery(c, NameOf(Metric::kScheduleAttempts),
                       fmt::format("result=\"{}\"", ToString(result)));
}

Message AttemptCounts(const WindowEvidence& c, AttemptResult result) {
  const TimeBreakdown& now = c.now.breakdown;
  const double count = now.by_result.Get(result).count;
  Message text("evidence.results", {{"count", arg::Count(count)},
                                    {"attempts", arg::Count(now.e2e.count)},
                                    {"result", std::string(ToString(result))},
                                    {"share", arg::Share(ShareOf(now, result))}});
  if (c.baseline) {
    text.id = "evidence.results.baseline";
    text.args.push_back({"before", arg::Share(ShareOf(c.baseline->breakdown, result))});
  }
  return text;
}

std::optional<CauseCandidate> JudgePreemption(const WindowEvidence& c) {
  if (c.Growth(kube::Stage::kPostFilter) <= 0) return std::nullopt;
  CauseCandidate s{.stage = kube::Stage::kPostFilter,
                   .growth = c.Growth(kube::Stage::kPostFilter),
                   .proven_within = true};
  s.evidence.push_back(StageEvidence(c, kube::Stage::kPostFilter,
                                     Message("evidence.stage.preemption"),
                                     PointQuery(c, ExtensionPoint::kPostFilter)));
  if (const double attempts = c.now.preemption_attempts; attempts > 0) {
    s.evidence.push_back({Message("evidence.preemptions", {{"count", arg::Count(attempts)}}),
                          IncreaseQuery(c, NameOf(Metric::kPreemptionAttempts), "")});
  }
  return s;
}

std::optional<CauseCandidate> JudgeUnschedulable(const WindowEvidence& c) {
  constexpr double kLeastShare = 0.1;
  const double share = ShareOf(c.now.breakdown, AttemptResult::kUnschedulable);
  if (!c.failing || share < kLeastShare) return std::nullopt;
  CauseCandidate s{.growth = std::max(0.0, c.FailedGrowth()), .by_count = true};
  s.evidence.push_back({AttemptCounts(c, AttemptResult::kUnschedulable),
                        AttemptsQuery(c, AttemptResult::kUnschedulable)});
  return s;
}

std::optional<CauseCandidate> JudgeErrors(const WindowEvidence& c) {
  constexpr double kLeastErrors = 5;
  constexpr double kLeastShare = 0.01;
  const TimeBreakdown& now = c.now.breakdown;
  if (now.by_result.Get(AttemptResult::kError).count < kLeastErrors) return std::nullopt;
  const double before = c.baseline ? ShareOf(c.baseline->breakdown, AttemptResult::kError) : 0;
  if (ShareOf(now, AttemptResult::kError) < std::max(kLeastShare, 2 * before)) return std::nullopt;
  CauseCandidate s{.by_count = true};
  s.evidence.push_back(
      {AttemptCounts(c, AttemptResult::kError), AttemptsQuery(c, AttemptResult::kError)});
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
  const double pending = c.now.pending_active.value_or(0);
  const double rate = c.now.breakdown.e2e.count / std::max(1.0, c.now.breakdown.window.seconds());
  const double before = c.baseline ? c.baseline->pending_active.value_or(0) : 0;
  if (pending < 10 || pending < kSecondsOfWork * rate || pending < 3 * before) return std::nullopt;
  CauseCandidate s{.by_count = true};
  Message text("evidence.backlog", {{"pods", arg::Count(pending)}, {"rate", arg::Number(rate)}});
  if (c.baseline) {
    text.id = "evidence.backlog.baseline";
    text.args.push_back({"before", arg::Count(before)});
  }
  s.evidence.push_back(
      {std::move(text), fmt::format("{}{{queue=\"{}\"}}", NameOf(Metric::kPendingPods),
                                    ToString(kube::QueueName::kActive))});
  s.stands_alone = true;
  s.follows_load = true;
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
