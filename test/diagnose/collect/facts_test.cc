#include "diagnose/collect/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "diagnose/recorder.h"

namespace schedlens {
namespace {

using test::Recorder;
using test::SelectorSource;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Recorder TwoScrapes() {
  Recorder r;
  r.Set("process_start_time_seconds", {}, 1);
  r.Run({});
  r.Scrape(10'000);
  r.Run({});
  r.Run({});
  r.Scrape(15'000);
  return r;
}

TEST(CollectTest, FindsTheTargetAndItsScrapes) {
  const Facts facts = FactsOf(TwoScrapes());
  ASSERT_EQ(facts.targets.size(), 1u);
  EXPECT_THAT(facts.targets[0].scrapes, ElementsAre(10'000, 15'000));
  EXPECT_TRUE(facts.targets[0].restarts().empty());
}

TEST(CollectTest, WithoutASelectorTheSchedulersJobSelectsTheRest) {
  SelectorSource source(TwoScrapes().series());
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {9'999, 15'000});
  EXPECT_EQ(facts.selector, "job=~\"kube-scheduler\"");
  EXPECT_THAT(source.asked, Contains(HasSubstr("process_start_time_seconds\", job=~")));
}

TEST(CollectTest, EachTargetKeepsTheFirstWordingItAnswers) {
  // One replica of 1.23 exports both e2e names, one of 1.20 only the old one.
  std::vector<Series> series = TwoScrapes().series();
  for (Series s : TwoScrapes().series()) {
    const std::string name(s.labels.Get("__name__"));
    const Labels other = s.labels.With("instance", "10.0.0.2:10259");
    series.push_back({other, s.samples, {}});
    if (name.starts_with("scheduler_e2e")) {
      const std::string renamed =
          "scheduler_scheduling_attempt_duration" + name.substr(name.find("_seconds"));
      series.push_back({other.With("__name__", renamed), s.samples, {}});
    }
  }
  SelectorSource source(series);
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {9'999, 15'000});
  EXPECT_EQ(facts.targets.size(), 2u);
  const auto cells = CellsOf(HistogramOf(facts, "attempt"), facts.targets, {10'000, 15'000});
  ASSERT_EQ(cells.size(), 2u);
  for (const ScrapeIncreases& c : cells) EXPECT_EQ(TotalCount(c), 2) << c.labels.ToString();

  // The old name of the newer replica is kept apart: a second histogram of the same attempts.
  ASSERT_FALSE(facts.superseded.empty());
  std::set<Labels> once;
  for (const Series& one : facts.superseded) {
    EXPECT_TRUE(once.insert(one.labels).second) << one.labels.ToString();
    EXPECT_EQ(one.labels.Get("instance"), "10.0.0.2:10259");
    EXPECT_TRUE(one.labels.Get("__name__").starts_with("scheduler_e2e"));
  }
}

TEST(CollectTest, WithoutASchedulerOnlyItsOwnMetricsAreAskedFor) {
  SelectorSource source({});
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {0, 1000});
  EXPECT_TRUE(facts.targets.empty());
  EXPECT_EQ(source.asked.size(), 3u);
}

TEST(TargetTest, AProcessStartAfterTheFirstScrapeIsARestart) {
  Recorder r;
  r.Set("process_start_time_seconds", {}, 1);
  r.Run({});
  r.Scrape(10'000);
  r.Restart(12'000);
  r.Run({});
  r.Scrape(15'000);
  EXPECT_THAT(FactsOf(r).targets[0].restarts(), ElementsAre(12'000));
}

}  // namespace
}  // namespace schedlens
