#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/collect/facts.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// A series of the labels with a sample at each time.
Series At(const Labels& labels, const std::vector<TimeMs>& times, double value = 1) {
  Series series{labels, {}, {}};
  for (const TimeMs t : times) series.samples.push_back({t, value});
  return series;
}

/// The targets of these attempt series, with what the others add.
std::vector<Target> Found(const std::vector<Series>& own, const std::vector<Series>& others = {}) {
  std::vector<const Series*> pointers;
  for (const Series& series : own) pointers.push_back(&series);
  std::vector<Target> targets = TargetsOf(pointers);
  AddToTargets(others, &targets);
  return targets;
}

// The nodes of a control plane, scraped by one job with the node's name as instance.
const Labels kScheduler({{"job", "control-plane"},
                         {"instance", "cp1"},
                         {"component", "scheduler"}});
const Labels kServer = kScheduler.With("component", "apiserver");

TEST(TargetsOfTest, MeasurementsOfOneProcessAreOneTarget) {
  const auto targets = Found({At(kScheduler.With("result", "scheduled").With("le", "1"), {5, 10}),
                              At(kScheduler.With("result", "error"), {10, 15})});
  ASSERT_THAT(targets, SizeIs(1));
  EXPECT_EQ(targets[0].id, Labels({{"job", "control-plane"}, {"instance", "cp1"}}));
  EXPECT_THAT(targets[0].processes, ElementsAre(kScheduler));
  EXPECT_THAT(targets[0].scrapes, ElementsAre(5, 10, 15));
}

TEST(TargetsOfTest, ATypeThatIsALabelTellsNoProcess) {
  const auto targets = Found(
      {At(kScheduler.With("__type__", "histogram").With("__unit__", "seconds"), {5, 10})},
      {At(kScheduler.With("__type__", "gauge").With(kMetricName, "process_start_time_seconds"),
          {5, 10}, 3)});
  ASSERT_THAT(targets, SizeIs(1));
  EXPECT_THAT(targets[0].processes, ElementsAre(kScheduler));
  EXPECT_THAT(targets[0].starts, ElementsAre(3000));
}

TEST(TargetsOfTest, AnotherComponentOfTheSameNameTellsNothingOfItsRestarts) {
  const auto start = [](const Labels& labels, double seconds) {
    return At(labels.With("__name__", "process_start_time_seconds"), {5000, 10'000}, seconds);
  };
  const std::vector<Series> own = {At(kScheduler, {5000, 10'000})};
  EXPECT_THAT(Found(own, {start(kScheduler, 7.5), start(kServer, 1)})[0].restarts(),
              ElementsAre(7500));
  EXPECT_THAT(Found(own, {start(kScheduler, 1), start(kServer, 7.5)})[0].restarts(), SizeIs(0));
}

TEST(TargetsOfTest, AProcessThatTakesTheNameOfOneThatEndedIsItsRestart) {
  const Labels first = kScheduler.With("uid", "f00"), second = kScheduler.With("uid", "ba7");
  const auto targets =
      Found({At(first, {5000, 10'000}), At(second, {15'000, 20'000})},
            {At(second.With("__name__", "process_start_time_seconds"), {15'000}, 12.0004),
             At(first.With("__name__", "process_start_time_seconds"), {5000}, 1)});
  ASSERT_THAT(targets, SizeIs(1));
  EXPECT_THAT(targets[0].processes, ElementsAre(first, second));
  EXPECT_THAT(targets[0].restarts(), ElementsAre(12'000));
}

TEST(TargetsOfTest, ProcessesThatRunBesideEachOtherAreTwoTargets) {
  const Labels other = kScheduler.With("component", "second-scheduler");
  const auto targets = Found({At(kScheduler, {5, 10}), At(other, {5, 10})});
  ASSERT_THAT(targets, SizeIs(2));
  EXPECT_EQ(targets[0].id, kScheduler);
  EXPECT_EQ(targets[1].id, other);
}

TEST(TargetsOfTest, TheCountAndTheLastBucketCountAll) {
  const auto counts = [](const char* name, const char* le) {
    return CountsAll({{"__name__", name}, {"le", le}});
  };
  EXPECT_TRUE(counts("x_count", ""));
  EXPECT_TRUE(counts("x_bucket", "+Inf"));
  EXPECT_FALSE(counts("x_bucket", "1"));
  EXPECT_FALSE(counts("x_sum", ""));
}

TEST(TargetIndexTest, ASeriesIsOfTheTargetThatItDoesNotContradict) {
  const Labels other = kScheduler.With("component", "second-scheduler");
  const auto targets = Found({At(kScheduler, {5, 10}), At(other, {5, 10})});
  EXPECT_EQ(TargetIndex(targets).Find(other.With("verb", "POST")), 1u);
  EXPECT_EQ(TargetIndex(targets).Find(kServer), std::nullopt);
  EXPECT_EQ(TargetIndex(targets).Find(kScheduler.With("instance", "cp2")), std::nullopt);
  // It could be of either.
  EXPECT_EQ(TargetIndex(targets).Find(kScheduler.Without("component")), std::nullopt);
  const auto one = Found({At(kScheduler, {5})});
  EXPECT_EQ(TargetIndex(one).Find(kScheduler.Without("component")), 0u);
}

}  // namespace
}  // namespace schedlens
