#include "diagnose/episodes/episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/episodes/played_counts.h"

namespace schedlens {
namespace {

using test::kColumn;
using test::Play;
using test::Stretch;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr unsigned kSeeds = 20;

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

TEST(FindEpisodesTest, AMinuteOfCalmPartsWhatLooksAlikeAndLessDoesNot) {
  const Stretch slow{.columns = 20, .slow = 0.08};
  const auto with_calm_between = [&](int columns) {
    return std::vector<Stretch>{kCalm, slow, {.columns = columns}, slow, kCalm};
  };
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found(with_calm_between(6), seed), ElementsAre(Near(20, 40), Near(46, 66))) << seed;
    EXPECT_THAT(Found(with_calm_between(2), seed), ElementsAre(Near(20, 62))) << seed;
    EXPECT_EQ(FindEpisodes(Play(with_calm_between(6), seed)).calm.size(), 3U) << seed;
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

TEST(FindEpisodesTest, ABacklogBoundAtOnceByAProcessThatStartedInTheHoleHadWaited) {
  // Nobody answers from 300 to 390 s; all that is due by 405 s is bound, and counted as quick.
  const Stretch hole{.columns = 6, .nobody = true};
  const Stretch burst{.columns = 1, .rate = 5 * 7, .standing = 0};
  const struct {
    const char* name;
    std::vector<TimeMs> starts;
    bool nobody;
  } cases[] = {
      {"the process that was there", {}, false},
      {"it started before the hole", {100'000}, false},
      {"at once", {301'000}, false},
      {"in the first half", {330'000}, false},
      {"in the last half", {375'000}, true},
      {"before the first good scrape", {395'000}, true},
      {"twice: the last one counts", {301'000, 395'000}, true},
      {"after the hole", {410'000}, false},
  };
  for (const auto& c : cases) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      ColumnCounts counts = Play({kCalm, hole, burst, kCalm}, seed);
      counts.starts = c.starts;
      const auto episodes = FindEpisodes(counts).episodes;
      ASSERT_EQ(episodes.size(), c.nobody ? 1U : 0U) << c.name << " " << seed;
      if (!c.nobody) continue;
      EXPECT_EQ(episodes[0].why.at(0).kind, HurtKind::kNobody) << c.name << " " << seed;
      EXPECT_EQ(episodes[0].when, (TimeRange{20 * kColumn, 27 * kColumn})) << c.name << " " << seed;
    }
  }
}

TEST(FindEpisodesTest, PodsThatWaitAreOneThoughAllThatAreBoundAreQuick) {
  const EpisodeSearch found = FindEpisodes(Play({kCalm, {.columns = 10, .waiting = 90}, kCalm}, 3));
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_EQ(found.episodes[0].why.at(0).kind, HurtKind::kWaiting);
}

/// What was invented, and where its incidents lie, in columns.
struct History {
  std::vector<Stretch> stretches;
  struct Incident {
    TimeMs start, end;
    bool fails;  ///< else attempts are slow
  };
  std::vector<Incident> incidents;
};

/// None, one or two incidents between calm stretches; in half of the histories the process restarts
/// within each of these, which one scrape does not see.
History Invent(unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  History history;
  int column = 0;
  const auto add = [&](Stretch stretch) {
    stretch.standing = 0;
    column += stretch.columns;
    history.stretches.push_back(stretch);
  };
  const auto calm = [&] {
    add({.columns = between(12, 30)});
    if (seed / 3 % 2 == 0) return;
    add({.columns = 1, .nobody = true});
    add({.columns = between(12, 30)});
  };
  calm();
  for (unsigned i = 0; i < seed % 3; ++i) {
    const bool fails = between(0, 1) == 1;
    const int start = column;
    add({.columns = between(5, 12), .slow = fails ? 0 : 0.15, .errors = fails ? 0.4 : 0});
    history.incidents.push_back({start, column, fails});
    calm();
  }
  return history;
}

void LeaveOutPods(ColumnCounts* counts) {
  counts->pods = CountTable();
  counts->pod_bounds.clear();
  counts->has_pods = false;
}

TEST(FindEpisodesTest, WhatWasInventedIsFound) {
  constexpr unsigned kHistories = 60;
  const struct {
    const char* name;
    void (*leave_out)(ColumnCounts*);
    bool sees_failures;
  } cases[] = {
      {"all metrics", [](ColumnCounts*) {}, true},
      {"attempts alone", LeaveOutPods, true},
      {"pods alone",
       [](ColumnCounts* c) {
         c->attempts = CountTable();
         c->attempt_bounds.clear();
         c->results = CountTable(c->columns(), 3);
       },
       false},
  };
  for (unsigned seed = 0; seed < kHistories; ++seed) {
    const History history = Invent(seed);
    const ColumnCounts all = Play(history.stretches, seed);
    for (const auto& c : cases) {
      ColumnCounts counts = all;
      c.leave_out(&counts);
      std::vector<History::Incident> expected = history.incidents;
      if (!c.sees_failures) std::erase_if(expected, [](const auto& one) { return one.fails; });
      const auto found = FindEpisodes(counts).episodes;
      ASSERT_EQ(found.size(), expected.size()) << c.name << " " << seed;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const TimeRange& when = found[i].when;
        EXPECT_LE(std::abs(when.start / kColumn - expected[i].start), 1) << c.name << " " << seed;
        EXPECT_LE(std::abs(when.end / kColumn - expected[i].end), 1) << c.name << " " << seed;
        EXPECT_FALSE(found[i].standing) << c.name << " " << seed;
      }
    }
  }
}

TEST(FindEpisodesTest, AShortOneThatHurtsManyIsToldAtItsUsualLength) {
  const Stretch cases[] = {{.columns = 2, .slow = 0.4},
                           {.columns = 1, .slow = 0.5},
                           {.columns = 2, .errors = 0.5},
                           {.columns = 1, .errors = 0.6}};
  for (const Stretch& brief : cases) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      EXPECT_THAT(Found({kCalm, brief, kCalm}, seed), ElementsAre(Near(20, 24)))
          << brief.columns << " " << brief.errors << " " << seed;
      ColumnCounts attempts = Play({kCalm, brief, kCalm}, seed);
      LeaveOutPods(&attempts);
      EXPECT_EQ(FindEpisodes(attempts).episodes.size(), 1U)
          << brief.columns << " " << brief.errors << " " << seed;
    }
  }
}

TEST(FindEpisodesTest, AShortRangeIsJudgedToo) {
  const CalmState calm = StateOf(Play({{.columns = 40}}, 99));
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    for (int columns = 1; columns < 4; ++columns) {
      const ColumnCounts slow = Play({{.columns = columns, .slow = 0.4}}, seed);
      ASSERT_EQ(FindEpisodes(slow, &calm).episodes.size(), 1U) << seed << " " << columns;
      EXPECT_FALSE(FindEpisodes(slow, &calm).episodes[0].standing);
      ASSERT_EQ(FindEpisodes(slow).episodes.size(), 1U) << seed << " " << columns;
      EXPECT_TRUE(FindEpisodes(slow).episodes[0].standing) << "there is nothing else";
      const ColumnCounts quick = Play({{.columns = columns, .standing = 0}}, seed);
      EXPECT_THAT(FindEpisodes(quick).episodes, IsEmpty()) << seed << " " << columns;
      EXPECT_THAT(FindEpisodes(quick, &calm).episodes, IsEmpty()) << seed << " " << columns;
    }
  }
}

/// A hundred quick pods a column, and so many that waited one to two minutes.
ColumnCounts WithLate(const std::vector<double>& late) {
  ColumnCounts c;
  c.period = 15;
  c.pod_bounds = {0.064, 64, 128, HUGE_VAL};
  c.pods = CountTable(late.size(), 4);
  c.results = c.waiting = CountTable(late.size(), 3);
  c.has_pods = true;
  c.nobody_here.resize(late.size());
  for (std::size_t i = 0; i <= late.size(); ++i) {
    c.edges.push_back(static_cast<TimeMs>(i) * kColumn);
    if (i == late.size()) break;
    c.pods.Set(i, 0, 100);
    c.pods.Set(i, 2, late[i]);
  }
  return c;
}

TEST(FindEpisodesTest, WhatIsBoundLateHurtWhileItWaited) {
  std::vector<double> late(40);
  late[20] = 50;
  ColumnCounts counts = WithLate(late);
  for (std::size_t i = 12; i < 20; ++i) counts.waiting.Set(i, 2, 50);
  const EpisodeSearch found = FindEpisodes(counts);
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_EQ(found.episodes[0].when, (TimeRange{12 * kColumn, 21 * kColumn}));
  const auto& why = found.episodes[0].why;
  EXPECT_TRUE(std::any_of(why.begin(), why.end(), [](const Hurt& one) {
    return one.kind == HurtKind::kLate && one.value == 50;
  }));
  EXPECT_THAT(found.calm,
              ElementsAre(TimeRange{0, 12 * kColumn}, TimeRange{21 * kColumn, 40 * kColumn}));
}

TEST(FindEpisodesTest, AFewLatePodsDoNotJoinWhatLiesMinutesApart) {
  std::vector<double> late(120);
  late[80] = 2;
  ColumnCounts counts = WithLate(late);
  for (const std::size_t start : {20U, 74U}) {
    for (std::size_t i = start; i < start + 8; ++i) counts.results.Set(i, 2, 50);
  }
  for (std::size_t i = 0; i < 120; ++i) counts.results.Set(i, 0, 100);
  std::vector<TimeRange> when;
  for (const EpisodeSpan& one : FindEpisodes(counts).episodes) when.push_back(one.when);
  EXPECT_THAT(when, ElementsAre(TimeRange{20 * kColumn, 28 * kColumn},
                                TimeRange{74 * kColumn, 82 * kColumn}));
}

TEST(FindEpisodesTest, TouchingOnesAreTwoWhereTheyHurtInOtherWaysAndOneIsFarWorse) {
  const Stretch worse{.columns = 8, .slow = 0.6}, mild{.columns = 8, .slow = 0.06};
  const Stretch failing{.columns = 8, .errors = 0.97};
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({kCalm, kSlow, worse, kCalm}, seed), ElementsAre(Near(20, 36))) << seed;
    EXPECT_THAT(Found({kCalm, mild, failing, kCalm}, seed), ElementsAre(Near(20, 28), Near(28, 36)))
        << seed;
  }
}

TEST(FindEpisodesTest, ASingleCalmColumnPartsNothing) {
  const Stretch worse{.columns = 8, .slow = 0.5}, pause{.columns = 1, .rate = 40};
  const Stretch longer{.columns = 8};
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({kCalm, worse, pause, worse, kCalm}, seed), ElementsAre(Near(20, 37)))
        << seed;
    EXPECT_THAT(Found({kCalm, worse, longer, worse, kCalm}, seed),
                ElementsAre(Near(20, 28), Near(36, 44)))
        << seed;
  }
}

TEST(FindEpisodesTest, BriefOnesThatComeAgainWithinAMinuteAreOne) {
  const Stretch brief{.columns = 1, .slow = 0.5}, pause{.columns = 3}, longer{.columns = 6};
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({kCalm, brief, pause, brief, pause, brief, kCalm}, seed),
                ElementsAre(Near(20, 29)))
        << seed;
    EXPECT_THAT(Found({kCalm, brief, longer, brief, kCalm}, seed),
                ElementsAre(Near(20, 24), Near(27, 31)))
        << seed;
  }
}

TEST(FindEpisodesTest, AShortTimeOfNobodyInAnEpisodePartsNothing) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(Found({kCalm, kSlow, {.columns = 2, .nobody = true}, kSlow, kCalm}, seed),
                ElementsAre(Near(20, 38)))
        << seed;
  }
}

TEST(FindEpisodesTest, TenMinutesOfNobodyAreWorseThanTwoOfSlowPods) {
  const auto found =
      FindEpisodes(Play({kCalm, kSlow, kCalm, {.columns = 40, .nobody = true}, kCalm}, 1)).episodes;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_GT(found[1].severity, found[0].severity);
}

TEST(FindEpisodesTest, WhatIsToldOfAnEpisodeIsTrueOfAllOfIt) {
  // Less and less of it is slow.
  const auto found = FindEpisodes(
      Play({kCalm, {.columns = 8, .slow = 0.5}, {.columns = 8, .slow = 0.3}, kCalm}, 1));
  ASSERT_EQ(found.episodes.size(), 1U);
  const Hurt& why = found.episodes[0].why.at(0);
  EXPECT_EQ(why.kind, HurtKind::kTail);
  EXPECT_NEAR(why.share, 0.4 * (8.192 - why.value) / 6 * 6 / 6.192, 0.2);
  EXPECT_LT(why.share, 0.45);
}

TEST(FindEpisodesTest, PodsThatAreAlwaysLateAreNone) {
  const EpisodeSearch found = FindEpisodes(WithLate(std::vector<double>(40, 1.5)));
  EXPECT_THAT(found.episodes, IsEmpty());
  EXPECT_THAT(found.also_seen, IsEmpty());
  EXPECT_THAT(found.calm, ElementsAre(TimeRange{0, 40 * kColumn}));
}

TEST(WithoutTest, LeavesWhatLiesBesideIt) {
  const std::vector<TimeRange> all = {{0, 10}, {20, 30}};
  const struct {
    TimeRange other;
    std::vector<TimeRange> left;
  } cases[] = {
      {{10, 20}, all},
      {{40, 50}, all},
      {{5, 5}, all},
      {{2, 4}, {{0, 2}, {4, 10}, {20, 30}}},
      {{5, 25}, {{0, 5}, {25, 30}}},
      {{-5, 10}, {{20, 30}}},
      {{0, 30}, {}},
  };
  for (const auto& c : cases) EXPECT_EQ(Without(all, c.other), c.left) << c.other.start;
  EXPECT_THAT(Without({}, {0, 10}), IsEmpty());
}

TEST(FindEpisodesTest, NothingComesOfNothing) {
  EXPECT_THAT(FindEpisodes({}).episodes, IsEmpty());
  EXPECT_THAT(FindEpisodes({}).calm, IsEmpty());
  EXPECT_THAT(FindEpisodes(Play({{.columns = 5, .nobody = true}}, 1)).episodes, IsEmpty());
}

}  // namespace
}  // namespace schedlens
