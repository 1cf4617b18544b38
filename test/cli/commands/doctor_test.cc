#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

const std::string kCaptures = std::string(SCHEDLENS_TEST_DATA) + "/captures/";

TEST(DoctorCommand, ARealRecordingIsFitForDiagnosis) {
  const Ran ran = RunMain({"doctor", "--capture", kCaptures + "restart-and-two-replicas-A.om.gz"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* text : {"kube-scheduler-0", "kube-scheduler-1", "one every 5s", "restarted at",
                           "kube-scheduler 1.20", "will work with this source"}) {
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << "\n" << ran.out;
  }
}

TEST(DoctorCommand, AnotherProgramsMetricsAreExitFive) {
  const TempDir dir;
  const std::string file = dir.Write("x.om", "node_load1 1 1000\nnode_load1 2 1015\n# EOF\n");
  const Ran ran = RunMain({"doctor", "--capture", file});
  EXPECT_EQ(ran.code, 5);
  EXPECT_NE(ran.out.find("1 metrics: node_load1"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("will not work"), std::string::npos);
}

TEST(DoctorCommand, EveryLineHasItsEvidence) {
  for (const char* capture : {"restart-and-two-replicas-A.om.gz", "healthy-A.om.gz"}) {
    const Ran json = RunMain({"doctor", "--capture", kCaptures + capture, "-o", "json"});
    for (const auto& check : nlohmann::json::parse(json.out).at("checks")) {
      EXPECT_NE(check.at("evidence"), "") << check;
    }
    const Ran text = RunMain({"doctor", "--capture", kCaptures + capture});
    EXPECT_NE(text.out.find("evidence: samples from "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("evidence: count by (__name__"), std::string::npos) << "the release's";
  }
}

TEST(DoctorCommand, ASourceThatFailsIsADocumentToo) {
  const Ran ran = RunMain({"doctor", "--capture", "/no/such/file", "-o", "json"});
  EXPECT_EQ(ran.code, 1);
  const auto document = nlohmann::json::parse(ran.out);
  EXPECT_EQ(document["diagnosable"], false);
  EXPECT_EQ(document["checks"][0]["health"], "problem");
  EXPECT_NE(ran.err.find("/no/such/file"), std::string::npos) << ran.err;
  EXPECT_EQ(RunMain({"doctor", "--capture", "/no/such/file"}).out, "");
  EXPECT_EQ(RunMain({"doctor", "-o", "json"}).out, "") << "a wrong command line is none";
}

TEST(DoctorCommand, NeighboursThatAreThereAndThoseThatAreNot) {
  const std::string recording =
      std::string(SCHEDLENS_SOURCE_DIR) + "/examples/incidents/webhook-on-binding/metrics.om.gz";
  const Ran json = RunMain({"doctor", "--capture", recording, "-o", "json"});
  const auto document = nlohmann::json::parse(json.out);
  std::map<std::string, int> instances;
  for (const auto& seen : document.at("neighbours")) {
    instances[seen.at("component")] = seen.at("instances");
  }
  EXPECT_EQ(instances, (std::map<std::string, int>{{"kube-apiserver", 1},
                                                   {"etcd", 1},
                                                   {"kube-state-metrics", 1},
                                                   {"kube-controller-manager", 0},
                                                   {"csi-sidecar", 0}}));
  const auto& configurations = document.at("scrape_configurations");
  ASSERT_EQ(configurations.size(), 3U);
  const Ran text = RunMain({"doctor", "--capture", recording});
  for (const auto& one : configurations) {
    EXPECT_NE(text.out.find("\n" + one.at("yaml").get<std::string>()), std::string::npos)
        << one.at("tool") << " is printed as it is";
  }
}

TEST(DoctorCommand, Json) {
  const Ran ran = RunMain({"doctor", "--capture", kCaptures + "healthy-A.om.gz", "-o", "json"});
  const auto document = nlohmann::json::parse(ran.out);
  EXPECT_EQ(document["schema"], "schedlens.doctor/1");
  EXPECT_EQ(document["diagnosable"], true);
  EXPECT_EQ(document["checks"][0]["subject"], "source");
}

}  // namespace
}  // namespace schedlens
