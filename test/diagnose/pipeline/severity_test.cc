#include <gtest/gtest.h>

#include "diagnose/pipeline/gather.h"
#include "diagnose/pipeline/verdict.h"

namespace schedlens {
namespace {

Diagnosis Judged(Verdict verdict, double shown, FiresState fires = FiresState::kUnclear) {
  Diagnosis d;
  d.verdict = verdict;
  d.alert.emplace();
  d.alert->shown = shown;
  d.alert->fires.state = fires;
  return d;
}

TEST(SeverityTest, WorstFirst) {
  Diagnosis sure = Judged(Verdict::kIncident, 1), unsure = Judged(Verdict::kIncident, 9);
  sure.findings.emplace_back().confidence = Confidence::kCertain;
  unsure.findings.emplace_back().confidence = Confidence::kPossible;
  Diagnosis wrong = Judged(Verdict::kNoIncident, 9);
  wrong.alert->interval = {0.1, 0.2};
  const Diagnosis order[] = {Judged(Verdict::kNoIncident, 9, FiresState::kYes),
                             sure,
                             unsure,
                             Judged(Verdict::kUndecidable, 1),
                             Judged(Verdict::kArtifact, 1),
                             Judged(Verdict::kNoIncident, 2),
                             Judged(Verdict::kNoIncident, 1),
                             wrong,
                             Judged(Verdict::kInsufficientData, 9)};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    for (std::size_t j = 0; j < std::size(order); ++j) {
      EXPECT_EQ(SeverityOf(order[i]) < SeverityOf(order[j]), i < j) << i << " " << j;
    }
  }
}

TEST(SeverityTest, RanksAreInOrder) {
  EXPECT_LT(SeverityRank(Verdict::kIncident), SeverityRank(Verdict::kUndecidable));
  EXPECT_LT(SeverityRank(Verdict::kInsufficientData), SeverityRank(Verdict::kNoIncident));
}

}  // namespace
}  // namespace schedlens
