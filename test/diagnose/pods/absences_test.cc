#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/control_plane/state_metrics.h"
#include "diagnose/pods/holders.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::At;
using testing_support::kStart;
using testing_support::Range;
using testing_support::StateMetrics;

/// Seconds from kStart on.
std::vector<double> Seconds(const BoundedTime& time) {
  return {MsToSeconds(time.low - At(0)), MsToSeconds(time.value - At(0)),
          MsToSeconds(time.high - At(0))};
}

/// Who led when, every thirty seconds from 0 to 600 but where somebody was away.
struct Scheduling {
  Facts facts;
  std::vector<LeadingScrape> scrapes;
  std::vector<ScrapeIncreases> attempt;
  ControlPlaneFacts control_plane;

  std::vector<Absence> Find(const TimeRange& window = Range(0, 600)) const {
    return FindAbsences(facts, scrapes, attempt, control_plane, window);
  }
};

Target TargetNamed(Labels id, const std::vector<LeadingScrape>& scrapes, std::size_t number) {
  Target target{.id = std::move(id), .scrapes = {}, .starts = {}, .processes = {}};
  for (const LeadingScrape& one : scrapes) {
    if (one.target == number) target.scrapes.push_back(one.at);
  }
  return target;
}

/// Scraped until `last` and from `next` on; then by another scheduler where it was `handed` over.
Scheduling Away(double last, double next, bool handed = false) {
  Scheduling out;
  for (double t = 0; t <= 600; t += 30) {
    if (t > last && t < next) continue;
    LeadingScrape& one = out.scrapes.emplace_back();
    one.at = At(t);
    one.target = handed && t >= next ? 1 : 0;
  }
  out.facts.targets.push_back(TargetNamed(Labels({{"instance", "one"}}), out.scrapes, 0));
  if (handed) {
    out.facts.targets.push_back(TargetNamed(Labels({{"instance", "two"}}), out.scrapes, 1));
  }
  return out;
}

/// Attempts that ended between the scrapes: as many each, and `away` in the longest cell.
void CountAttempts(Scheduling* out, double each, double away) {
  ScrapeIncreases cells;
  cells.bounds = {1};
  for (const LeadingScrape& one : out->scrapes) cells.edges.push_back(one.at);
  for (std::size_t i = 1; i < cells.edges.size(); ++i) {
    cells.buckets.push_back(cells.edges[i] - cells.edges[i - 1] > 30'000 ? away : each);
    cells.sums.push_back(0.01);
  }
  cells.reset.assign(cells.sums.size(), false);
  out->attempt = {cells};
}

/// Pods scheduled every so many seconds, but for the time between two that were.
void Schedule(Scheduling* out, double each, double before, double after) {
  StateMetrics ksm;
  int number = 0;
  for (double t = 1; t <= 590; t += each) {
    if (t > before && t < after) continue;
    ksm.Pod("shop", "pod-" + std::to_string(number++), "", t, 0);
  }
  out->control_plane = ksm.Facts();
}

TEST(FindAbsencesTest, AProcessThatStartedAnewWasDownFromTheLastScrapeToItsStart) {
  Scheduling one = Away(120, 240);
  one.facts.targets[0].starts = {At(-1000), At(200)};
  const auto found = one.Find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "scheduler.down");
  EXPECT_EQ(found[0].object, "one");
  EXPECT_EQ(found[0].before, At(120));
  EXPECT_EQ(found[0].after, At(240));
  EXPECT_THAT(Seconds(found[0].start), ElementsAre(120, 135, 150));
  EXPECT_THAT(Seconds(found[0].end), ElementsAre(200, 210, 220)) << "until it leads";
  EXPECT_FALSE(found[0].keeps_queues);
  EXPECT_DOUBLE_EQ(found[0].Seconds(), 75);
}

TEST(FindAbsencesTest, AQuickRestartIsBetweenTwoUsualScrapes) {
  Scheduling one = Away(120, 150);
  one.facts.targets[0].starts = {At(130)};
  const auto found = one.Find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "scheduler.down");
  EXPECT_THAT(Seconds(found[0].start), ElementsAre(120, 130, 130)) << "it began again by then";
  EXPECT_THAT(Seconds(found[0].end), ElementsAre(130, 140, 150)) << "leads when it is scraped";
  one.facts.targets[0].starts = {At(-1000)};
  EXPECT_THAT(one.Find(), IsEmpty());
}

TEST(FindAbsencesTest, AFailoverTakesUntilTheOtherLeads) {
  Scheduling one = Away(120, 210, true);
  const auto found = one.Find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "scheduler.no-leader");
  EXPECT_EQ(found[0].object, "one");
  EXPECT_THAT(Seconds(found[0].start), ElementsAre(120, 135, 150));
  EXPECT_THAT(Seconds(found[0].end), ElementsAre(180, 195, 210));
  EXPECT_FALSE(found[0].keeps_queues);
}

TEST(FindAbsencesTest, AFailoverByTheElectionsOwnMetric) {
  Facts facts;
  for (const char* pod : {"a", "b"}) {
    Target target{.id = Labels({{"pod", pod}}), .scrapes = {}, .starts = {}, .processes = {}};
    Series leads{Labels({{"__name__", "leader_election_master_status"}, {"pod", pod}}), {}, {}};
    for (double t = 0; t <= 600; t += 30) {
      target.scrapes.push_back(At(t));
      const bool led = *pod == 'a' ? t <= 120 : t >= 210;
      leads.samples.push_back({At(t), led ? 1.0 : 0.0});
    }
    facts.targets.push_back(std::move(target));
    facts.answers["leader"].push_back(std::move(leads));
  }
  const auto found = FindAbsences(facts, LeadingScrapesOf(facts), {}, {}, Range(0, 600));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "scheduler.no-leader");
  EXPECT_EQ(found[0].object, "a");
  EXPECT_EQ(found[0].before, At(120));
  EXPECT_EQ(found[0].after, At(210));
}

TEST(FindAbsencesTest, OneThatAnsweredAndDidNotLeadHadNoLease) {
  Scheduling one = Away(120, 240);
  CountAttempts(&one, 30, 0);
  auto& scrapes = one.facts.targets[0].scrapes;
  scrapes.insert(std::ranges::upper_bound(scrapes, At(180)), At(180));
  ASSERT_EQ(one.Find().size(), 1U);
  EXPECT_EQ(one.Find()[0].id, "scheduler.no-leader");
}

TEST(FindAbsencesTest, ObjectsAreNamedByTheirLabelsWithoutAnInstance) {
  Scheduling one = Away(120, 210, true);
  one.facts.targets[0].id = Labels({{"cluster", "east"}});
  ASSERT_EQ(one.Find().size(), 1U);
  EXPECT_EQ(one.Find()[0].object, one.facts.targets[0].id.ToString());
}

TEST(FindAbsencesTest, OfOneProcessOnlyWhereItsAttemptsHadAllButStopped) {
  const struct {
    double ended;  ///< of 120 in the two minutes; the rest has 30 in thirty seconds
    bool stuck;
  } cases[] = {{120, false}, {60, false}, {45, true}, {0, true}};
  for (const auto& c : cases) {
    Scheduling one = Away(120, 240);
    CountAttempts(&one, 30, c.ended);
    const auto found = one.Find();
    ASSERT_EQ(found.size(), c.stuck ? 1U : 0U) << c.ended;
    if (!c.stuck) continue;
    EXPECT_EQ(found[0].id, "scheduler.stuck");
    EXPECT_TRUE(found[0].keeps_queues);
    EXPECT_THAT(Seconds(found[0].start), ElementsAre(120, 135, 150));
    EXPECT_THAT(Seconds(found[0].end), ElementsAre(210, 225, 240));
  }
}

TEST(FindAbsencesTest, NobodyScheduledInTheHoleBetweenPods) {
  const struct {
    const char* id;
    bool handed, started;
  } cases[] = {{"scheduler.stuck", false, false},
               {"scheduler.down", false, true},
               {"scheduler.no-leader", true, false}};
  for (const auto& c : cases) {
    Scheduling one = Away(120, 240, c.handed);
    if (c.started) one.facts.targets[0].starts = {At(200)};
    Schedule(&one, 2, 131, 205);
    const auto found = one.Find();
    ASSERT_EQ(found.size(), 1U) << c.id;
    EXPECT_EQ(found[0].id, c.id);
    EXPECT_THAT(Seconds(found[0].start), ElementsAre(131, 131.5, 132.1)) << "in whole seconds";
    EXPECT_THAT(Seconds(found[0].end), ElementsAre(204.7, 205.5, 205.8));
    EXPECT_EQ(found[0].keeps_queues, !c.handed && !c.started) << c.id;
  }
}

TEST(FindAbsencesTest, PodsBoundMeanwhileSayThatScrapesAloneAreMissing) {
  Scheduling one = Away(120, 240);
  CountAttempts(&one, 30, 0);
  Schedule(&one, 2, 0, 0);
  EXPECT_THAT(one.Find(), IsEmpty());
  Schedule(&one, 2, 131, 205);
  EXPECT_EQ(one.Find().size(), 1U);
}

TEST(FindAbsencesTest, AHoleIsNoSurpriseBelowFiveTimesTheUsual) {
  const struct {
    double each, before, after;
    bool absent;
  } cases[] = {
      {10, 131, 181, false},  // 60 pods in 590 s: five times is about 53 s
      {10, 131, 191, true},  {2, 131, 139, false},
      {2, 131, 145, true},   {0.5, 131, 133, false},  // two seconds are none
      {0.5, 131, 136, true},
  };
  for (const auto& c : cases) {
    Scheduling one = Away(120, 240, true);
    Schedule(&one, c.each, c.before, c.after);
    EXPECT_EQ(one.Find().size(), c.absent ? 1U : 0U) << c.each << " " << c.after;
  }
}

TEST(FindAbsencesTest, ScrapesMustBeMoreThanSixTenthsOfAnIntervalLate) {
  for (const TimeMs gap : {45'000, 48'000, 49'000, 60'000}) {
    Scheduling one = Away(120, 150);
    for (LeadingScrape& scrape : one.scrapes) {
      if (scrape.at > At(120)) scrape.at += gap - 30'000;
    }
    one.facts.targets[0] = TargetNamed(Labels({{"instance", "one"}}), one.scrapes, 0);
    CountAttempts(&one, 30, 0);
    EXPECT_EQ(one.Find().size(), gap > 48'000 ? 1U : 0U) << gap;
  }
}

TEST(FindAbsencesTest, TheyOverlapTheWindowOrEndWhereItStarts) {
  const struct {
    const char* name;
    double start, end;
    bool found;
  } cases[] = {
      {"within", 0, 600, true},
      {"the window lies within", 150, 180, true},
      {"ends with the scrape that it starts at", 240, 400, true},
      {"a scrape earlier", 270, 400, false},
      {"begins with the scrape that it ends at", 0, 120, false},
      {"begins before that", 0, 150, true},
  };
  for (const auto& c : cases) {
    Scheduling one = Away(120, 240, true);
    EXPECT_EQ(one.Find(Range(c.start, c.end)).size(), c.found ? 1U : 0U) << c.name;
  }
}

TEST(FindAbsencesTest, TheyComeInOrder) {
  Scheduling one = Away(120, 240);
  one.facts.targets[0].starts = {At(220), At(431)};
  const auto found = one.Find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].before, At(120));
  EXPECT_EQ(found[1].before, At(420));
}

TEST(FindAbsencesTest, ASilenceThatTheWindowReachesIsTheLast) {
  Scheduling one = Away(120, 120);
  EXPECT_THAT(one.Find(), IsEmpty());
  const TimeMs last = one.facts.targets[0].scrapes.back();
  one.facts.silence = Silence{last, last + 90'000, true};
  EXPECT_THAT(one.Find(), IsEmpty()) << "it begins where the window ends";
  one.facts.silence->since = last - 30'000;
  const auto found = one.Find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "scheduler.down");
  EXPECT_EQ(found[0].object, "one");
  EXPECT_EQ(found[0].start.value, last - 30'000);
  EXPECT_EQ(found[0].end.value, last + 90'000);
  EXPECT_TRUE(found[0].lasts && found[0].sure);
}

TEST(FindAbsencesTest, NothingOfFewerThanTwoScrapes) {
  Scheduling one = Away(120, 240);
  one.scrapes.resize(1);
  EXPECT_THAT(one.Find(), IsEmpty());
  one.scrapes.clear();
  EXPECT_THAT(one.Find(), IsEmpty());
}

TEST(ShowsPodsOfTest, FromAMinuteAfterTheTimeToItsEnd) {
  StateMetrics ksm;  // from 0 to 600
  ksm.Pod("shop", "a", "", 1, 1);
  const ControlPlaneFacts facts = ksm.Facts();
  EXPECT_TRUE(ShowsPodsOf(facts, Range(0, 600)));
  EXPECT_FALSE(ShowsPodsOf(facts, Range(0, 601)));
  EXPECT_TRUE(ShowsPodsOf(facts, Range(-100, -60)));
  EXPECT_FALSE(ShowsPodsOf(facts, Range(-100, -61)));
  EXPECT_FALSE(ShowsPodsOf({}, Range(0, 600)));
}

}  // namespace
}  // namespace schedlens
