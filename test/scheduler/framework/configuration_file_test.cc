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
