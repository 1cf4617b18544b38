#include "kube/discovery.h"

#include <gtest/gtest.h>

#include <regex>

#include "kube/metrics.h"

namespace schedlens::kube {
namespace {

Labels Scheduler(const char* job, const char* pod) { return Labels({{"job", job}, {"pod", pod}}); }

TEST(JobMatcher, NamesEachJobOnce) {
  EXPECT_EQ(JobMatcher({Scheduler("b", "1"), Scheduler("a", "2"), Scheduler("b", "3")}),
            "job=~\"a|b\"");
  EXPECT_EQ(JobMatcher({Scheduler("a.b", "1")}), R"(job=~"a\\.b")");
}

TEST(JobMatcher, IsEmptyWhereItWouldMissOne) {
  EXPECT_EQ(JobMatcher({}), "");
  EXPECT_EQ(JobMatcher({Scheduler("a", "1"), Labels({{"pod", "2"}})}), "");
}

TEST(OwnCounts, AreTheHistogramsOfAttemptsAndAlgorithm) {
  const std::regex own(std::string(kOwnPrefix) + std::string(kOwnCounts));
  for (const MetricRow& row : MetricTable()) {
    const bool is_own =
        row.id == Metric::kAttempt || row.id == Metric::kE2e || row.id == Metric::kAlgorithm;
    EXPECT_EQ(std::regex_match(std::string(row.name) + "_count", own), is_own) << row.name;
  }
}

}  // namespace
}  // namespace schedlens::kube
