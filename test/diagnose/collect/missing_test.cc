#include "diagnose/collect/missing.h"

#include <gtest/gtest.h>

#include "messages/catalog.h"

namespace schedlens {
namespace {

ReleaseRange Minor(int minor) { return {.oldest = minor, .newest = minor, .exact = ""}; }

MissingMetric Find(const Facts& facts, const ReleaseRange& release, const std::string& question) {
  for (const MissingMetric& missing : MissingMetrics(facts, release)) {
    if (missing.question == question) return missing;
  }
  return {};
}

Facts OneTarget() {
  Facts facts;
  facts.targets = {{Labels({{"pod", "p"}}), {0, 15000}, {}, {}}};
  return facts;
}

TEST(Missing, AMetricIsCalledAsTheReleaseCallsIt) {
  const MissingMetric now = Find(OneTarget(), Minor(26), "attempt");
  EXPECT_EQ(now.metric, "scheduler_scheduling_attempt_duration_seconds");
  EXPECT_FALSE(now.expected);
  EXPECT_EQ(InEnglish(now.text),
            "scheduler_scheduling_attempt_duration_seconds is missing (called "
            "scheduler_e2e_scheduling_duration_seconds up to 1.22; 1.26 has it: not scraped, or "
            "dropped): "
            "the parts of the attempts are added up instead, and there is no e2e quantile");
  EXPECT_EQ(Find(OneTarget(), Minor(20), "attempt").metric,
            "scheduler_e2e_scheduling_duration_seconds");
  EXPECT_EQ(Find(OneTarget(), {}, "attempt").metric,
            "scheduler_scheduling_attempt_duration_seconds");
}

TEST(Missing, WhatTheReleaseDoesNotHaveIsExpected) {
  const MissingMetric binding = Find(OneTarget(), Minor(21), "binding");
  EXPECT_TRUE(binding.expected);
  EXPECT_TRUE(binding.quiet);
  EXPECT_FALSE(Find(OneTarget(), Minor(20), "binding").expected);
  EXPECT_TRUE(Find(OneTarget(), Minor(20), "rate_limiter").expected);
  EXPECT_FALSE(Find(OneTarget(), Minor(22), "rate_limiter").expected);
  EXPECT_TRUE(Find(OneTarget(), Minor(26), "permit_wait").quiet);
}

TEST(Missing, WhatOnlySomeOfThePossibleReleasesHaveIsSaidSo) {
  const ReleaseRange either{.oldest = 20, .newest = 23, .exact = ""};
  const MissingMetric binding = Find(OneTarget(), either, "binding");
  EXPECT_EQ(InEnglish(binding.text),
            "scheduler_binding_duration_seconds is missing (some of 1.20-1.23 have it: not there, "
            "not scraped, or dropped): an extender's bind is found by a wider subtraction");
  EXPECT_FALSE(binding.quiet);
  EXPECT_TRUE(binding.expected) << "nothing to mend for sure";
}

TEST(Missing, PartsOfAHistogramAreSomething) {
  const std::string family = "scheduler_scheduling_attempt_duration_seconds";
  const auto text = [&](const std::vector<std::string>& parts) {
    Facts facts = OneTarget();
    for (const std::string& part : parts) {
      Series series;
      series.labels = Labels({{"__name__", family + part}});
      facts.answers["attempt"].push_back(series);
    }
    const std::string all = InEnglish(Find(facts, Minor(26), "attempt").text);
    return all.substr(0, all.find(':'));
  };
  EXPECT_EQ(text({"_sum", "_count"}), family + "_bucket is missing");
  EXPECT_EQ(text({"_bucket", "_count"}), family + "_sum is missing");
  EXPECT_EQ(text({"_count"}), "only " + family + "_count is present");
  EXPECT_EQ(text({"_sum"}), "only " + family + "_sum is present");
  EXPECT_EQ(text({"_bucket", "_sum"}), "");
  EXPECT_EQ(text({"_bucket", "_sum", "_count"}), "");
}

TEST(Missing, WithoutASchedulerNothingIsListed) { EXPECT_TRUE(MissingMetrics({}, {}).empty()); }

TEST(Missing, WhyAbsentNamesTheSuccessorOrThePredecessor) {
  const std::string e2e = "scheduler_e2e_scheduling_duration_seconds";
  const std::string attempt = "scheduler_scheduling_attempt_duration_seconds";
  EXPECT_TRUE(WhyAbsent(e2e, Minor(20)).empty());
  EXPECT_EQ(InEnglish(WhyAbsent(e2e + "_bucket", Minor(25))),
            "hidden from 1.24 on, its successor is " + attempt);
  EXPECT_EQ(InEnglish(WhyAbsent(e2e, Minor(30))), "removed in 1.27, its successor is " + attempt);
  EXPECT_EQ(InEnglish(WhyAbsent(attempt, Minor(20))), "exposed from 1.23 on, before that " + e2e);
  EXPECT_TRUE(WhyAbsent(e2e, {}).empty());
  EXPECT_TRUE(WhyAbsent("node_load1", Minor(20)).empty());
}

}  // namespace
}  // namespace schedlens
