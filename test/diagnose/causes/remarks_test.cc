#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/causes/findings.h"
#include "diagnose/incident.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Attempt;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Ids(const WindowEvidence& c,
                             const std::optional<AlertVerdict>& alert = {}) {
  std::vector<std::string> ids;
  for (const Finding& remark : FindRemarks(c, alert)) ids.push_back(remark.id);
  return ids;
}

TEST(RemarksTest, QuickFailuresThatDrownSlowPodsAreAPopulationRemark) {
  const auto r = test::Judge([](int i) {
    if (i % 10) return Attempt{.result = "unschedulable"};
    return i % 50 ? test::Quick(i) : Attempt{.unmeasured = 3};
  });
  EXPECT_THAT(Ids(r.c), Contains("quantile.population"));
  const auto inversion = FindInversion(r.c.now.cells);
  ASSERT_TRUE(inversion);
  EXPECT_TRUE(inversion->witness);
}

TEST(RemarksTest, WithoutFailuresTheOrderIsRight) {
  const auto r = test::Judge([](int i) { return i % 10 ? test::Quick(i) : Attempt{.filter = 2}; });
  EXPECT_FALSE(FindInversion(r.c.now.cells));
  EXPECT_THAT(Ids(r.c), Not(Contains("quantile.population")));
}

TEST(RemarksTest, TheOpenBucketIsSaid) {
  const auto r = test::Judge([](int i) { return i % 10 ? test::Quick(i) : Attempt{.bind = 40}; });
  EXPECT_THAT(Ids(r.c), Contains("quantile.saturated"));
}

TEST(RemarksTest, AnUndecidableThresholdIsSaid) {
  AlertVerdict alert;
  alert.threshold = 1;
  alert.shown = 1.2;
  alert.decided = Decided::kUndecidable;
  EXPECT_THAT(Ids(test::Judge(test::Quick).c, alert), Contains("quantile.threshold-inside-bucket"));
}

TEST(RemarksTest, AQuietWindowNeedsNone) {
  EXPECT_THAT(Ids(test::Judge(test::Quick).c), IsEmpty());
}

}  // namespace
}  // namespace schedlens
