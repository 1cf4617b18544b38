#include "schedlens/basis.h"

#include <gtest/gtest.h>

#include <set>

namespace schedlens {
namespace {

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
