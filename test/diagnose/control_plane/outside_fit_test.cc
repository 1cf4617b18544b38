#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "diagnose/control_plane/binding_path.h"

namespace schedlens {
namespace {

constexpr TimeMs kInterval = 15'000;
const Labels& Process() {
  static const Labels process({{"job", "apiserver"}, {"instance", "1"}});
  return process;
}

/// A process with the seconds that each of its counters grew between scrapes.
class ScrapedSource {
 public:
  explicit ScrapedSource(std::size_t steps) {
    for (std::size_t i = 0; i <= steps; ++i)
      facts_.scrapes[Process()].push_back(static_cast<TimeMs>(i) * kInterval);
  }
  Meter Of(const std::vector<double>& steps) const {
    Series series{Process(), {{0, 0}}, {}};
    for (const double step : steps) {
      const Sample& last = series.samples.back();
      series.samples.push_back({last.t + kInterval, last.v + step});
    }
    Meter meter(facts_);
    meter.Add(series);
    return meter;
  }

 private:
  ControlPlaneFacts facts_;
};

/// Seconds of so many calls of about `mean` seconds between two scrapes, 20 times.
std::vector<double> Calls(std::mt19937_64& random, double mean) {
  std::vector<double> steps(20);
  std::exponential_distribution<double> length(1 / mean);
  std::poisson_distribution<int> calls(100);
  for (double& step : steps) {
    for (int n = calls(random); n > 0; --n) step += length(random);
  }
  return steps;
}

constexpr TimeRange kAll{0, 20 * kInterval};

TEST(FitOutsideTest, TellsTheWebhookThatBindingsMeetFromOneAsSlow) {
  std::mt19937_64 random(3);
  const ScrapedSource scraped(20);
  for (int round = 0; round < 50; ++round) {
    const std::vector<double> met = Calls(random, 0.2), elsewhere = Calls(random, 0.3);
    const auto fitted = FitOutside(scraped.Of(met), {scraped.Of(met), scraped.Of(elsewhere)}, kAll);
    ASSERT_EQ(fitted.size(), 2u);
    EXPECT_GT(fitted[0].share, 0.95);
    EXPECT_LT(fitted[1].share, 0.05);
    EXPECT_FALSE(fitted[0].replaced);
    EXPECT_TRUE(fitted[1].replaced);
  }
}

TEST(FitOutsideTest, WhatRisesAndFallsTogetherIsATie) {
  std::mt19937_64 random(4);
  const ScrapedSource scraped(20);
  const std::vector<double> same = Calls(random, 0.2);
  const auto fitted = FitOutside(scraped.Of(same), {scraped.Of(same), scraped.Of(same)}, kAll);
  EXPECT_NEAR(fitted[0].share, fitted[1].share, 1e-3);
  EXPECT_TRUE(fitted[0].replaced);
  EXPECT_TRUE(fitted[1].replaced);
}

TEST(FitOutsideTest, AFewScrapesTellNothing) {
  const ScrapedSource scraped(2);
  const auto fitted =
      FitOutside(scraped.Of({3, 1}), {scraped.Of({3, 1}), scraped.Of({1, 3})}, {0, 2 * kInterval});
  EXPECT_TRUE(fitted[0].replaced);
  EXPECT_TRUE(fitted[1].replaced);
  EXPECT_TRUE(FitOutside(scraped.Of({3, 1}), {}, kAll).empty());
}

TEST(FitOutsideTest, NobodyMeetsMoreThanAll) {
  std::mt19937_64 random(5);
  const ScrapedSource scraped(20);
  const std::vector<double> one = Calls(random, 0.2);
  std::vector<double> twice = one;
  for (double& step : twice) step *= 2;
  EXPECT_EQ(FitOutside(scraped.Of(twice), {scraped.Of(one)}, kAll)[0].share, 1);
}

// Each more would cost its square.
TEST(FitOutsideTest, OfHundredsTheSlowestAreToldApartAndTheRestAsOne) {
  constexpr std::size_t kSteps = 100, kQuiet = 300;
  std::mt19937_64 random(5);
  const ScrapedSource scraped(kSteps);
  std::exponential_distribution<double> length(1);
  std::vector<Meter> own;
  for (std::size_t i = 0; i < kQuiet; ++i) {
    std::vector<double> steps(kSteps);
    for (double& step : steps) step = 0.001 * length(random);
    own.push_back(scraped.Of(steps));
  }
  std::vector<double> met(kSteps);
  for (double& step : met) step = 10 * length(random);
  own.push_back(scraped.Of(met));
  const auto fitted = FitOutside(scraped.Of(met), own, {0, kSteps * kInterval});
  ASSERT_EQ(fitted.size(), kQuiet + 1);
  EXPECT_GT(fitted.back().share, 0.95);
  EXPECT_FALSE(fitted.back().replaced);
  EXPECT_TRUE(std::all_of(fitted.begin(), fitted.end() - 1,
                          [](const OutsideShare& one) { return one.replaced; }));
}

}  // namespace
}  // namespace schedlens
