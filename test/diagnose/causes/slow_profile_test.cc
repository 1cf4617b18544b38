#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/causes/findings.h"
#include "diagnose/causes/measurement.h"
#include "diagnose/incident.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Attempt;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Every fifth attempt is of the profile gpu, which has `gpu` seconds in Filter; the others `rest`.
test::Recorded Record(double gpu, double rest, int per_scrape = 50) {
  test::Recorder r;
  test::RecordIncident(
      &r,
      [&](int i) {
        Attempt a = test::Quick(i);
        const bool is_gpu = i % 5 == 0;
        if (is_gpu) a.profile = "gpu";
        if (i % 3 == 0) a.filter = is_gpu ? gpu : rest;
        return a;
      },
      per_scrape);
  return test::Judge(r);
}

std::optional<SlowProfile> Find(const test::Recorded& r) { return FindSlowProfile(r.c.now.cells); }

TEST(FindSlowProfileTest, NamesTheOneWhoseAttemptsAreSlow) {
  const auto slow = Find(Record(2, 0.001));
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->profile, "gpu");
  EXPECT_EQ(slow->own.count(), 300);
  EXPECT_EQ(slow->rest.count(), 1200);
}

TEST(FindSlowProfileTest, SaysNothingWhereProfilesAreAlike) {
  EXPECT_FALSE(Find(Record(2, 2)));
  EXPECT_FALSE(Find(Record(0.001, 0.001)));
  EXPECT_FALSE(Find(Record(0.09, 0.001))) << "nobody is paged for a tenth of a second";
}

TEST(FindSlowProfileTest, SaysNothingOfAHandfulOfAttempts) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) {
    Attempt a = test::Quick(i);
    if (i > 1500 && i < 1506) a = {.filter = 2, .profile = "gpu"};
    return a;
  });
  EXPECT_FALSE(Find(test::Judge(r)));
}

TEST(FindSlowProfileTest, OneProfileIsNotComparedWithItself) {
  EXPECT_FALSE(
      Find(test::Judge([](int i) { return i % 5 ? test::Quick(i) : Attempt{.bind = 2}; })));
}

TEST(FindSlowProfileTest, TheReportNamesItWithBothNumbers) {
  std::vector<std::string> said;
  for (const Finding& remark : FindRemarks(Record(2, 0.001).c, {})) {
    if (remark.id == "quantile.profile") said.push_back(InEnglish(remark.evidence.at(0).text));
  }
  EXPECT_THAT(said, ElementsAre(HasSubstr("Profile gpu: p99 1.024–2.048 s of 300 attempts")));
}

}  // namespace
}  // namespace schedlens
