#include "scheduler/base/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "schedlens/error.h"

namespace schedlens::sim {
namespace {

std::vector<double> Draw(const Distribution& distribution, int count) {
  Random random(11);
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(distribution.Sample(random));
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ParseQuantity, TakesUnitsProductsAndSums) {
  EXPECT_DOUBLE_EQ(ParseQuantity("200ms", 1), 0.2);
  EXPECT_DOUBLE_EQ(ParseQuantity("5us", 1), 5e-6);
  EXPECT_DOUBLE_EQ(ParseQuantity("2m", 1), 120);
  EXPECT_DOUBLE_EQ(ParseQuantity("1e+3", 1), 1000);
  EXPECT_DOUBLE_EQ(ParseQuantity("2*severity", 0.5), 1);
  EXPECT_DOUBLE_EQ(ParseQuantity("20+1.5*severity", 2), 23);
  for (const char* bad : {"", "x", "1 s x", "nan", "inf", "3*", "severely"}) {
    EXPECT_THROW(ParseQuantity(bad, 1), Error) << bad;
  }
}

TEST(Distribution, SamplesWhatItSays) {
  const struct {
    const char* text;
    double median, p90;
  } rows[] = {
      {"0.02", 0.02, 0.02},
      {"20ms", 0.02, 0.02},
      {"u(2,4)", 3, 3.8},
      {"ln(0.006,0.5)", 0.006, 0.006 * std::exp(0.5 * 1.2816)},
      {"exp(2)", 2 * std::log(2), 2 * std::log(10)},
      {"0.5*1+0.5*u(8,10)", 1, 9.6},
      {"hist(1:50,2:40,4:10)", 1, 2},
  };
  for (const auto& row : rows) {
    const std::vector<double> values = Draw(Distribution::Parse(row.text), 40'000);
    EXPECT_NEAR(values[values.size() / 2 - 1], row.median, row.median * 0.03) << row.text;
    EXPECT_NEAR(values[values.size() * 9 / 10], row.p90, row.p90 * 0.03) << row.text;
  }
}

TEST(Distribution, MeanIsTheMeanOfItsSamples) {
  for (const char* text : {"0.3", "u(1,3)", "ln(0.1,0.8)", "exp(0.2)", "hist(0.5:3,1:5,8:2)",
                           "0.95*ln(0.015,0.4)+0.05*u(4,8)"}) {
    const Distribution d = Distribution::Parse(text);
    double sum = 0;
    const std::vector<double> values = Draw(d, 200'000);
    for (double v : values) sum += v;
    EXPECT_NEAR(sum / 200'000, d.Mean(), d.Mean() * 0.02) << text;
    EXPECT_NEAR(d.Scaled(3).Mean(), 3 * d.Mean(), 1e-12) << text;
  }
}

// A draw finds its bucket however unevenly the counts lie.
TEST(Distribution, DrawsEachBucketAsOftenAsItIsCounted) {
  std::vector<std::pair<double, double>> buckets = {{1, 0}, {2, 9'000}};
  for (int i = 0; i < 100; ++i) buckets.emplace_back(3 + i, i % 3 == 0 ? 0 : 15);
  const Distribution d = Distribution::Empirical(buckets);
  const std::vector<double> values = Draw(d, 200'000);
  double below = 0;
  for (const auto& [bound, count] : buckets) {
    const auto upto = std::lower_bound(values.begin(), values.end(), bound) - values.begin();
    const double share = (static_cast<double>(upto) - below) / 200'000;
    EXPECT_NEAR(share, count / 9'990, 0.004) << bound;
    if (count == 0) {
      EXPECT_EQ(share, 0) << bound;
    }
    below = static_cast<double>(upto);
  }
}

TEST(Distribution, SeverityScalesWhatNamesIt) {
  const Distribution d = Distribution::Parse("0.9*0.1+0.1*u(2*severity,4*severity)", 2);
  EXPECT_DOUBLE_EQ(d.Mean(), 0.9 * 0.1 + 0.1 * 6);
}

TEST(Distribution, ReadsBackWhatItPrints) {
  for (const char* text : {"0", "0.02", "u(2,4)", "ln(0.006,0.5)", "exp(0.1)",
                           "0.25*ln(0.02,0.5)+0.75*u(1,2)", "hist(0.5:0.25,1:0.5,8:0.25)"}) {
    EXPECT_EQ(Distribution::Parse(text).ToString(), text);
    EXPECT_EQ(Distribution::Parse(Distribution::Parse(text).ToString()).ToString(), text);
  }
}

TEST(Distribution, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* why;
  } rows[] = {
      {"", "empty"},
      {"ln(0.006)", "2 arguments"},
      {"ln(0,1)", "positive"},
      {"ln(1,11)", "must not exceed 10"},
      {"u(4,2)", "above"},
      {"u(-1,2)", "negative"},
      {"-3", "negative"},
      {"weibull(1,2)", "unknown law `weibull`"},
      {"u(1,2", "parenthesis"},
      {"0.5*u(1,2)+0.4*u(2,3)", "add up to 0.9"},
      {"u(1,2)+u(2,3)", "weight*distribution"},
      {"hist(1:2,1:3)", "ascend"},
      {"hist(1:0)", "no bucket"},
      {"hist(1)", "LE:COUNT"},
  };
  for (const auto& row : rows) {
    try {
      Distribution::Parse(row.text);
      ADD_FAILURE() << row.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), testing::HasSubstr(row.why)) << row.text;
    }
  }
}

}  // namespace
}  // namespace schedlens::sim
