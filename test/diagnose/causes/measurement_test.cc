#include "diagnose/causes/measurement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Quick;

/// The incident of a recording without the series that `lacks` names.
template <class Lacks>
Measurement MeasureWithout(const test::Recorder& r, const Lacks& lacks) {
  std::vector<Series> kept = r.series();
  std::erase_if(kept,
                [&](const Series& s) { return lacks(std::string(s.labels.Get("__name__"))); });
  test::SelectorSource source(std::move(kept));
  const Facts facts =
      Collect(source, QuerySet::Embedded(), "", {-1, test::kIncident.end + 100'000});
  return Measure(facts, GroupAll(facts), test::kIncident);
}

Measurement MeasureAll(const test::Recorder& r) {
  return MeasureWithout(r, [](const std::string&) { return false; });
}

test::Recorder Recorded(const test::MakeAttempt& incident, const test::BeforeScrape& before = {}) {
  test::Recorder r;
  test::RecordIncident(&r, incident, 50, before);
  return r;
}

Attempt OneInTwentySlow(int i) { return i % 20 ? Quick(i) : Attempt{.bind = 2.5}; }

TEST(MeasureTest, TailsNameTheBucketOfEachResultsP99) {
  const Measurement m = MeasureAll(Recorded(OneInTwentySlow));
  const auto tail = m.Tail("scheduled");
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->count, 1500);
  EXPECT_DOUBLE_EQ(tail->p99_low, 2.048);
  EXPECT_DOUBLE_EQ(tail->p99_high, 4.096);
  EXPECT_EQ(tail->buckets.count(), 1500);
  EXPECT_FALSE(m.Tail("error"));
}

TEST(MeasureTest, WithoutAttemptBucketsThePartsTailsStandForThem) {
  const Measurement m = MeasureWithout(Recorded(OneInTwentySlow), [](const std::string& name) {
    return name == "scheduler_e2e_scheduling_duration_seconds_bucket";
  });
  ASSERT_TRUE(m.Tail("scheduled"));
  EXPECT_TRUE(std::isinf(m.Tail("scheduled")->p99_high));
  ASSERT_TRUE(m.Tail("binding"));
  EXPECT_DOUBLE_EQ(m.Tail("binding")->p99_low, 2.048);
  ASSERT_TRUE(m.Tail("algorithm"));
  EXPECT_LT(m.Tail("algorithm")->p99_high, 0.01);
  EXPECT_TRUE(m.Tail("PreBind"));
  EXPECT_FALSE(m.Tail("Filter")) << "part of the algorithm already";
}

TEST(MeasureTest, ProcessorTimeIsOfTheWindowAndAbsentWhereItWasNotScraped) {
  const test::Recorder r = Recorded(Quick);
  const auto cpu = MeasureAll(r).cpu;
  ASSERT_TRUE(cpu);
  EXPECT_NEAR(cpu->seconds, 30 * 0.2, 1e-9);
  EXPECT_NEAR(cpu->cores, 30 * 0.2 / 150, 1e-9);
  EXPECT_FALSE(
      MeasureWithout(r, [](const std::string& n) { return n == "process_cpu_seconds_total"; }).cpu);
}

TEST(MeasureTest, WhatWasNotScrapedIsNotZero) {
  const Measurement without = MeasureAll(Recorded(Quick));
  EXPECT_FALSE(without.pending_active);
  EXPECT_FALSE(without.dispatched_bind_seconds);
  const std::vector<Labels::Pair> bindings = {{"call_type", "pod_binding"}};
  const std::vector<Labels::Pair> patches = {{"call_type", "pod_status_patch"}};
  const char* const kCalls = "scheduler_async_api_call_execution_duration_seconds_sum";
  test::Recorder r;
  r.Set("scheduler_pending_pods", {{"queue", "active"}}, 0);
  r.Set(kCalls, bindings, 0);
  r.Set(kCalls, patches, 0);
  r.Set("scheduler_preemption_attempts_total", {}, 0);
  test::RecordIncident(&r, Quick, 50, [&](test::Recorder& rec) {
    rec.Set("scheduler_pending_pods", {{"queue", "active"}}, 7);
    rec.Add(kCalls, bindings, 2);
    rec.Add(kCalls, patches, 5);
    rec.Add("scheduler_preemption_attempts_total", {}, 3);
  });
  const Measurement with = MeasureAll(r);
  ASSERT_TRUE(with.pending_active);
  EXPECT_NEAR(*with.pending_active, 7, 0.3);
  ASSERT_TRUE(with.dispatched_bind_seconds);
  EXPECT_NEAR(*with.dispatched_bind_seconds, 60, 1e-9);
  EXPECT_NEAR(with.preemption_attempts, 90, 1e-9);
}

TEST(PlainlySlowTest, IsAProvenHalfSecondOfEnoughAttempts) {
  const auto with = [](double low, double count) {
    Measurement m;
    m.tails.push_back({"scheduled", 1000, 0.01, 0.008, 0.016});
    m.tails.push_back({"error", count, low, low, 2 * low});
    return m;
  };
  EXPECT_TRUE(PlainlySlow(with(0.512, 10)));
  EXPECT_FALSE(PlainlySlow(with(0.256, 10))) << "its bucket reaches half a second, no more";
  EXPECT_FALSE(PlainlySlow(with(0.512, 9)));
  EXPECT_TRUE(PlainlySlow(with(0.512, 9), 1));
  EXPECT_FALSE(PlainlySlow({}));
}

}  // namespace
}  // namespace schedlens
