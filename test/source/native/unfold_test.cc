#include <gtest/gtest.h>

#include <map>

#include "source/http/json_stream.h"
#include "source/native/folded.h"
#include "source/native/unfolding_source.h"
#include "support/recorded_answers.h"

namespace schedlens {
namespace {

std::map<std::string, std::vector<Sample>> ByName(const std::vector<Series>& series) {
  std::map<std::string, std::vector<Sample>> out;
  for (const Series& one : series) out[one.labels.ToString()] = one.samples;
  return out;
}

std::vector<Series> Unfolded(const std::vector<Series>& series) {
  KnownBounds known;
  LearnBounds(series, &known);
  return UnfoldHistograms(series, known);
}

TEST(Unfold, CumulatesOverTheBoundsThatWereSeen) {
  const Series native{Labels{{kMetricName, "x"}, {"job", "a"}},
                      {},
                      {{1000, {3, 1.5, {{0, 0.5, 2, 0}, {0.5, 2, 1, 0}}}},
                       {2000, {6, 30, {{0, 0.5, 2, 0}, {0.5, 2, 3, 0}, {8, INFINITY, 1, 0}}}}}};
  const auto all = ByName(Unfolded({native}));
  using Samples = std::vector<Sample>;
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(all.at("x_bucket{job=\"a\",le=\"0.5\"}"), (Samples{{1000, 2}, {2000, 2}}));
  EXPECT_EQ(all.at("x_bucket{job=\"a\",le=\"2.0\"}"), (Samples{{1000, 3}, {2000, 5}}));
  EXPECT_EQ(all.at("x_bucket{job=\"a\",le=\"8.0\"}"), (Samples{{1000, 3}, {2000, 5}}));
  EXPECT_EQ(all.at("x_bucket{job=\"a\",le=\"+Inf\"}"), (Samples{{1000, 3}, {2000, 6}}));
  EXPECT_EQ(all.at("x_sum{job=\"a\"}"), (Samples{{1000, 1.5}, {2000, 30}}));
  EXPECT_EQ(all.at("x_count{job=\"a\"}"), (Samples{{1000, 3}, {2000, 6}}));
}

TEST(Unfold, ABoundInsideABucketIsNoneOfThatHistogram) {
  const auto of = [](const char* job, std::vector<NativeBucket> buckets) {
    return Series{Labels{{kMetricName, "x"}, {"job", job}}, {}, {{0, {4, 1, std::move(buckets)}}}};
  };
  const auto all =
      ByName(Unfolded({of("coarse", {{0, 4, 4, 0}}), of("fine", {{0, 1, 3, 0}, {1, 4, 1, 0}})}));
  EXPECT_TRUE(all.contains("x_bucket{job=\"fine\",le=\"1.0\"}"));
  EXPECT_FALSE(all.contains("x_bucket{job=\"coarse\",le=\"1.0\"}"));
  EXPECT_EQ(all.at("x_bucket{job=\"coarse\",le=\"4.0\"}").front().v, 4);
}

TEST(Unfold, BucketsThatAreToBeAddedUpHaveTheBoundsOfAll) {
  const Series coarse{Labels{{kMetricName, "x"}}, {}, {{0, {4, 1, {{0, 4, 4, 0}}}}}};
  const Series fine{Labels{{kMetricName, "x"}}, {}, {{0, {4, 1, {{0, 1, 3, 0}, {1, 4, 1, 0}}}}}};
  const Series zeros{Labels{{kMetricName, "x"}}, {}, {{0, {4, 0, {{0, 0, 4, 3}}}}}};
  const KnownBounds known = {{"x", {0, 1, 4}}, {"y", {2}}};
  using Bounds = std::set<double>;
  EXPECT_EQ(CommonBounds({fine, zeros}, known).at("x"), (Bounds{0, 1, 4}));
  EXPECT_EQ(CommonBounds({fine, coarse}, known).at("x"), (Bounds{0, 4}));
  EXPECT_EQ(CommonBounds({fine, coarse}, known).at("y"), Bounds{2});
}

TEST(Unfold, ExponentialHistogramsAndFloatsStayAsTheyAre) {
  const Series exponential{
      Labels{{kMetricName, "x"}}, {}, {{0, {3, 1, {{1, 2, 2, 0}, {2, 4, 1, 0}}}}}};
  const Series zero{Labels{{kMetricName, "y"}}, {}, {{0, {3, 1, {{-0.1, 0.1, 3, 3}}}}}};
  const Series floats{Labels{{kMetricName, "z_count"}}, {{0, 1}}, {}};
  const std::vector<Series> all = Unfolded({exponential, zero, floats});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].histograms, exponential.histograms);
  EXPECT_EQ(all[1].histograms, zero.histograms);
  EXPECT_EQ(all[2].samples, floats.samples);
}

TEST(Unfold, WhatIsThereInBothFormsCountsOnce) {
  // Converted from the second scrape on, and kept in classic form up to the third.
  const auto classic = [](const char* name, const char* le, double v) {
    return Series{Labels{{kMetricName, name}, {"le", le}}, {{1000, v}, {2000, v}, {3000, v}}, {}};
  };
  const NativeHistogram h{5, 9, {{0, 1, 5, 0}}};
  const std::vector<Series> all =
      Unfolded({classic("x_bucket", "1", 5),
                classic("x_bucket", "+Inf", 5),
                classic("x_count", "", 5),
                classic("x_sum", "", 9),
                {Labels{{kMetricName, "x"}}, {}, {{2000, h}, {3000, h}, {4000, h}}}});
  ASSERT_EQ(all.size(), 4u);
  for (const Series& series : all) EXPECT_EQ(series.samples.size(), 4u) << series.labels.ToString();
  EXPECT_EQ(all[1].labels.Get("le"), "1");  // in the words of the classic form
}

TEST(Unfold, GivesBackWhatWasFolded) {
  std::vector<Series> classic;
  const std::vector<double> bounds = {0.5, 1, 2, INFINITY};
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const std::string le = i == 3 ? "+Inf" : i == 0 ? "0.5" : i == 1 ? "1.0" : "2.0";
    const double n = static_cast<double>(i + 1);
    classic.push_back({Labels{{kMetricName, "x_bucket"}, {"le", le}}, {{0, n}, {5, 3 * n}}, {}});
  }
  classic.push_back({Labels{{kMetricName, "x_count"}}, {{0, 4}, {5, 12}}, {}});
  classic.push_back({Labels{{kMetricName, "x_sum"}}, {{0, 3}, {5, 70}}, {}});
  EXPECT_EQ(ByName(Unfolded(test::Folded(classic))), ByName(classic));
}

// A server that keeps both forms: every count that its classic series have comes out of the native
// ones. Buckets that stay empty to the end are not in the native form and are no loss.
TEST(Unfold, ARealServersNativeFormIsItsClassicForm) {
  const test::RecordedAnswers server("prometheus-3.14-nhcb-and-classic");
  const auto answers = server.InstantAnswers("1795315032");
  const std::string metric = "scheduler_scheduling_attempt_duration_seconds";
  const auto read = [&](const std::string& name) {
    return ReadApiAnswer(answers.at(name + "[1m]")).answer.series;
  };
  const auto unfolded = ByName(Unfolded(read(metric)));
  std::size_t buckets = 0;
  for (const Series& series : read(metric + "_bucket")) {
    const auto found = unfolded.find(series.labels.ToString());
    if (found == unfolded.end()) {
      EXPECT_EQ(series.samples.back().v, 0) << series.labels.ToString();
      continue;
    }
    EXPECT_EQ(found->second, series.samples) << found->first;
    ++buckets;
  }
  EXPECT_EQ(buckets, 15u);
  for (const Series& series : read(metric + "_count")) {
    EXPECT_EQ(unfolded.at(series.labels.ToString()), series.samples);
  }
}

}  // namespace
}  // namespace schedlens
