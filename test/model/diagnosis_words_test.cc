#include <gtest/gtest.h>

#include "contract/diagnosis.h"

namespace schedlens {
namespace {

TEST(DiagnosisWordsTest, AreTheWordsOfTheContract) {
  EXPECT_EQ(ToString(Verdict::kIncident), "incident");
  EXPECT_EQ(ToString(Verdict::kNoIncident), "no-incident");
  EXPECT_EQ(ToString(Verdict::kArtifact), "artifact");
  EXPECT_EQ(ToString(Verdict::kUndecidable), "undecidable");
  EXPECT_EQ(ToString(Verdict::kInsufficientData), "insufficient-data");
  EXPECT_EQ(ToString(Confidence::kCertain), "certain");
  EXPECT_EQ(ToString(Confidence::kLikely), "likely");
  EXPECT_EQ(ToString(Confidence::kPossible), "possible");
  EXPECT_EQ(ToString(Decided::kAbove), "above");
  EXPECT_EQ(ToString(Decided::kBelow), "below");
  EXPECT_EQ(ToString(Decided::kUndecidable), "undecidable");
}

}  // namespace
}  // namespace schedlens
