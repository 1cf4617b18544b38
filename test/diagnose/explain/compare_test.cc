#include "diagnose/explain/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "diagnose/store_source.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using testing_support::Recording;
using testing_support::StoreSource;

constexpr char kAlgorithm[] = "scheduler_scheduling_algorithm_duration_seconds";
constexpr char kE2e[] = "scheduler_e2e_scheduling_duration_seconds";

CompareRequest Request(double q, TimeRange window) {
  CompareRequest request;
  request.part.metric = kAlgorithm;
  request.whole.metric = kE2e;
  for (QuantileRequest* side : {&request.part, &request.whole}) {
    side->q = q;
    side->window = window;
  }
  return request;
}

const ComparedCase* Proven(const Comparison& comparison) {
  const bool any =
      !comparison.cases.empty() && comparison.cases.back().outcome == CaseOutcome::kProven;
  return any ? &comparison.cases.back() : nullptr;
}

/// Counts of (1, 2, 4, +Inf] at the second of two scrapes.
void Add(const std::string& family, std::vector<double> cumulative, double sum,
         std::vector<Series>* out, const std::vector<std::string>& les = {"1", "2", "4", "+Inf"}) {
  const auto series = [&](const std::string& suffix, const std::string& le, double v) {
    std::vector<Labels::Pair> labels = {{"__name__", family + suffix}};
    if (!le.empty()) labels.emplace_back("le", le);
    out->push_back({Labels(labels), {{5000, 0}, {10000, v}, {15000, v}, {20000, v}}, {}});
  };
  for (std::size_t b = 0; b < les.size(); ++b) series("_bucket", les[b], cumulative[b]);
  series("_sum", "", sum);
  series("_count", "", cumulative.back());
}

// The field case: algorithm p99 far above e2e p99, because failed attempts count in e2e alone.
TEST(CompareTest, SettlesTheInversionOfARealScheduler) {
  StoreSource source = Recording("quantile-inversion-A");
  std::ifstream file(std::string(SCHEDLENS_TEST_DATA) + "/captures/quantile-inversion-A.json");
  const auto truth = nlohmann::json::parse(file);
  const auto& window = truth["window"]["incident_scrapes"];
  const TimeRange range{std::llround(1000 * window[0].get<double>()),
                        std::llround(1000 * window[1].get<double>())};
  const Comparison comparison = Compare(source, Request(0.99, range));
  EXPECT_TRUE(comparison.inverted);
  ASSERT_NE(Proven(comparison), nullptr);
  EXPECT_EQ(Proven(comparison)->id, "population");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("21053 unschedulable"));
  ASSERT_TRUE(comparison.witness);
  EXPECT_EQ(comparison.witness->whole_only, 21053);

  // Over the same attempts the order is right, at p99 as at p99.9.
  for (const double q : {0.99, 0.999}) {
    CompareRequest matched = Request(q, range);
    matched.whole.selector = "result=\"scheduled\"";
    const Comparison same = Compare(source, matched);
    EXPECT_FALSE(same.inverted);
    EXPECT_THAT(InEnglish(same.verdict), HasSubstr("no inversion"));
    EXPECT_THAT(InEnglish(same.verdict), HasSubstr("which overlap"));
  }
}

TEST(CompareTest, GivenTheOtherWayRoundItIsTheSame) {
  std::vector<Series> series;
  Add(kAlgorithm, {0, 10, 10, 10}, 15, &series);
  Add(kE2e, {0, 5, 10, 10}, 20, &series);
  StoreSource source(series);
  CompareRequest request = Request(0.5, {5000, 10000});
  std::swap(request.part, request.whole);
  const Comparison comparison = Compare(source, request);
  EXPECT_EQ(comparison.part.metric, kAlgorithm);
  EXPECT_FALSE(comparison.inverted);
}

TEST(CompareTest, OtherBoundsMeanThatNoOrderWasObserved) {
  std::vector<Series> series;
  Add(kAlgorithm, {0, 0, 10, 10}, 30, &series);
  Add(kE2e, {0, 10, 10, 10}, 30, &series, {"1", "3.5", "8", "+Inf"});
  StoreSource source(series);
  const Comparison comparison = Compare(source, Request(0.99, {5000, 10000}));
  ASSERT_TRUE(comparison.inverted);
  EXPECT_EQ(Proven(comparison)->id, "layouts");
}

TEST(CompareTest, EqualCountsAndASmallerSumProveOtherAttempts) {
  std::vector<Series> series;
  Add(kAlgorithm, {0, 5, 10, 10}, 25, &series);
  Add(kE2e, {0, 10, 10, 10}, 15, &series);
  StoreSource source(series);
  const Comparison comparison = Compare(source, Request(0.99, {5000, 10000}));
  ASSERT_TRUE(comparison.inverted);
  // Equal counts name no population, the sums prove that there are two.
  EXPECT_EQ(Proven(comparison)->id, "sums");
  EXPECT_EQ(comparison.witness->part_only, 5);
  EXPECT_EQ(comparison.witness->bound, 2);
}

TEST(CompareTest, ASaturatedWholeIsNamed) {
  std::vector<Series> series;
  Add(kE2e, {0, 0, 0, 10}, 90, &series);
  Add(kAlgorithm, {0, 0, 10, 10}, 30, &series);
  StoreSource source(series);
  EXPECT_FALSE(Compare(source, Request(0.99, {5000, 10000})).inverted);
}

TEST(CompareTest, DifferentQuantilesAreNoInversionOfTheScheduler) {
  std::vector<Series> series;
  Add(kAlgorithm, {50, 90, 100, 100}, 120, &series);
  Add(kE2e, {50, 90, 100, 100}, 120, &series);
  StoreSource source(series);
  CompareRequest request = Request(0.99, {5000, 10000});
  request.whole.q = 0.5;
  const Comparison comparison = Compare(source, request);
  ASSERT_TRUE(comparison.inverted);
  EXPECT_EQ(Proven(comparison)->id, "expressions");
}

}  // namespace
}  // namespace schedlens
