#include "analysis/diagnose/gather.h"

#include <gtest/gtest.h>

#include "analysis/diagnose/diagnose.h"
#include "analysis/incident.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Attempt;

TEST(GatherTest, FindsTheCausesThatTheDiagnosisNames) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  test::SelectorSource source(r.series());
  const Investigation found = Gather(source, QuerySet::Embedded(), {});
  ASSERT_TRUE(found.evidence);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes.front().id, "bind.apiserver");
  EXPECT_TRUE(found.diagnosis.findings.empty());
  EXPECT_FALSE(found.diagnosis.alert) << "nothing but raw samples is asked for";
  EXPECT_EQ(found.diagnosis.window, found.evidence->now.breakdown.window);

  const Diagnosis concluded = Conclude(source, found);
  EXPECT_EQ(concluded.findings.at(0).id, found.causes.front().id);
  EXPECT_TRUE(concluded.alert);
}

TEST(GatherTest, WithoutASchedulerThereIsNoEvidenceAndNothingToConclude) {
  test::SelectorSource source({});
  const Investigation found = Gather(source, QuerySet::Embedded(), {});
  EXPECT_FALSE(found.evidence);
  EXPECT_TRUE(found.causes.empty());
  const std::string headline = InEnglish(found.diagnosis.headline);
  EXPECT_EQ(headline, "No kube-scheduler metrics were found here.");
  EXPECT_EQ(InEnglish(Conclude(source, found).headline), headline);
}

}  // namespace
}  // namespace schedlens
