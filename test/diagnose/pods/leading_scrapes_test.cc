#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "diagnose/pods/holders.h"

namespace schedlens {
namespace {

using kube::QueueName;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr double kNoSample = std::numeric_limits<double>::quiet_NaN();
constexpr TimeMs kThirtySeconds = 30'000;

/// Schedulers that are scraped together, every thirty seconds from 0.
Facts SchedulersScraped(const std::vector<std::string>& instances, int times) {
  Facts facts;
  for (const std::string& instance : instances) {
    Target target{
        .id = Labels({{"instance", instance}}), .scrapes = {}, .starts = {}, .processes = {}};
    for (int i = 0; i < times; ++i) target.scrapes.push_back(i * kThirtySeconds);
    facts.targets.push_back(std::move(target));
  }
  return facts;
}

/// A series with one value a scrape, from the first on.
void Answer(Facts* facts, const std::string& question, std::vector<Labels::Pair> labels,
            const std::vector<double>& values, const std::string& instance = "a") {
  labels.emplace_back("instance", instance);
  Series series{Labels(std::move(labels)), {}, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    series.samples.push_back({static_cast<TimeMs>(i) * kThirtySeconds, values[i]});
  }
  facts->answers[question].push_back(std::move(series));
}

template <typename Field>
std::vector<double> Each(const std::vector<LeadingScrape>& scrapes, Field field) {
  std::vector<double> all;
  for (const LeadingScrape& one : scrapes) all.push_back(std::invoke(field, one));
  return all;
}

std::vector<double> PodsIn(const std::vector<LeadingScrape>& scrapes, QueueName queue) {
  return Each(scrapes, [&](const LeadingScrape& one) { return one.pods[queue]; });
}

std::vector<double> EnteredInto(const std::vector<LeadingScrape>& scrapes, QueueName queue) {
  return Each(scrapes, [&](const LeadingScrape& one) { return one.entered[queue]; });
}

std::vector<bool> Counted(const std::vector<LeadingScrape>& scrapes) {
  std::vector<bool> all;
  for (const LeadingScrape& one : scrapes) all.push_back(one.counted);
  return all;
}

TEST(LeadingScrapesTest, TheOnlySchedulerLeadsWithoutAnElection) {
  Facts facts = SchedulersScraped({"a"}, 3);
  Answer(&facts, "pending_pods", {{"queue", "active"}}, {4, 5, 6});
  Answer(&facts, "pending_pods", {{"queue", "gated"}}, {1, 0, 2});
  Answer(&facts, "goroutines", {{"operation", "binding"}}, {7, 8, 9});
  const auto scrapes = LeadingScrapesOf(facts);
  EXPECT_THAT(Each(scrapes, &LeadingScrape::at), ElementsAre(0, 30'000, 60'000));
  EXPECT_THAT(PodsIn(scrapes, QueueName::kActive), ElementsAre(4, 5, 6));
  EXPECT_THAT(PodsIn(scrapes, QueueName::kGated), ElementsAre(1, 0, 2));
  EXPECT_THAT(PodsIn(scrapes, QueueName::kBackoff), ElementsAre(0, 0, 0));
  EXPECT_THAT(Each(scrapes, &LeadingScrape::binding), ElementsAre(7, 8, 9));
  EXPECT_THAT(Counted(scrapes), ElementsAre(true, true, true));
}

TEST(LeadingScrapesTest, QueuesOfAStandbyAreNotRead) {
  Facts facts = SchedulersScraped({"a", "b"}, 4);
  Answer(&facts, "leader", {}, {1, 1, 0, 0}, "a");
  Answer(&facts, "leader", {}, {0, 0, 0, 1}, "b");
  Answer(&facts, "pending_pods", {{"queue", "active"}}, {1, 2, 100, 100}, "a");
  Answer(&facts, "pending_pods", {{"queue", "active"}}, {100, 100, 100, 4}, "b");
  Answer(&facts, "goroutines", {}, {50, 50, 50, 3}, "b");
  const auto scrapes = LeadingScrapesOf(facts);
  EXPECT_THAT(Each(scrapes, &LeadingScrape::at), ElementsAre(0, 30'000, 90'000))
      << "nobody led at 60 s";
  EXPECT_THAT(Each(scrapes, &LeadingScrape::target), ElementsAre(0, 0, 1));
  EXPECT_THAT(PodsIn(scrapes, QueueName::kActive), ElementsAre(1, 2, 4));
  EXPECT_THAT(Each(scrapes, &LeadingScrape::binding), ElementsAre(0, 0, 3));
}

TEST(LeadingScrapesTest, NobodyKnowsWhoLeadsWithoutAnElectionThatSaysSo) {
  const struct {
    const char* name;
    std::vector<std::string> instances;
    std::vector<double> leader_of_a;
    std::size_t scrapes;
  } cases[] = {
      {"one, no election", {"a"}, {}, 2},
      {"one that never leads", {"a"}, {0, 0}, 0},
      {"two, no election", {"a", "b"}, {}, 0},
      {"two, none ever leads", {"a", "b"}, {0, 0}, 0},
      {"two, one says that it leads", {"a", "b"}, {1, 1}, 2},
      {"none at all", {}, {}, 0},
  };
  for (const auto& c : cases) {
    Facts facts = SchedulersScraped(c.instances, 2);
    for (const std::string& instance : c.instances) {
      Answer(&facts, "pending_pods", {{"queue", "active"}}, {1, 1}, instance);
    }
    if (!c.leader_of_a.empty()) Answer(&facts, "leader", {}, c.leader_of_a, "a");
    EXPECT_EQ(LeadingScrapesOf(facts).size(), c.scrapes) << c.name;
  }
}

TEST(LeadingScrapesTest, QueuesBelowZeroAndWithoutAGaugeAreNotCounted) {
  Facts facts = SchedulersScraped({"a"}, 5);
  Answer(&facts, "pending_pods", {{"queue", "active"}}, {3, 3, kNoSample, kNoSample, 0});
  Answer(&facts, "pending_pods", {{"queue", "backoff"}}, {2, -1, kNoSample, 1, 0});
  EXPECT_THAT(Counted(LeadingScrapesOf(facts)), ElementsAre(true, false, false, true, true));
  EXPECT_THAT(Counted(LeadingScrapesOf(SchedulersScraped({"a"}, 2))), ElementsAre(false, false))
      << "the scrapes are there, their queues are not";
}

TEST(LeadingScrapesTest, MembersOfIncompleteGroupsAreBehindAGate) {
  Facts facts = SchedulersScraped({"a"}, 4);
  Answer(&facts, "pending_pods", {{"queue", "gated"}}, {2, 2, 2, 2});
  Answer(&facts, "pending_pods", {{"queue", "incomplete"}}, {0, 5, 0, 0});
  Answer(&facts, "pending_pods", {{"queue", "pending"}}, {0, 0, 3, 0});
  const auto scrapes = LeadingScrapesOf(facts);
  EXPECT_THAT(PodsIn(scrapes, QueueName::kGated), ElementsAre(2, 7, 2, 2));
  EXPECT_THAT(PodsIn(scrapes, QueueName::kActive), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Each(scrapes, &LeadingScrape::groups), ElementsAre(0, 1, 1, 0));
}

TEST(LeadingScrapesTest, WhatEnteredIsACountersIncreaseSinceTheScrapeBefore) {
  const struct {
    const char* name;
    std::vector<double> counter, entered;
  } cases[] = {
      {"it grows", {5, 8, 8, 20}, {0, 3, 0, 12}},
      {"a reset begins at zero", {50, 60, 4, 9}, {0, 10, 4, 5}},
      {"a series that comes later began at zero", {kNoSample, kNoSample, 6, 7}, {0, 0, 6, 1}},
      {"a scrape without it is made up by the next", {5, kNoSample, 9, 9}, {0, 0, 4, 0}},
      {"no counter counts so far", {5, 1e18, 7, 7}, {0, 0, 2, 0}},
  };
  for (const auto& c : cases) {
    Facts facts = SchedulersScraped({"a"}, 4);
    Answer(&facts, "queue_incoming", {{"queue", "active"}, {"event", "PodAdd"}}, c.counter);
    const auto scrapes = LeadingScrapesOf(facts);
    EXPECT_EQ(EnteredInto(scrapes, QueueName::kActive), c.entered) << c.name;
    EXPECT_EQ(Each(scrapes, &LeadingScrape::created), c.entered) << c.name;
  }
}

TEST(LeadingScrapesTest, WhatAStandbyCountsUntilItLeadsIsLeftOut) {
  Facts facts = SchedulersScraped({"a", "b"}, 4);
  Answer(&facts, "leader", {}, {1, 1, 0, 0}, "a");
  Answer(&facts, "leader", {}, {0, 0, 1, 1}, "b");
  const std::vector<Labels::Pair> added = {{"queue", "active"}, {"event", "PodAdd"}};
  Answer(&facts, "queue_incoming", added, {10, 14, 99, 99}, "a");
  Answer(&facts, "queue_incoming", added, {700, 800, 806, 813}, "b");
  EXPECT_THAT(EnteredInto(LeadingScrapesOf(facts), QueueName::kActive), ElementsAre(0, 4, 6, 7));
}

TEST(LeadingScrapesTest, TheEventSaysWhyPodsEntered) {
  const struct {
    const char* event;
    double created, flushed, woken, from_early;
  } cases[] = {
      {"PodAdd", 9, 0, 0, 0},
      {"UnschedulablePodAdd", 9, 0, 0, 0},
      {"UnschedulableTimeout", 0, 9, 0, 0},
      {"PopFromBackoffQ", 0, 0, 0, 9},
      {"ScheduleAttemptFailure", 0, 0, 0, 0},
      {"BackoffComplete", 0, 0, 0, 0},
      {"NodeAdd", 0, 0, 9, 0},
      {"AssignedPodDelete", 0, 0, 9, 0},
      {"UnschedulablePodUpdatePodSchedulingGatesEliminated", 0, 0, 9, 0},
  };
  for (const auto& c : cases) {
    Facts facts = SchedulersScraped({"a"}, 2);
    Answer(&facts, "queue_incoming", {{"queue", "backoff"}, {"event", c.event}}, {1, 10});
    const auto scrapes = LeadingScrapesOf(facts);
    ASSERT_EQ(scrapes.size(), 2U);
    EXPECT_EQ(scrapes[1].entered[QueueName::kBackoff], 9) << c.event;
    EXPECT_EQ(scrapes[1].created, c.created) << c.event;
    EXPECT_EQ(scrapes[1].flushed, c.flushed) << c.event;
    EXPECT_EQ(scrapes[1].woken, c.woken) << c.event;
    EXPECT_EQ(scrapes[1].from_early, c.from_early) << c.event;
  }
}

TEST(LeadingScrapesTest, TheUsualIntervalIsTheMedian) {
  const auto usual = [](const std::vector<TimeMs>& times) {
    std::vector<LeadingScrape> scrapes;
    for (const TimeMs at : times) scrapes.emplace_back().at = at;
    return UsualInterval(scrapes);
  };
  EXPECT_EQ(usual({}), 0);
  EXPECT_EQ(usual({5'000}), 0);
  EXPECT_EQ(usual({0, 15'000}), 15'000);
  EXPECT_EQ(usual({0, 30'000, 60'000, 360'000}), 30'000) << "an outage is not usual";
}

}  // namespace
}  // namespace schedlens
