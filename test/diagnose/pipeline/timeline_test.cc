#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/incident.h"
#include "diagnose/pipeline/diagnose.h"

namespace schedlens {
namespace {

TEST(TimelineTest, AColumnHoldsItsIntervalsAttempts) {
  test::Recorder r;
  r.Set("scheduler_pending_pods", {{"queue", "active"}}, 4);
  test::RecordIncident(
      &r, [](int i) { return i % 5 ? test::Quick(i) : test::Attempt{.result = "unschedulable"}; });
  const Facts facts = FactsOf(r);
  const HistogramFacts attempt = HistogramOf(facts, "attempt");
  const Timeline timeline = MakeTimeline(facts, attempt, facts.fetched);
  ASSERT_EQ(timeline.times.size(), 70u);
  EXPECT_EQ(timeline.scheduled[0], 50);
  EXPECT_EQ(timeline.failed[25], 10);
  EXPECT_EQ(timeline.pending_active[0], 4);
  EXPECT_TRUE(std::isnan(timeline.binding[0]));
  EXPECT_TRUE(std::isinf(timeline.bounds.back()));
}

TEST(TimelineTest, NothingScrapedNothingShown) {
  EXPECT_TRUE(MakeTimeline({}, {}, {0, 1000}).times.empty());
}

}  // namespace
}  // namespace schedlens
