#include "replay/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "replay/played.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

TEST(ParseChangeTest, ReadsEveryForm) {
  const Change value = ParseChange("bind.extender=0");
  EXPECT_EQ(value.key, "bind.extender");
  EXPECT_EQ(value.kind, ChangeKind::kSet);
  const Change factor = ParseChange("algorithm.filter*=0.5");
  EXPECT_EQ(factor.key, "algorithm.filter");
  EXPECT_EQ(factor.kind, ChangeKind::kMultiply);
  EXPECT_EQ(factor.value, 0.5);
  EXPECT_EQ(ParseChange("bind.request=baseline").kind, ChangeKind::kBaseline);
  EXPECT_EQ(ParseChange("nodes=10000").value, 10000);
  EXPECT_EQ(ParseChange("bind.request=50ms").value, 0.05);
  EXPECT_EQ(ParseChange("backoff=2m").value, 120);
  EXPECT_EQ(ParseChange("extender=removed").kind, ChangeKind::kRemoved);
  EXPECT_EQ(ParseChange("Score/ImageLocality=removed").key, "Score/ImageLocality");
  EXPECT_EQ(ParseChange("InterPodAffinity*=0").value, 0);
  EXPECT_EQ(ParseChange("qps=100").value, 100);
  EXPECT_EQ(ParseChange("Filter/NodeResourceTopologyMatch=2ms").value, 0.002);
  EXPECT_EQ(ParseChange("webhook.quota.policy.example=removed").kind, ChangeKind::kRemoved);
  EXPECT_EQ(ParseChange("fsync=baseline").kind, ChangeKind::kBaseline);
  EXPECT_EQ(ParseChange("apiserver.webhook/quota.policy.example=baseline").key,
            "webhook.quota.policy.example");
  EXPECT_EQ(ParseChange("preemption=off").value, 0);
  EXPECT_EQ(ParseChange("preemption=off").kind, ChangeKind::kSet);
  EXPECT_EQ(ParseChange("bind.client-throttling=removed").value, 1e5);
  EXPECT_EQ(ParseChange("percentageOfNodesToScore=0").value, 0);
  const Change file = ParseChange("config=a=b.yaml");
  EXPECT_EQ(file.kind, ChangeKind::kFile);
  EXPECT_EQ(file.file, "a=b.yaml");
}

TEST(ParseChangeTest, BadOnesSayWhatIsWrongInOneLine) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "expected KEY=VALUE"},
      {"bind.extender", "expected KEY=VALUE"},
      {"=3", "expected KEY=VALUE"},
      {"bind.extendor=0", "did you mean bind.extender?"},
      {"node=5000", "did you mean nodes?"},
      {"conf=a.yaml", "did you mean config?"},
      {"client.qps=fast", "no number"},
      {"client.qps=-1", "no number"},
      {"client.qps=nan", "no number"},
      {"client.qps=inf", "no number"},
      {"client.qps=0", "0.01 to 100000 requests a second"},
      {"client.qps*=0", "must be over 0"},
      {"client.qps=baseline", "only costs, rate and pods that fail have one"},
      {"client.burst=0.5", "1 to 1000000 requests"},
      {"nodes=0", "1 to 100000 nodes"},
      {"nodes=1e9", "1 to 100000 nodes"},
      {"nodes=2.5", "no whole number"},
      {"rate=1e9", "0.001 to 10000 pods a second"},
      {"bind.extender=1e9", "0 to 3600 seconds"},
      {"bind.extender*=1e9", "a factor over 1000"},
      {"extendr=removed", "did you mean extender?"},
      {"paralelism=4", "did you mean parallelism?"},
      {"plugin*=2", "it is no cost or setting"},
      {"queue.gated=removed", "it is no cost or setting; `schedlens explain queue.gated` says"},
      {"snapshots=removed", "unknown key; `schedlens whatif --help` lists them"},
      {"nodes=removed", "cannot be removed"},
      {"bind.network=5ms", "expected bind.network=baseline"},
      {"attempts.unschedulable=3", "expected attempts.unschedulable=removed or"},
      {"extender=0", "expected extender=removed"},
      {"extender*=0", "expected extender=removed"},
      {"ImageLocality=3", "expected [Point/]NAME*=FACTOR"},
      {"Filter/Coscheduling=fast", "no number"},
      {"webhook=removed", "unknown key"},
      {"webhook.=removed", "unknown key"},
      {"webhook.quota=0", "expected webhook.NAME=removed or webhook.NAME=baseline"},
      {"etcd.fsync=10ms", "expected etcd.fsync=baseline"},
      {"running=5", "expected running*=FACTOR"},
      {"percentageOfNodesToScore=101", "0 to 100 %"},
      {"parallelism=2.5", "no whole number of workers"},
      {"cores=0", "1 to 1000 cores"},
      {"backoff=0", "0.001 to 3600 seconds"},
      {"bind.request=5xs", "no number"},
      {"rate=5s", "no number"},
      {"config=", "expected config=FILE"},
      {"config*=2", "expected config=FILE"},
  };
  for (const auto& c : cases) {
    try {
      ParseChange(c.text);
      ADD_FAILURE() << c.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << c.text;
      EXPECT_THAT(error.what(), HasSubstr(c.message));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << c.text;
    }
  }
}

TEST(ChangeKeysTest, AreOnOneLine) {
  EXPECT_THAT(ChangeKeys(), HasSubstr("client.qps, client.burst, rate, nodes, "));
}

Changed Start(const Investigation& investigation) {
  const Fitted fitted = FitScenario(investigation);
  return {fitted, fitted, false, {}};
}

TEST(ApplyTest, BaselineTakesTheQuietCost) {
  const test::Played played = test::Play("bind.apiserver");
  Changed changed = Start(played.investigation);
  Apply(ParseChange("bind.request=baseline"), played.investigation, &changed);
  const auto& segments = changed.likely.scenario.segments;
  EXPECT_EQ(segments.back().conditions.costs[sim::Cost::kBindApi].wall.Mean(),
            segments.front().conditions.costs[sim::Cost::kBindApi].wall.Mean());
  EXPECT_FALSE(changed.differ);
}

TEST(ApplyTest, WithoutABaselineItSaysSo) {
  test::Played played = test::Play("bind.apiserver");
  played.investigation.evidence->baseline.reset();
  Changed changed = Start(played.investigation);
  try {
    Apply(ParseChange("bind.request=baseline"), played.investigation, &changed);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
    EXPECT_THAT(error.what(), HasSubstr("--baseline"));
  }
}

TEST(ApplyTest, AnExtenderThatIsNotThereIsNoChange) {
  const test::Played played = test::Play("healthy");
  Changed changed = Start(played.investigation);
  Apply(ParseChange("bind.extender=0"), played.investigation, &changed);
  EXPECT_THAT(InEnglish(changed.assumptions), testing::ElementsAre(HasSubstr("is no change")));
}

}  // namespace
}  // namespace schedlens
