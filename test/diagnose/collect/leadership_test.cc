#include <gtest/gtest.h>

#include "diagnose/collect/facts.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

/// One process scraped every 10 s, with so many attempts in each cell.
ScrapeIncreases Cells(const std::string& pod, const std::vector<double>& counts) {
  ScrapeIncreases cells;
  cells.labels = Labels({{"pod", pod}, {"result", "scheduled"}});
  cells.target = pod == "a" ? 0 : 1;
  cells.bounds = {1};
  for (std::size_t i = 0; i <= counts.size(); ++i) {
    cells.edges.push_back(static_cast<TimeMs>(i) * 10'000);
  }
  cells.buckets = counts;
  cells.sums = counts;
  cells.reset.assign(counts.size(), false);
  return cells;
}

Facts TwoReplicas() {
  Facts facts;
  for (const char* pod : {"a", "b"}) {
    Target target{.id = Labels({{"pod", pod}}), .scrapes = {}, .starts = {}, .processes = {}};
    for (TimeMs t = 0; t <= 80'000; t += 10'000) target.scrapes.push_back(t);
    facts.targets.push_back(std::move(target));
  }
  return facts;
}

constexpr TimeRange kWindow{0, 80'000};

TEST(LeadershipTest, OneReplicaDidAllTheWork) {
  EXPECT_TRUE(
      LeadershipNotes(TwoReplicas(), {Cells("a", {3, 4, 0, 1}), Cells("b", {0, 0, 0, 0})}, kWindow)
          .empty());
}

TEST(LeadershipTest, OneReplicaGoesOnWhereTheOtherStopped) {
  const auto notes = LeadershipNotes(
      TwoReplicas(), {Cells("b", {0, 0, 0, 0, 0, 2, 2, 2}), Cells("a", {3, 4, 5, 1, 0, 0, 0, 0})},
      kWindow);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(InEnglish(notes[0]),
            "the leader changed inside the window: {pod=\"a\"} finished attempts until "
            "1970-01-01T00:00:40Z, {pod=\"b\"} from 1970-01-01T00:00:50Z on");
}

TEST(LeadershipTest, TwoAtTheSameTimeAreTwoSchedulers) {
  const auto notes = LeadershipNotes(
      TwoReplicas(), {Cells("a", {3, 4, 5, 1, 2, 2, 2, 2}), Cells("b", {1, 1, 1, 1, 1, 1, 1, 1})},
      kWindow);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(InEnglish(notes[0]).find("at the same time"), std::string::npos);
}

TEST(LeadershipTest, TheElectionsOwnMetric) {
  Facts facts = TwoReplicas();
  Series status{Labels({{"__name__", "leader_election_master_status"}, {"pod", "b"}}), {}, {}};
  status.samples = {{10'000, 0}, {20'000, 0}, {30'000, 1}, {40'000, 1}, {90'000, 0}};
  facts.answers["leader"] = {status};
  const auto notes = LeadershipNotes(facts, {}, kWindow);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(InEnglish(notes[0]),
            "leader_election_master_status: {pod=\"b\"} became leader by 1970-01-01T00:00:30Z");
}

}  // namespace
}  // namespace schedlens
