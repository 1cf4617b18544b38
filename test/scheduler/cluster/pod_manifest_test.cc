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
      {"apiVersion: apps/v1\nkind: Deployment\nspec: {}\n", "p.yaml:3: a Pod needs a spec"},
      {"apiVersion: apps/v1\nkind: DaemonSet\nspec: {}\n",
       "p.yaml:2: kind must be Pod, or what makes pods (Deployment, ReplicaSet, "
       "ReplicationController, StatefulSet, Job), not \"DaemonSet\""},
      {"kind: [Pod]\n", "p.yaml:1: kind must be Pod, not a list or a map"},
      {"kind: Pod\nspec:\n  container:\n  - {name: c}\n",
       "p.yaml:3: spec: unknown field `container`, did you mean `containers`?"},
      {"kind: Pod\nspec:\n  containers: []\n",
       "p.yaml:3: spec.containers must be a list with at least one container"},
      {"kind: Deployment\nspec:\n  template:\n    spec:\n      nodeSelectr: {a: b}\n",
       "p.yaml:5: spec.template.spec: unknown field `nodeSelectr`, did you mean `nodeSelector`?"},
      {"kind: Job\nspec: {template: {spec: {}}}\n---\nkind: Pod\n",
       "p.yaml:4: 2 objects that make pods: give one"},
      {"spec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        memory: 1Gi\n"
       "        cpu: lots\n",
       "p.yaml:7: "},
      {"kind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    resources:\n"
       "      requests:\n        memory: much\n",
       "p.yaml:9: spec.containers[0].resources.requests: memory `much` is not a quantity"},
      {"spec:\n  priority: high\n  containers: [{name: c}]\n", "p.yaml:2: "},
      {"spec:\n  containers: [{name: c}]\n  schedulingGates:\n  - {name: g}\n",
       "p.yaml:3: a pod with schedulingGates is not scheduled; remove them"},
      {"metadata: {name: p}\nspec:\n  containers: [{name: c}]\n  resourceClaims: [{name: g}]\n",
       "p.yaml:4: spec: `resourceClaims` is not modelled; remove it to place the pod by the rest "
       "of it"},
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

TEST(PodManifest, ReadsTheTemplateOfWhatMakesPods) {
  const struct {
    const char* yaml;
    const char* maker;
    int replicas;
  } rows[] = {
      {"kind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 5, ",
       "Deployment web", 5},
      {"kind: Service\nmetadata: {name: web}\n---\nkind: ReplicaSet\nmetadata: {name: web, "
       "namespace: shop}\nspec: {",
       "ReplicaSet web", 1},
      {"kind: StatefulSet\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 0, "
       "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}], ",
       "StatefulSet web (without its volumeClaimTemplates)", 0},
      {"kind: Job\nmetadata: {name: web, namespace: shop}\nspec: {parallelism: 3, completions: 9, ",
       "Job web", 3},
  };
  for (const auto& row : rows) {
    Strings strings;
    const PodObject pod =
        ReadPodFile(std::string(row.yaml) +
                        "template: {metadata: {labels: {app: web}}, spec: {nodeSelector: {a: b}, "
                        "containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}}\n",
                    "p.yaml", strings);
    EXPECT_EQ(pod.maker, row.maker);
    EXPECT_EQ(pod.replicas, row.replicas) << row.maker;
    EXPECT_EQ(pod.name, "web");
    EXPECT_EQ(strings.Text(pod.spec.namespace_name), "shop");
    EXPECT_EQ(FindLabel(pod.spec.labels, strings.Intern("app")), strings.Intern("web"));
    EXPECT_EQ(FindLabel(pod.spec.labels, strings.Intern("pod-template-hash")) != kNone,
              pod.maker == "Deployment web");
    EXPECT_EQ(pod.spec.node_selector.size(), 1U);
    ASSERT_EQ(pod.spec.containers.size(), 1U);
    EXPECT_EQ(pod.spec.containers[0].requests.milli_cpu, 500);
  }
}

}  // namespace
}  // namespace schedlens::sim::core
