#include <gtest/gtest.h>

#include "diagnose/alert/alert.h"

namespace schedlens {
namespace {

TEST(NameOrExpression, WordsLookLikeAName) {
  for (const char* name : {"SchedulerSlow", "scheduler slow", "kube-scheduler.slow", "a:b", "42"}) {
    EXPECT_TRUE(LooksLikeName(name)) << name;
  }
  for (const char* expression : {"", "up > 0", "rate(x[5m])", "{a=1}"}) {
    EXPECT_FALSE(LooksLikeName(expression)) << expression;
  }
}

TEST(NameOrExpression, NumbersKnownMetricsAndReadableWordsAreExpressions) {
  const auto reads = [](const std::string& text) { return ReadsAsExpression(text, {}); };
  for (const char* expression : {"42", "NaN", "-Inf", "scheduler_pending_pods", "up offset 1m",
                                 "up atan2 up", "scheduler_schedule_attempts_total"}) {
    EXPECT_TRUE(reads(expression)) << expression;
  }
  for (const char* name : {"SchedulerSlow", "scheduler_slow", "kube-scheduler-slow", "pods wait"}) {
    EXPECT_FALSE(reads(name)) << name;
  }
}

TEST(NameOrExpression, TheServerIsAskedAboutWordsThatAreNotReadHere) {
  int asked = 0;
  const auto answered = [&asked](const std::string& text) {
    ++asked;
    return text == "up smoothly";
  };
  EXPECT_TRUE(ReadsAsExpression("up smoothly", answered));
  EXPECT_FALSE(ReadsAsExpression("pods wait", answered));
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(ReadsAsExpression("SchedulerSlow", answered));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace schedlens
