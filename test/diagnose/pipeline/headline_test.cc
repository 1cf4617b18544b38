#include <gtest/gtest.h>

#include "diagnose/pipeline/gather.h"
#include "diagnose/pipeline/verdict.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

Finding Cause(const std::string& id, Confidence confidence, double share) {
  Finding cause;
  cause.id = id;
  cause.title = Message("finding." + id + ".title");
  cause.confidence = confidence;
  cause.share = Estimated(share, "1", BasisKind::kSums);
  return cause;
}

Diagnosis Incident(std::vector<Finding> findings) {
  Diagnosis d;
  d.verdict = Verdict::kIncident;
  d.findings = std::move(findings);
  return d;
}

std::string English(std::vector<Finding> findings) {
  return InEnglish(Headline(Incident(std::move(findings))));
}

TEST(HeadlineTest, SaysHowSureItIs) {
  const auto sentence = [](Confidence confidence) {
    return English({Cause("bind.extender", confidence, 0.978)});
  };
  EXPECT_EQ(sentence(Confidence::kCertain),
            "Proven: an extender's bind call is slow (97.8 % of all e2e time).");
  EXPECT_EQ(sentence(Confidence::kLikely),
            "Likely: an extender's bind call is slow (97.8 % of all e2e time).");
  EXPECT_EQ(sentence(Confidence::kPossible),
            "Possibly: an extender's bind call is slow (97.8 % of all e2e time).");
}

TEST(HeadlineTest, CountsTheOtherCausesAndNoRemarks) {
  const Finding first = Cause("bind.extender", Confidence::kCertain, 0.978);
  const Finding second = Cause("attempts.error", Confidence::kLikely, 0.07);
  const Finding possible = Cause("reserve", Confidence::kPossible, 0.3);
  const Finding small = Cause("preemption", Confidence::kLikely, 0.004);
  const Finding remark = Cause("quantile.saturated", Confidence::kCertain, 0);
  EXPECT_EQ(English({first, possible, small, second, remark}),
            "Proven: an extender's bind call is slow (97.8 % of all e2e time), and 1 more cause.");
  EXPECT_EQ(English({first, possible, small, remark}),
            "Proven: an extender's bind call is slow (97.8 % of all e2e time).");
  EXPECT_EQ(English({remark}), "Attempts are slow.");
}

TEST(HeadlineTest, NamesTheRunnerUpWhereTheFirstIsNotProven) {
  const Finding first = Cause("algorithm.filter", Confidence::kLikely, 0.6);
  const Finding second = Cause("bind.client-throttling", Confidence::kPossible, 0.3);
  const Finding third = Cause("reserve", Confidence::kLikely, 0.1);
  const Finding small = Cause("preemption", Confidence::kPossible, 0.002);
  EXPECT_EQ(English({first, second}),
            "Likely: the Filter plugins take the time (60.0 % of all e2e time). Runner-up: the "
            "scheduler's own client limit delays binds; what tells them apart: a CPU profile of "
            "the scheduler.");
  EXPECT_EQ(English({first, small}),
            "Likely: the Filter plugins take the time (60.0 % of all e2e time).");
  EXPECT_EQ(English({first, third, third}),
            "Likely: the Filter plugins take the time (60.0 % of all e2e time), and 2 more "
            "causes. Runner-up: the Reserve plugins take the time; what tells them apart: a CPU "
            "profile of the scheduler.");
}

TEST(HeadlineTest, IsTheSameInChinese) {
  const Message headline =
      Headline(Incident({Cause("bind.extender", Confidence::kLikely, 0.978),
                         Cause("attempts.error", Confidence::kPossible, 0.1)}));
  EXPECT_EQ(Catalog::Of("zh").Write(headline),
            "很可能：extender 的 bind 调用很慢（占全部 e2e 时间的 97.8%）。其次：调度以错误告终。"
            "分清二者的依据：extender 自己的 bind 耗时。");
}

TEST(HeadlineTest, WithoutACauseAnIncidentSaysWhatIsKnown) {
  Diagnosis d;
  d.verdict = Verdict::kUndecidable;
  EXPECT_EQ(Headline(d).id, "headline.undecidable");
  d.verdict = Verdict::kIncident;
  EXPECT_EQ(Headline(d).id, "headline.slow");
  d.alert.emplace().decided = Decided::kAbove;
  EXPECT_EQ(InEnglish(Headline(d)),
            "The alert is truly above its threshold; this data cannot tell what caused it.");
}

/// A slow binding call with a webhook behind it.
Finding WithWebhook(Confidence confidence) {
  Finding cause = Cause("bind.apiserver", Confidence::kLikely, 0.8);
  CauseBehind behind;
  behind.id = "apiserver.webhook";
  behind.object = "quota.policy.example";
  behind.title = Message("behind.apiserver.webhook", {{"object", behind.object}});
  behind.confidence = confidence;
  behind.share = Bounded(0.5, 0.6, 0.7, "1", BasisKind::kControlPlane);
  cause.behind = {behind};
  return cause;
}

TEST(HeadlineTest, NamesWhatIsBehindTheBindingCall) {
  EXPECT_EQ(English({WithWebhook(Confidence::kLikely)}),
            "Likely: the webhook quota.policy.example is slow on pods/binding (60.0 % of all e2e "
            "time).");
  EXPECT_EQ(
      English({WithWebhook(Confidence::kCertain), Cause("reserve", Confidence::kLikely, 0.1)}),
      "Proven: the webhook quota.policy.example is slow on pods/binding (60.0 % of all e2e time), "
      "and 1 more cause.");
  EXPECT_EQ(English({WithWebhook(Confidence::kPossible)}),
            "Likely: the binding call is slow: API server or the path to it (80.0 % of all e2e "
            "time).");
}

TEST(HeadlineTest, WhoCreatesThePodsIsNotWhatTheyWaitFor) {
  Finding cause = Cause("bind.client-throttling", Confidence::kCertain, 0.978);
  CauseBehind load;
  load.id = "load.workload";
  load.title = Message("behind.load.workload", {{"object", "shop/cart"}});
  load.confidence = Confidence::kLikely;
  cause.behind = {load};
  EXPECT_EQ(English({cause}),
            "Proven: the scheduler's own client limit delays binds (97.8 % of all e2e time).");
}

TEST(HeadlineTest, SaysThatNothingIsSlower) {
  Diagnosis d;
  d.verdict = Verdict::kNoIncident;
  d.attempts = 7235;
  EXPECT_EQ(InEnglish(Headline(d)),
            "No incident: 7235 attempts, none of them slower than expected.");
}

}  // namespace
}  // namespace schedlens
