#include <gtest/gtest.h>

#include <set>

#include "schedlens/estimate.h"

namespace schedlens {
namespace {

TEST(Measured, ExactHasNoWidth) {
  const Measured m = Exact(1.5, "s");
  EXPECT_EQ(m, (Measured{1.5, 1.5, 1.5, "s", BasisKind::kExact}));
}

TEST(Measured, EstimatedProvesNothing) {
  const Measured m = Estimated(0.2, "1", BasisKind::kLossySample);
  EXPECT_EQ(m.value, 0.2);
  EXPECT_FALSE(m.low.has_value() || m.high.has_value());
}

TEST(Measured, BoundedClampsThePointIntoTheBounds) {
  EXPECT_EQ(Bounded(1, 3, 2, "s", BasisKind::kBuckets).value, 2);
  EXPECT_EQ(Bounded(1, 0, 2, "s", BasisKind::kBuckets).value, 1);
  EXPECT_EQ(Bounded(1, 1.5, 2, "s", BasisKind::kBuckets).value, 1.5);
  const Measured crossed = Bounded(2, 1, 1.9999999999999998, "s", BasisKind::kBuckets);
  EXPECT_LE(*crossed.low, *crossed.value);
  EXPECT_LE(*crossed.value, *crossed.high);
}

TEST(Basis, EveryRuleHasWordsOfItsOwnThatReadBack) {
  std::set<std::string> seen;
  for (int i = 0; i < static_cast<int>(BasisKind::kOther); ++i) {
    const Basis basis(static_cast<BasisKind>(i));
    const std::string words = ToString(basis);
    EXPECT_EQ(words.empty(), basis.empty()) << i;
    EXPECT_TRUE(seen.insert(words).second) << words;
    EXPECT_EQ(ParseBasis(words), basis) << words;
  }
}

TEST(Basis, WordsMayHoldAnyMark) {
  EXPECT_EQ(ToString(Basis(BasisKind::kReconstruction)),
            "proven, any pairing; value by reconstruction");
}

TEST(Basis, NamesTheHistogramsThatNarrowed) {
  Basis basis(BasisKind::kScrapeSums);
  basis.names = {"binding_duration", "extension_point{Bind}"};
  EXPECT_EQ(ToString(basis), "per-scrape sums and binding_duration and extension_point{Bind}");
  EXPECT_EQ(ParseBasis(ToString(basis)), basis);
}

TEST(Basis, OtherWordsStayAsTheyAre) {
  for (const char* words : {"harmonic middle", " and more", "guesses and binding_duration", " "}) {
    const Basis basis = ParseBasis(words);
    EXPECT_EQ(basis.kind, BasisKind::kOther) << words;
    EXPECT_EQ(ToString(basis), words);
  }
}

}  // namespace
}  // namespace schedlens
