#include <gtest/gtest.h>

#include "diagnose/explain/quantile.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

TEST(QuantileRowsTest, EveryHistogramThatIsThereHasFourQuantilesAResult) {
  test::Recorder r;
  test::RecordIncident(
      &r, [](int i) { return i % 10 ? test::Quick(i) : test::Attempt{.result = "unschedulable"}; });
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  const auto rows =
      QuantileRows(histograms, CutWindow(histograms, facts.targets, test::kIncident), Semantics{});
  // e2e for two results, algorithm, binding, Bind.
  ASSERT_EQ(rows.size(), 5u * 4);
  for (const QuantileRow& row : rows) {
    ASSERT_TRUE(row.shown) << row.metric;
    ASSERT_TRUE(row.interval.low && row.interval.high) << row.metric;
    ASSERT_TRUE(row.estimate.value);
    EXPECT_GE(*row.estimate.value, *row.interval.low);
    EXPECT_LE(*row.estimate.value, *row.interval.high);
  }
}

TEST(QuantileRowsTest, ASupersededHistogramOfTheSameAttemptsIsALink) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return test::Quick(i); });
  Facts facts = FactsOf(r);
  for (Series one : facts.Of("attempt")) {
    const std::string name(one.labels.Get("__name__"));
    one.labels = one.labels.Without("result").With(
        "__name__", "scheduler_pod_scheduling_duration" + name.substr(name.find("_seconds")));
    facts.superseded.push_back(std::move(one));
  }
  const WindowIncreases cells = CutWindow(GroupAll(facts), facts.targets, test::kIncident);
  const std::vector<ScrapeIncreases>* const others[] = {&cells.superseded};
  const LinkedHistograms linked = LinkHistograms(cells.attempt, others);
  ASSERT_EQ(linked.processes.size(), 1u);
  ASSERT_EQ(linked.processes.front().links.size(), 1u);
  EXPECT_EQ(linked.processes.front().links.front().name, "pod_scheduling_duration");
}

}  // namespace
}  // namespace schedlens
