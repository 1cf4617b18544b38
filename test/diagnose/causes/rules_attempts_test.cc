#include <gtest/gtest.h>

#include "diagnose/causes/findings.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;

std::optional<CauseCandidate> JudgeAttempts(const WindowEvidence& c, std::string_view id) {
  for (const CauseRule& rule : Rules()) {
    if (rule.id == id) return rule.judge(c);
  }
  ADD_FAILURE() << "no rule " << id;
  return std::nullopt;
}

TEST(AttemptRulesTest, ErrorsAreAFindingFromOnePercentOn) {
  const auto with_errors = [](int one_in) {
    return test::Judge(
        [one_in](int i) { return i % one_in ? test::Quick(i) : Attempt{.result = "error"}; });
  };
  EXPECT_TRUE(JudgeAttempts(with_errors(20).c, "attempts.error"));
  EXPECT_FALSE(JudgeAttempts(with_errors(500).c, "attempts.error"));
}

TEST(AttemptRulesTest, ABacklogIsMoreThanHalfAMinuteOfAttemptsWaiting) {
  const auto with_pending = [](double pending) {
    test::Recorder r;
    r.Set("scheduler_pending_pods", {{"queue", "active"}}, 0);
    test::RecordIncident(&r, test::Quick, 50, [&](test::Recorder& rec) {
      rec.Set("scheduler_pending_pods", {{"queue", "active"}}, pending);
    });
    return test::Judge(r);
  };
  const auto backlog = JudgeAttempts(with_pending(400).c, "queue.backlog");  // 10 attempts a second
  ASSERT_TRUE(backlog);
  EXPECT_TRUE(backlog->follows_load) << "what holds up the loop makes one too";
  EXPECT_FALSE(JudgeAttempts(with_pending(100).c, "queue.backlog"));
}

TEST(AttemptRulesTest, AQueueThatWasNotScrapedIsNoBacklog) {
  EXPECT_FALSE(JudgeAttempts(test::Judge(test::Quick).c, "queue.backlog"));
}

}  // namespace
}  // namespace schedlens
