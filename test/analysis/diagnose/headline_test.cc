#include "analysis/diagnose/headline.h"

#include <gtest/gtest.h>

#include "messages/catalog.h"

namespace schedlens {
namespace {

TEST(HeadlineTest, SaysTheVerdictInOneSentence) {
  Diagnosis d;
  d.verdict = Verdict::kIncident;
  Finding cause;
  cause.id = "bind.extender";
  cause.title = Message("finding.bind.extender.title");
  cause.share = Estimated(0.978, "1", BasisKind::kSums);
  d.findings = {cause};
  EXPECT_EQ(InEnglish(Headline(d)), "An extender's bind call is slow: 97.8 % of all e2e time.");
  Finding remark;
  remark.id = "quantile.saturated";
  Finding second;
  second.id = "attempts.error";
  d.findings = {cause, second, remark};
  EXPECT_EQ(InEnglish(Headline(d)),
            "An extender's bind call is slow: 97.8 % of all e2e time, and 1 more cause.");
  d.verdict = Verdict::kNoIncident;
  d.attempts = 7235;
  EXPECT_EQ(InEnglish(Headline(d)),
            "No incident: 7235 attempts, none of them slower than expected.");
}

}  // namespace
}  // namespace schedlens
