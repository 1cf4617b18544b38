#include "analysis/composed_attempts.h"

#include <gtest/gtest.h>

#include "analysis/incident.h"

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
  const Histograms histograms = GroupAll(facts, nullptr);
  const auto increase = [&](const HistogramFacts& of) {
    return Total(CellsOf(of, facts, {0, 5000}));
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

TEST(ComposedAttempts, NothingWithoutTheAlgorithm) {
  Histograms histograms;
  EXPECT_TRUE(ComposeAttempts(histograms).children.empty());
  EXPECT_TRUE(ComposeAttempts(histograms).family.empty());
}

}  // namespace
}  // namespace schedlens
