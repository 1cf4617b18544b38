#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "replay/change.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = R"(
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
clientConnection:
  qps: 80
  burst: 160
extenders:
- urlPrefix: http://gpu:8080/scheduler
  bindVerb: bind
  httpTimeout: 30s
  nodeCacheCapable: true
  managedResources:
  - name: example.com/gpu
)";

Diagnosis WithFinding(const std::string& id, Confidence confidence) {
  Diagnosis diagnosis;
  Finding finding;
  finding.id = id;
  finding.confidence = confidence;
  diagnosis.findings.push_back(finding);
  return diagnosis;
}

TEST(NamedConfiguration, NamesTheExtenderThatBinds) {
  const Diagnosis named =
      WithConfiguration(WithFinding("bind.extender", Confidence::kCertain), kFile, "c.yaml");
  ASSERT_EQ(named.findings.size(), 1U);
  ASSERT_EQ(named.findings[0].evidence.size(), 1U);
  EXPECT_EQ(
      InEnglish(named.findings[0].evidence[0].text),
      "c.yaml configures http://gpu:8080/scheduler (bindVerb bind; timeout 30 s; only pods that "
      "request example.com/gpu).");
}

// To look a thing up in the file is no step for who has given it.
TEST(NamedConfiguration, LeavesOutTheStepThatItAnswers) {
  Diagnosis diagnosis = WithFinding("bind.extender", Confidence::kCertain);
  for (const char* step : {"finding.bind.extender.step.1", "finding.bind.extender.step.2"}) {
    NextStep next;
    next.text = Message(step);
    diagnosis.findings[0].next_steps.push_back(next);
  }
  const Diagnosis named = WithConfiguration(diagnosis, kFile, "c.yaml");
  ASSERT_EQ(named.findings.at(0).next_steps.size(), 1U);
  EXPECT_EQ(named.findings[0].next_steps[0].text.id, "finding.bind.extender.step.2");
  // A file without the extender answers nothing.
  const Diagnosis other = WithConfiguration(
      diagnosis, "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
      "c.yaml");
  EXPECT_EQ(other.findings.at(0).next_steps.size(), 2U);
}

TEST(NamedConfiguration, NamesTheClientsLimit) {
  const Diagnosis named = WithConfiguration(
      WithFinding("bind.client-throttling", Confidence::kLikely), kFile, "c.yaml");
  EXPECT_THAT(InEnglish(named.findings.at(0).evidence.at(0).text),
              HasSubstr("clientConnection.qps 80, burst 160"));
}

TEST(NamedConfiguration, NamesThePluginsOfAPoint) {
  const Diagnosis named =
      WithConfiguration(WithFinding("prebind", Confidence::kLikely), kFile, "c.yaml");
  EXPECT_THAT(InEnglish(named.findings.at(0).evidence.at(0).text),
              HasSubstr("PreBind plugins: VolumeBinding"));
}

TEST(NamedConfiguration, RulesOutAnExtenderThatIsNotThere) {
  const Diagnosis named =
      WithConfiguration(WithFinding("algorithm.extender", Confidence::kPossible), kFile, "c.yaml");
  EXPECT_TRUE(named.findings.empty());
  EXPECT_THAT(InEnglish(named.warnings.at(0)), HasSubstr("c.yaml rules out algorithm.extender"));
}

TEST(NamedConfiguration, HidesTheCredentialsOfAnExtender) {
  std::string file = kFile;
  file.replace(file.find("gpu:8080"), 8, "me:pw@gpu:8080");
  const Diagnosis named =
      WithConfiguration(WithFinding("bind.extender", Confidence::kCertain), file, "c.yaml");
  EXPECT_THAT(InEnglish(named.findings.at(0).evidence.at(0).text),
              HasSubstr("c.yaml configures http://<secret>@gpu:8080/scheduler"));
}

TEST(NamedConfiguration, DoesNotOverruleAProof) {
  const Diagnosis named =
      WithConfiguration(WithFinding("algorithm.extender", Confidence::kCertain), kFile, "c.yaml");
  EXPECT_EQ(named.findings.size(), 1U);
  EXPECT_THAT(InEnglish(named.warnings.at(0)),
              HasSubstr("it is not this scheduler's configuration"));
}

TEST(NamedConfiguration, LeavesOtherFindingsAlone) {
  const Diagnosis named =
      WithConfiguration(WithFinding("data.reset", Confidence::kCertain), kFile, "c.yaml");
  EXPECT_TRUE(named.findings.at(0).evidence.empty());
  EXPECT_TRUE(named.warnings.empty());
}

TEST(NamedConfiguration, RefusesWhatIsNoConfiguration) {
  EXPECT_THROW(WithConfiguration({}, "kind: Pod\n", "c.yaml"), Error);
  EXPECT_THROW(WithConfiguration({}, ": [", "c.yaml"), Error);
}

}  // namespace
}  // namespace schedlens
