#include "diagnose/episodes/episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "diagnose/episodes/partition.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeMs kColumn = 15'000;
constexpr unsigned kSeeds = 20;

/// What a stretch of columns does.
struct Stretch {
  int columns = 0;
  double slow = 0;     ///< share of pods that take 2 to 8 s
  double errors = 0;   ///< share of attempts
  double rate = 5;     ///< pods a second
  double waiting = 0;  ///< pods in the queue
  bool nobody = false;
  double standing = 0.008;  ///< share that takes 1.1 s, always
};

ColumnCounts Empty(std::size_t columns) {
  ColumnCounts c;
  c.period = 15;
  for (double b = 0.001; b < 20; b *= 2) c.pod_bounds.push_back(b);
  c.pod_bounds.push_back(std::numeric_limits<double>::infinity());
  c.attempt_bounds = c.pod_bounds;
  c.pods = c.attempts = CountTable(columns, c.pod_bounds.size());
  c.results = c.waiting = CountTable(columns, 3);
  c.has_pods = true;
  for (std::size_t i = 0; i <= columns; ++i) c.edges.push_back(static_cast<TimeMs>(i) * kColumn);
  return c;
}

ColumnCounts Play(const std::vector<Stretch>& stretches, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::lognormal_distribution<double> quick(std::log(0.015), 0.5);
  std::size_t columns = 0, column = 0;
  for (const Stretch& s : stretches) columns += static_cast<std::size_t>(s.columns);
  ColumnCounts c = Empty(columns);
  const auto bind = [&](double took) {
    const auto at = std::lower_bound(c.pod_bounds.begin(), c.pod_bounds.end(), took);
    const auto kind = static_cast<std::size_t>(at - c.pod_bounds.begin());
    c.pods.Add(column, kind, 1);
    c.attempts.Add(column, kind, 1);
    c.results.Add(column, 0, 1);
  };
  for (const Stretch& s : stretches) {
    for (int k = 0; k < s.columns; ++k, ++column) {
      c.nobody_here.push_back(s.nobody);
      c.waiting.Set(column, 0, s.waiting);
      const int pods = s.nobody ? 0 : std::poisson_distribution<int>(s.rate * 15)(random);
      for (int p = 0; p < pods; ++p) {
        if (unit(random) < s.errors) {
          c.results.Add(column, 2, 1);
        } else if (unit(random) < s.slow) {
          bind(2 + 6 * unit(random));
        } else {
          bind(unit(random) < s.standing ? 1.1 : quick(random));
        }
      }
    }
  }
  return c;
}

/// Columns at which the episodes begin and end.
std::vector<std::pair<TimeMs, TimeMs>> Found(const std::vector<Stretch>& stretches, unsigned seed) {
  std::vector<std::pair<TimeMs, TimeMs>> columns;
  for (const EpisodeSpan& one : FindEpisodes(Play(stretches, seed)).episodes) {
    columns.emplace_back(one.when.start / kColumn, one.when.end / kColumn);
  }
  return columns;
}

MATCHER_P2(Near, start, end, "") {
  return std::abs(arg.first - start) <= 1 && std::abs(arg.second - end) <= 1;
}

const Stretch kCalm{.columns = 20}, kSlow{.columns = 8, .slow = 0.1};
const Stretch kFailing{.columns = 8, .errors = 0.4};

TEST(FindEpisodesTest, CalmTimeHasNone) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({{.columns = 120}}, seed), IsEmpty()) << seed;
    EXPECT_THAT(Found({{.columns = 8}}, seed), IsEmpty()) << seed;
  }
}

TEST(FindEpisodesTest, OneTwoAndThreeAreFoundToTheColumn) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({kCalm, kSlow, kCalm}, seed), ElementsAre(Near(20, 28))) << seed;
    EXPECT_THAT(Found({kCalm, kSlow, kCalm, kFailing, kCalm}, seed),
                ElementsAre(Near(20, 28), Near(48, 56)))
        << seed;
    EXPECT_THAT(Found({kCalm, kSlow, kCalm, kFailing, kCalm, kSlow, kCalm}, seed),
                ElementsAre(Near(20, 28), Near(48, 56), Near(76, 84)))
        << seed;
  }
}

TEST(FindEpisodesTest, TheCalmLiesBeforeAndAfterAndNeverInAnEpisode) {
  const EpisodeSearch found = FindEpisodes(Play({kCalm, kSlow, kCalm}, 1));
  ASSERT_EQ(found.calm.size(), 2U);
  EXPECT_LE(found.calm[0].end, 21 * kColumn);
  EXPECT_GE(found.calm[1].start, 27 * kColumn);
  EXPECT_LT(found.state.pods_p99, 2);
}

TEST(FindEpisodesTest, DataMayBeginOrEndInTheMiddleOfOne) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({kCalm, kSlow}, seed), ElementsAre(Near(20, 28))) << seed;
    EXPECT_THAT(Found({kSlow, kCalm}, seed), ElementsAre(Near(0, 8))) << seed;
  }
}

TEST(FindEpisodesTest, WithoutCalmAllThatWasLookedAtIsSlow) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const EpisodeSearch found = FindEpisodes(Play({{.columns = 20, .slow = 0.1}}, seed));
    ASSERT_EQ(found.episodes.size(), 1U);
    EXPECT_TRUE(found.episodes[0].standing);
    EXPECT_THAT(found.calm, IsEmpty());
  }
}

TEST(FindEpisodesTest, WhatWasAlwaysThereIsNone) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const ColumnCounts all = Play({{.columns = 60, .standing = 0.08}}, seed);
    const ColumnCounts half = SliceColumns(all, 30, 60);
    const CalmState calm = StateOf(SliceColumns(all, 0, 30));
    EXPECT_THAT(FindEpisodes(half, &calm).episodes, IsEmpty()) << seed;
    EXPECT_THAT(HurtsAgainst(half, calm), IsEmpty()) << seed;
  }
}

TEST(FindEpisodesTest, MoreWorkIsNone) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({{.columns = 30}, {.columns = 30, .rate = 10}}, seed), IsEmpty()) << seed;
  }
}

TEST(FindEpisodesTest, OneThatRisesSlowlyIsFoundBeforeItsEnd) {
  std::vector<Stretch> rising = {{.columns = 30}};
  for (int i = 0; i < 30; ++i) rising.push_back({.columns = 1, .slow = 0.006 * i});
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const auto found = Found(rising, seed);
    ASSERT_FALSE(found.empty()) << seed;
    EXPECT_EQ(found.back().second, 60) << seed;
    EXPECT_LE(found.front().first, 50) << seed;
    EXPECT_GE(found.front().first, 30) << seed;
  }
}

TEST(FindEpisodesTest, NobodyThatLeadsIsOneThoughNoPodSaysSo) {
  const EpisodeSearch found = FindEpisodes(Play({kCalm, {.columns = 5, .nobody = true}, kCalm}, 3));
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_EQ(found.episodes[0].why.at(0).kind, HurtKind::kNobody);
  EXPECT_EQ(found.episodes[0].when.start, 20 * kColumn);
}

TEST(FindEpisodesTest, PodsThatWaitAreOneThoughAllThatAreBoundAreQuick) {
  const EpisodeSearch found = FindEpisodes(Play({kCalm, {.columns = 10, .waiting = 90}, kCalm}, 3));
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_EQ(found.episodes[0].why.at(0).kind, HurtKind::kWaiting);
}

TEST(FindEpisodesTest, NothingComesOfNothing) {
  EXPECT_THAT(FindEpisodes({}).episodes, IsEmpty());
  EXPECT_THAT(FindEpisodes({}).calm, IsEmpty());
  EXPECT_THAT(FindEpisodes(Play({{.columns = 5, .nobody = true}}, 1)).episodes, IsEmpty());
}

TEST(CountTableTest, WhatIsNoCountAddsNothing) {
  CountTable table(1, 2);
  for (const double bad : {std::nan(""), -1.0, 9007199254740994.0, HUGE_VAL}) table.Add(0, 0, bad);
  table.Add(0, 1, 2);
  EXPECT_THAT(table.Sum(0, 1), ElementsAre(0, 2));
}

TEST(PartitionColumnsTest, ALongRangeIsCutAsFinelyAsAShortOne) {
  const ColumnCounts day = Play({{.columns = 1000, .rate = 1},
                                 {.columns = 9, .slow = 0.5, .rate = 1},
                                 {.columns = 991, .rate = 1}},
                                7);
  const std::vector<std::size_t> edges = PartitionColumns(day).edges;
  ASSERT_EQ(edges.size(), 4U);
  EXPECT_NEAR(static_cast<double>(edges[1]), 1000, 1);
  EXPECT_NEAR(static_cast<double>(edges[2]), 1009, 1);
}

TEST(PartitionColumnsTest, ChanceAloneHasNoDispersion) {
  EXPECT_LT(DispersionOf(Play({{.columns = 60}}, 5).pods), 1.3);
}

}  // namespace
}  // namespace schedlens
