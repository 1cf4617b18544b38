#include <gtest/gtest.h>

#include "diagnose/alert/panel.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::kIncident;
using test::kScrape;

constexpr TimeMs kMinute = 60'000;

std::string P99(const std::string& comparison, const std::string& matchers = "") {
  return "histogram_quantile(0.99, sum by (le) (rate("
         "scheduler_e2e_scheduling_duration_seconds_bucket{" +
         matchers + "}[1m]))) " + comparison;
}

/// The times at which an alert was above in a recording where every tenth attempt of the incident
/// takes about two seconds, of this result.
std::vector<TimeRange> Above(const std::string& expr, const std::string& slow = "scheduled") {
  test::Recorder r;
  test::RecordIncident(&r, [&](int i) {
    if (i % 10) return test::Quick(i);
    test::Attempt attempt{.result = slow, .bind = 2};
    if (slow != "scheduled") attempt.filter = 2;
    return attempt;
  });
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  return TimesAboveThreshold(PlanAlert(QuerySet::Embedded(), facts, histograms, expr), facts,
                             histograms.attempt);
}

TEST(TimesAboveThresholdTest, ReachBackToWhereTheFirstRateAboveItBegan) {
  const auto above = Above(P99("> 1"));
  ASSERT_EQ(above.size(), 1u);
  // Over 1 once more than one attempt of a hundred in the minute before is slow.
  EXPECT_EQ(above[0].start, kIncident.start + 2 * kScrape - kMinute);
  EXPECT_GE(above[0].end, kIncident.end) << "a rate looks back for a minute";
  EXPECT_LE(above[0].end, kIncident.end + kMinute);
}

TEST(TimesAboveThresholdTest, AreNoneForWhatCannotExceed) {
  for (const std::string& expr : {
           P99(""),
           P99("< 1"),
           P99("> 100"),
           std::string("histogram_quantile(0.99, sum by (le) (rate(x_bucket[1m]))) > 1"),
           std::string("sum(rate(scheduler_schedule_attempts_total[1m])) > 1"),
       }) {
    EXPECT_TRUE(Above(expr).empty()) << expr;
  }
}

TEST(TimesAboveThresholdTest, CountOnlyTheResultsThatTheAlertAsksFor) {
  EXPECT_EQ(Above(P99("> 1"), "unschedulable").size(), 1u);
  EXPECT_TRUE(Above(P99("> 1", "result=\"scheduled\""), "unschedulable").empty());
  EXPECT_EQ(Above(P99("> 1", "result=\"unschedulable\""), "unschedulable").size(), 1u);
}

TEST(TimesAboveThresholdTest, AValueOnTheThresholdIsAboveOnlyWhereEqualCounts) {
  // No attempt is quicker than the lowest bound shows, so every look stands at or over zero.
  EXPECT_FALSE(Above(P99(">= 0")).empty());
  EXPECT_EQ(Above(P99("> 0")), Above(P99(">= 0")));
}

}  // namespace
}  // namespace schedlens
