#include <gtest/gtest.h>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;

/// The increase of the composed attempts, and of those measured, over a recording.
std::pair<Amount, Amount> ComposedAndMeasured(const std::vector<Attempt>& attempts) {
  test::Recorder r;
  r.Run({});
  r.Scrape(0);
  for (const Attempt& attempt : attempts) r.Run(attempt);
  r.Scrape(5000);
  test::SelectorSource source(r.series());
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {-1, 5000});
  const Histograms histograms = GroupAll(facts);
  const auto increase = [&](const HistogramFacts& of) {
    return Total(CellsOf(of, facts.targets, {0, 5000}));
  };
  return {increase(ComposeAttempts(histograms)), increase(histograms.attempt)};
}

TEST(ComposedAttempts, PartsAddUpToWhatWasMeasured) {
  const auto [composed, measured] =
      ComposedAndMeasured({{.filter = 0.3}, {.bind = 2}, {.prebind = 1}});
  EXPECT_EQ(composed.count, 3);
  EXPECT_LE(composed.seconds, measured.seconds);
  EXPECT_NEAR(composed.seconds, measured.seconds, 0.01 * measured.seconds);
}

TEST(ComposedAttempts, ARestartTakesAllPartsWithIt) {
  const auto series = [](const Labels& labels, std::vector<TimeMs> times,
                         std::vector<double> counts) {
    HistogramSeries out;
    out.labels = labels;
    out.bounds = {INFINITY};
    out.times = std::move(times);
    out.cumulative = out.counts = out.sums = std::move(counts);
    return out;
  };
  const Labels target({{"pod", "p"}});
  Histograms histograms;
  histograms.algorithm.children = {series(target, {0, 5, 10, 15}, {90, 100, 2, 3})};
  // Nothing is bound until long after the restart.
  histograms.extension_point.children = {
      series(target.With("extension_point", "Bind"), {0, 5, 15}, {900, 1000, 1})};
  const HistogramFacts composed = ComposeAttempts(histograms);
  ASSERT_EQ(composed.children.size(), 1u);
  EXPECT_EQ(composed.children[0].sums, (std::vector<double>{990, 1100, 2, 4}));
  EXPECT_EQ(composed.children[0].counts, (std::vector<double>{900, 1000, 0, 1}));
}

TEST(ComposedAttempts, NothingWithoutTheAlgorithm) {
  Histograms histograms;
  EXPECT_TRUE(ComposeAttempts(histograms).children.empty());
  EXPECT_TRUE(ComposeAttempts(histograms).family.empty());
}

}  // namespace
}  // namespace schedlens
