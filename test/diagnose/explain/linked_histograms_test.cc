#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/series.h"
#include "diagnose/explain/quantile.h"
#include "diagnose/store_source.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::StoreSource;

std::vector<std::string> Names(const std::vector<const AttemptClock*>& clocks) {
  std::vector<std::string> names;
  for (const AttemptClock* clock : clocks) names.emplace_back(clock->name);
  return names;
}

TEST(ClockOfTest, PicksTheAttemptsThatWereBound) {
  const std::string e2e = "scheduler_e2e_scheduling_duration_seconds";
  EXPECT_NE(ClockOf(e2e, Labels({{"result", "scheduled"}})), nullptr);
  EXPECT_NE(ClockOf(e2e, Labels()), nullptr);  // 1.18 has no result
  EXPECT_EQ(ClockOf(e2e, Labels({{"result", "error"}})), nullptr);
  EXPECT_EQ(ClockOf("scheduler_framework_extension_point_duration_seconds",
                    Labels({{"extension_point", "Filter"}, {"status", "Success"}})),
            nullptr);
  EXPECT_EQ(ClockOf("etcd_request_duration_seconds", Labels()), nullptr);
}

TEST(LinkedToTest, BindAndAlgorithmDoNotContainEachOther) {
  const AttemptClock* bind = ClockOf("scheduler_framework_extension_point_duration_seconds",
                                     Labels({{"extension_point", "Bind"}}));
  const AttemptClock* algorithm = ClockOf("scheduler_scheduling_algorithm_duration_seconds", {});
  const AttemptClock* binding = ClockOf("scheduler_binding_duration_seconds", {});
  EXPECT_THAT(Names(LinkedTo(*bind)), Not(Contains(HasSubstr("algorithm"))));
  EXPECT_THAT(Names(LinkedTo(*algorithm)), Not(Contains(HasSubstr("ind"))));
  EXPECT_THAT(Names(LinkedTo(*binding)), Not(Contains(HasSubstr("algorithm"))));
  EXPECT_THAT(Names(LinkedTo(*bind)), Contains("pod_scheduling_duration"));
}

TEST(FamilyOfTest, DropsTheSuffix) {
  EXPECT_EQ(FamilyOf("x_bucket"), "x");
  EXPECT_EQ(FamilyOf("x_sum"), "x");
  EXPECT_EQ(FamilyOf("x"), "x");
  EXPECT_EQ(FamilyOf("_bucket"), "_bucket");
}

void Histogram(const std::string& family, std::vector<Labels::Pair> labels,
               const std::vector<double>& second, double sum, std::vector<Series>* out) {
  const char* les[] = {"1", "2", "+Inf"};
  const auto add = [&](const std::string& suffix, const char* le, double v) {
    std::vector<Labels::Pair> all = labels;
    all.emplace_back("__name__", family + suffix);
    if (le != nullptr) all.emplace_back("le", le);
    out->push_back({Labels(all), {{5000, 0}, {10000, v}}, {}});
  };
  for (int b = 0; b < 3; ++b) add("_bucket", les[b], second[std::size_t(b)]);
  add("_sum", nullptr, sum);
  add("_count", nullptr, second.back());
}

constexpr char kE2eLinked[] = "scheduler_e2e_scheduling_duration_seconds";

TEST(FetchHistogramsTest, LinksTheBoundAttemptsOfEachProcess) {
  std::vector<Series> series;
  for (const char* instance : {"a", "b"}) {
    for (const char* result : {"scheduled", "error"}) {
      Histogram("scheduler_e2e_scheduling_duration_seconds",
                {{"instance", instance}, {"result", result}}, {0, 5, 5}, 8, &series);
    }
    Histogram("scheduler_pod_scheduling_duration_seconds", {{"instance", instance}}, {0, 4, 5}, 9,
              &series);
  }
  StoreSource source(series);
  const FetchedHistograms fetched = FetchHistograms(source, {kE2eLinked, "", {5000, 10000}, false});
  const LinkedHistograms got = CutFamily(fetched.View(), {kE2eLinked, {}, {5000, 10000}, false});
  EXPECT_EQ(got.children.size(), 4u);
  ASSERT_EQ(got.processes.size(), 4u);
  std::size_t linked = 0;
  for (const LinkedProcess& process : got.processes) {
    ASSERT_EQ(process.children.size(), 1u);
    const bool bound = process.children[0].labels.Get("result") == "scheduled";
    EXPECT_EQ(process.links.size(), bound ? 1u : 0u);
    linked += process.links.size();
  }
  EXPECT_EQ(linked, 2u);
  EXPECT_EQ(GroupBy(got, promql::Grouping::kBy, {"le", "result"}).size(), 2u);
  EXPECT_EQ(GroupBy(got, promql::Grouping::kWithout, {"instance"}).size(), 2u);
  EXPECT_EQ(GroupBy(got, promql::Grouping::kNone, {}).size(), 1u);
  EXPECT_EQ(GroupBy(got, promql::Grouping::kWithout, {}).size(), 4u);
}

TEST(FetchHistogramsTest, ASelectorOnResultsStillFindsTheLinks) {
  std::vector<Series> series;
  Histogram("scheduler_e2e_scheduling_duration_seconds", {{"result", "scheduled"}}, {0, 5, 5}, 8,
            &series);
  Histogram("scheduler_pod_scheduling_duration_seconds", {}, {0, 4, 5}, 9, &series);
  StoreSource source(series);
  const FetchedHistograms fetched =
      FetchHistograms(source, {kE2eLinked, "result=\"scheduled\"", {5000, 10000}, false});
  const LinkedHistograms got = CutFamily(fetched.View(), {kE2eLinked, {}, {5000, 10000}, false});
  ASSERT_EQ(got.processes.size(), 1u);
  EXPECT_EQ(got.processes[0].links.size(), 1u);
}

TEST(FetchHistogramsTest, NothingIsAnAnswerAndNonsenseAnError) {
  StoreSource source({});
  EXPECT_THAT(FetchHistograms(source, {"x", "", {0, 1000}, false}).histograms[0].children,
              IsEmpty());
  EXPECT_THROW(FetchHistograms(source, {"x", "result=", {0, 1000}, false}), Error);
}

}  // namespace
}  // namespace schedlens
