#include "diagnose/episodes/incident_window.h"

#include <gtest/gtest.h>

#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::kIncident;
using test::kScrape;
using test::Quick;

std::optional<TimeRange> Find(const test::MakeAttempt& incident) {
  test::Recorder r;
  test::RecordIncident(&r, incident);
  const Facts facts = FactsOf(r);
  return FindIncident(facts, CutWindow(GroupAll(facts), facts.targets, facts.fetched));
}

TEST(FindIncidentTest, FindsTheStretchToTheScrape) {
  const struct {
    const char* name;
    test::MakeAttempt incident;
  } cases[] = {
      {"one in twenty slow", [](int i) { return i % 20 ? Quick(i) : Attempt{.bind = 3}; }},
      {"all slow", [](int) { return Attempt{.filter = 0.4}; }},
      {"failing", [](int i) { return i % 4 ? Attempt{.result = "unschedulable"} : Quick(i); }},
  };
  for (const auto& c : cases) {
    const auto found = Find(c.incident);
    ASSERT_TRUE(found) << c.name;
    EXPECT_NEAR(static_cast<double>(found->start), kIncident.start, kScrape) << c.name;
    EXPECT_NEAR(static_cast<double>(found->end), kIncident.end, kScrape) << c.name;
  }
}

TEST(FindIncidentTest, QuietRecordingsHaveNone) {
  EXPECT_FALSE(Find(Quick));
  // A handful of slow attempts spread over the recording is no stretch.
  EXPECT_FALSE(Find([](int i) { return i % 700 ? Quick(i) : Attempt{.bind = 0.2}; }));
}

TEST(FindBaselineTest, IsWhatCameBeforeElseWhatCameAfter) {
  test::Recorder r;
  test::RecordIncident(&r, Quick);
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  const auto before = FindBaseline(facts, histograms, facts.fetched, kIncident);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->end, kIncident.start);
  const auto after = FindBaseline(facts, histograms, facts.fetched, {0, kIncident.end});
  ASSERT_TRUE(after);
  EXPECT_EQ(after->start, kIncident.end);
  EXPECT_FALSE(FindBaseline(facts, histograms, facts.fetched, facts.fetched));
}

TEST(FindBaselineTest, StaysWithinTheRangeThatIsAllowed) {
  test::Recorder r;
  test::RecordIncident(&r, Quick);
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  const auto part = FindBaseline(facts, histograms, {50'000, facts.fetched.end}, kIncident);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->start, 50'000);
  const auto after =
      FindBaseline(facts, histograms, {kIncident.start, facts.fetched.end}, kIncident);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->start, kIncident.end);
  EXPECT_FALSE(FindBaseline(facts, histograms, kIncident, kIncident));
}

TEST(FindIncidentTest, PodsThatWaitForTheLoopAreAnIncidentThoughNoAttemptIsSlow) {
  const auto with_pods = [](double waited) {
    test::Recorder r;
    const auto pods = [&](double seconds) {
      for (int i = 0; i < 50; ++i) {
        r.Observe("scheduler_pod_scheduling_duration_seconds", {}, seconds);
      }
    };
    r.Observe("scheduler_pod_scheduling_duration_seconds", {}, 0.01);
    for (int s = 0; s <= 70; ++s) {
      for (int i = 0; i < 50; ++i) r.Run(Quick(i));
      pods(s > 20 && s <= 50 ? waited : 0.01);
      r.Scrape(s * kScrape);
    }
    const Facts facts = FactsOf(r);
    return FindIncident(facts, CutWindow(GroupAll(facts), facts.targets, facts.fetched));
  };
  EXPECT_EQ(with_pods(5), kIncident);
  EXPECT_FALSE(with_pods(0.02));
}

}  // namespace
}  // namespace schedlens
