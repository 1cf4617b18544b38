#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "scheduler/cluster/objects_json.h"

namespace schedlens::sim::core {
namespace {

TEST(PodManifest, NamesFileAndLine) {
  const struct {
    const char* yaml;
    const char* error;
  } rows[] = {
      {"kind: Pod\nspec: [\n", "p.yaml:3: not YAML: "},
      {"- a\n", "p.yaml:1: not a Pod manifest"},
      {"kind: Pod\n", "p.yaml:1: a Pod needs a spec"},
      {"apiVersion: apps/v1\nkind: Deployment\nspec: {}\n",
       "p.yaml:2: kind must be Pod, not \"Deployment\""},
      {"kind: Pod\nspec:\n  container:\n  - {name: c}\n",
       "p.yaml:3: spec.containers must be a list with at least one container"},
      {"spec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        memory: 1Gi\n"
       "        cpu: lots\n",
       "p.yaml:7: "},
      {"kind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    resources:\n"
       "      requests:\n        memory: much\n",
       "p.yaml:9: Pod `p`: "},
      {"spec:\n  priority: high\n  containers: [{name: c}]\n", "p.yaml:2: "},
      {"spec:\n  containers: [{name: c}]\n  schedulingGates:\n  - {name: g}\n",
       "p.yaml:4: a pod with schedulingGates is not scheduled; remove them"},
      {"metadata: {name: p}\nspec:\n  containers: [{name: c}]\n  resourceClaims: [{name: g}]\n",
       "p.yaml: ? `p`: spec.resourceClaims (dynamic resource allocation) is not modelled"},
  };
  for (const auto& row : rows) {
    Strings strings;
    try {
      ReadPodFile(row.yaml, "p.yaml", strings);
      ADD_FAILURE() << row.yaml;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << row.yaml;
      EXPECT_EQ(std::string(error.what()).rfind(row.error, 0), 0U) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(PodManifest, ReadsWhatIsRight) {
  Strings strings;
  const PodObject pod = ReadPodFile(
      "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: {requests: {cpu: "
      "\"2\"}}}]}\n",
      "p.yaml", strings);
  EXPECT_EQ(pod.name, "p");
  ASSERT_EQ(pod.spec.containers.size(), 1U);
  EXPECT_EQ(pod.spec.containers[0].requests.milli_cpu, 2000);
}

}  // namespace
}  // namespace schedlens::sim::core
