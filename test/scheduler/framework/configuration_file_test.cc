#include "scheduler/framework/configuration_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "schedlens/error.h"

namespace schedlens::sim::core {
namespace {

std::string Places(const std::string& text) {
  std::string out;
  for (const auto& [map, place] : ConfigurationsIn(text, "f")) {
    out += place + (IsPolicy(map) ? " policy; " : "; ");
  }
  return out;
}

TEST(ConfigurationsIn, LooksIntoDocumentsListsAndConfigMaps) {
  EXPECT_EQ(Places("kind: KubeSchedulerConfiguration"), "f; ");
  EXPECT_EQ(Places("kind: Pod\n---\n---\n{kind: Policy, apiVersion: v1}\n"), "f policy; ");
  EXPECT_EQ(Places("kind: List\nitems:\n- kind: ConfigMap\n  data:\n    b: 'no: [yaml'\n"
                   "    a: '{kind: KubeSchedulerConfiguration}'\n"),
            "f (a); ");
  EXPECT_EQ(Places("{kind: Policy, apiVersion: kyverno.io/v1}"), "");
  EXPECT_EQ(Places(""), "");
}

// A machine's configuration, and the files that a node is set up with.
TEST(ConfigurationsIn, LooksIntoFieldsAndTextsOfOtherObjects) {
  EXPECT_EQ(Places("cluster:\n  scheduler:\n    config: {kind: KubeSchedulerConfiguration}\n"),
            "f; ");
  EXPECT_EQ(Places("kind: NodeSetUp\nspec:\n  files:\n  - path: /etc/x\n    content: |\n"
                   "      kind: KubeSchedulerConfiguration\n"),
            "f (content); ");
  EXPECT_EQ(Places("kind: ConfigMap\nmetadata: {annotations: {applied: "
                   "'{kind: KubeSchedulerConfiguration}'}}\n"),
            "");
}

// Scripts stand beside it.
TEST(ConfigurationsIn, ATextThatIsNotYamlIsToldWhereNothingElseIsFound) {
  const std::string script = "kind: ConfigMap\ndata:\n  b: '{ KubeSchedulerConfiguration: ['\n";
  EXPECT_EQ(Places(script + "  c: 'kind: KubeSchedulerConfiguration'\n"), "f (c); ");
  EXPECT_THROW(Places(script), Error);
}

TEST(ConfigurationsIn, WhereThereIsNoneTheFileIsToldWhatItHas) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      ThrowNoConfiguration(text, "f");
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(said("kind: Role\n---\nkind: DeschedulerPolicy\n"),
              testing::EndsWith("other documents, not DeschedulerPolicy, Role"));
  EXPECT_THAT(said("kind: Pod\nspec: {containers: [{command: [kube-scheduler, "
                   "--config=/etc/s.yaml, --v=2]}]}\n"),
              testing::EndsWith(", not Pod; give the file that --config names, /etc/s.yaml"));
  EXPECT_THAT(said("a: b"), testing::EndsWith("other documents"));
}

// A static pod, and what runs it otherwise.
TEST(ConfigurationOfFlags, AContainersFlagsAreTheConfigurationWhereItNamesNoFile) {
  const auto pod = [](const std::string& container) {
    return "kind: Pod\nspec:\n  containers:\n  - " + container + "\n";
  };
  const struct {
    std::string text;
    double qps;
    int burst, minor;
    const char* remark;
  } rows[] = {
      {pod("{image: 'r.io/kube-scheduler:v1.31.2', command: [kube-scheduler, --kube-api-qps=100, "
           "--kube-api-burst=150, --leader-elect=true]}"),
       100, 150, 31, "--kube-api-qps=100 --kube-api-burst=150 --leader-elect=true"},
      {pod("{image: 'r.io/kube-scheduler:v1.31.2', command: [kube-scheduler, --leader-elect, "
           "--kube-api-qps=100]}"),
       100, 100, 31, "--kube-api-qps=100 --kube-api-burst=100 --leader-elect=true"},
      {pod("{image: 'r.io/kube-scheduler:v1.31.2', command: [kube-scheduler, --leader-elect, "
           "-v=2]}"),
       50, 100, 31, "--kube-api-qps=50 --kube-api-burst=100 --leader-elect=true"},
      {pod("{image: 'r.io/kube-scheduler:v1.31.2', command: [kube-scheduler, --kube-api-burst, "
           "'-1', --leader-elect]}"),
       50, -1, 31, "--kube-api-qps=50 --kube-api-burst=-1 --leader-elect=true"},
      {pod("{image: 'r.io/kube-scheduler@sha256:0', args: [--kube-api-qps, '20.5', --v=2]}"), 20.5,
       100, Release::kNewest, "--kube-api-qps=20.5 --kube-api-burst=100"},
      {pod("{image: 'r.io/all:v1.19.0', command: [sh, -c, '/bin/kube-scheduler "
           "--kube-api-burst=7']}"),
       50, 7, 19, "--kube-api-qps=50 --kube-api-burst=7"},
      {"kind: List\nitems:\n- {kind: Pod, spec: {containers: [{command: [proxy, "
       "--kube-api-qps=1]},\n"
       "    {command: [kube-scheduler, --kube-api-qps=0]}]}}\n",
       50, 100, Release::kNewest, "--kube-api-qps=50 --kube-api-burst=100"},
  };
  for (const auto& row : rows) {
    FoundInFile found;
    const Configuration read = ReadConfiguration(row.text, "f", std::nullopt, {}, &found);
    EXPECT_EQ(read.client_qps, row.qps);
    EXPECT_EQ(read.client_burst, row.burst);
    EXPECT_EQ(read.release.minor, row.minor) << row.remark;
    EXPECT_FALSE(read.profiles.empty());
    ASSERT_EQ(found.remarks.size(), 1U);
    EXPECT_EQ(found.remarks[0].kind, RemarkKind::kFlags);
    EXPECT_EQ(found.remarks[0].at, "f:4");
    EXPECT_EQ(found.remarks[0].name, row.remark);
  }
}

TEST(ConfigurationOfFlags, AFileThatTheyNameIsAskedFor) {
  const auto said = [](const std::string& command) -> std::string {
    try {
      ReadConfiguration("kind: Pod\nspec: {containers: [{command: " + command + "}]}\n", "f",
                        std::nullopt);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(said("[kube-scheduler, --config, /etc/s.yaml, --kube-api-qps=9]"),
              testing::EndsWith(", not Pod; give the file that --config names, /etc/s.yaml"));
  EXPECT_THAT(said("[kube-scheduler, --policy-config-file=/etc/p.json]"),
              testing::EndsWith("give the file that --config names, /etc/p.json"));
  EXPECT_EQ(said("[kube-scheduler, --kube-api-qps=many]"),
            "f:2: --kube-api-qps is `many`, not a number from -1 to 1000000000");
  EXPECT_THAT(said("[kube-proxy, --kube-api-qps=9]"),
              testing::EndsWith("other documents, not Pod"));
}

TEST(ConfigurationsIn, ATemplateIsToBeRenderedFirst) {
  try {
    Places("{{- define \"c\" }}\nkind: KubeSchedulerConfiguration\n{{- end }}\n");
    FAIL();
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_EQ(said.rfind("f:1: not YAML: ", 0), 0U) << said;
    EXPECT_NE(said.find("; a template is to be rendered first (helm template"), std::string::npos);
  }
}

}  // namespace
}  // namespace schedlens::sim::core
