// What object_types.txt knows of the API's types.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "schedlens/error.h"
#include "scheduler/bed.h"

namespace schedlens::sim::core {
namespace {

struct TypeRow {
  const char* type;
  const char* json;
  const char* why;  // "" for what is right
};

std::string WhyOf(const TypeRow& row, std::vector<std::string>* unknown = nullptr) {
  const auto fault = FaultOf(ReadJson(row.json), row.type, unknown);
  return fault ? fault->why : "";
}

TEST(ObjectTypes, EveryTypeThatIsReadIsKnownAndKnowsItsFields) {
  for (const char* kind :
       {"Pod", "Node", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode",
        "CSIDriver", "CSIStorageCapacity", "PodDisruptionBudget", "PriorityClass", "Namespace",
        "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "Job"}) {
    EXPECT_EQ(WhyOf({kind, R"({"apiVersion": "v1", "metadata": {"managedFields": [{}]}})", ""}),
              "");
    EXPECT_EQ(WhyOf({kind, R"({"metadata": {"lables": {}}})", ""}),
              "metadata: unknown field `lables`, did you mean `labels`?")
        << kind;
  }
}

TEST(ObjectTypes, UnknownFieldsNameTheNearestWithinTwoLetters) {
  const TypeRow rows[] = {
      {"Pod", R"({"spec": {"nodeSelectr": {"disk": "ssd"}}})",
       "spec: unknown field `nodeSelectr`, did you mean `nodeSelector`?"},
      {"Pod", R"({"spec": {"tolerations": [{"key": "a"}, {"operater": "Exists"}]}})",
       "spec.tolerations[1]: unknown field `operater`, did you mean `operator`?"},
      {"Pod", R"({"spec": {"containers": [{"resources": {"request": {"cpu": 1}}}]}})",
       "spec.containers[0].resources: unknown field `request`, did you mean `requests`?"},
      {"Pod", R"({"spec": {"affinity": {"podAffinity": {"required": []}}}})",
       "spec.affinity.podAffinity: unknown field `required`, did you mean "
       "`requiredDuringSchedulingIgnoredDuringExecution`?"},
      {"Pod", R"({"spec": {"volumes": [{"persistentVolumeClaim": {"claim": "c"}}]}})",
       "spec.volumes[0].persistentVolumeClaim: unknown field `claim`, did you mean `claimName`?"},
      {"Pod", R"({"spec": {"wholly": 1}})", "spec: unknown field `wholly`"},
      {"Pod", R"({"spce": {}})", "unknown field `spce`, did you mean `spec`?"},
      {"Node", R"({"spec": {"taint": []}})", "spec: unknown field `taint`, did you mean `taints`?"},
      {"StorageClass", R"({"volumeBindngMode": "Immediate"})",
       "unknown field `volumeBindngMode`, did you mean `volumeBindingMode`?"},
      {"PodDisruptionBudget", R"({"spec": {"minAvailible": 1}})",
       "spec: unknown field `minAvailible`, did you mean `minAvailable`?"},
      {"Job", R"({"spec": {"template": {"spec": {"container": []}}}})",
       "spec.template.spec: unknown field `container`, did you mean `containers`?"},
  };
  for (const TypeRow& row : rows) EXPECT_EQ(WhyOf(row), row.why);
}

TEST(ObjectTypes, ValuesAreWordsNumbersAndQuantities) {
  const TypeRow rows[] = {
      {"Pod", R"({"spec": {"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedul"}]}})",
       "spec.topologySpreadConstraints[0]: `whenUnsatisfiable` is DoNotSchedule or ScheduleAnyway, "
       "not `DoNotSchedul`, did you mean `DoNotSchedule`?"},
      {"Pod", R"({"spec": {"topologySpreadConstraints": [{"nodeTaintsPolicy": "Maybe"}]}})",
       "spec.topologySpreadConstraints[0]: `nodeTaintsPolicy` is Honor or Ignore, not `Maybe`"},
      {"Pod", R"({"spec": {"topologySpreadConstraints": [{"maxSkew": 0}]}})",
       "spec.topologySpreadConstraints[0]: `maxSkew` is 0, it must lie in 1..2147483647"},
      {"Pod", R"({"spec": {"tolerations": [{"effect": "NoScheduling"}]}})",
       "spec.tolerations[0]: `effect` is NoSchedule, PreferNoSchedule or NoExecute, not "
       "`NoScheduling`"},
      {"Pod", R"({"spec": {"tolerations": [{"operator": "Exist", "effect": ""}]}})",
       "spec.tolerations[0]: `operator` is Exists, Equal, Lt or Gt, not `Exist`, did you mean "
       "`Exists`?"},
      {"Pod", R"({"spec": {"priority": "high"}})", "spec: `priority` must be a whole number"},
      {"Pod", R"({"spec": {"tolerations": {}}})", "spec: `tolerations` must be a list"},
      {"Pod", R"({"metadata": {"labels": {"a": "b", "c": []}}})",
       "metadata.labels: `c` must be a text"},
      {"Pod", R"({"spec": {"affinity": []}})", "spec: `affinity` must be a mapping"},
      {"Pod", R"({"spec": {"containers": ["c"]}})",
       "spec.containers: `containers` must be a list of mappings"},
      {"Pod", R"({"spec": {"overhead": {"cpu": "-1"}}})", "spec.overhead: cpu `-1` is negative"},
      {"Node", R"({"status": {"allocatable": {"memory": "much"}}})",
       "status.allocatable: memory `much` is not a quantity"},
      {"PersistentVolume", R"({"spec": {"accessModes": ["ReadWriteOnce", "ReadWriteTwice"]}})",
       "spec.accessModes: `accessModes` is ReadWriteOnce, ReadOnlyMany, ReadWriteMany or "
       "ReadWriteOncePod, not `ReadWriteTwice`"},
      {"Pod", R"({"spec": {"resourceClaims": [{"name": "g"}]}})",
       "spec: `resourceClaims` is not modelled; remove it to place the pod by the rest of it"},
      {"Pod", R"({"spec": {"volumes": [{"ephemeral": {"volumeClaimTemplate": {}}}]}})",
       "spec.volumes[0]: `ephemeral` is not modelled; remove it to place the pod by the rest of "
       "it"},
  };
  for (const TypeRow& row : rows) EXPECT_EQ(WhyOf(row), row.why);
}

// What people write and kubectl prints.
TEST(ObjectTypes, TheApisOwnFieldsPass) {
  const TypeRow rows[] = {
      {"Pod", R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "creationTimestamp":
        null, "uid": "u", "resourceVersion": "1", "generateName": "p-", "ownerReferences": [{
        "apiVersion": "apps/v1", "blockOwnerDeletion": true, "controller": true, "kind":
        "ReplicaSet", "name": "r", "uid": "u"}], "managedFields": [{"fieldsV1": {"f:x": {}}}]},
        "spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "A", "valueFrom":
        {"fieldRef": {"fieldPath": "x"}}}], "livenessProbe": {"httpGet": {"port": 1},
        "periodSeconds": 1}, "ports": [{"containerPort": 80, "protocol": "TCP"}], "resources":
        {"limits": {"cpu": 1, "nvidia.com/gpu": "1"}}, "terminationMessagePolicy": "File",
        "volumeMounts": [{"mountPath": "/", "name": "v", "readOnly": true}], "stdin": true}],
        "dnsPolicy": "ClusterFirst", "enableServiceLinks": true, "preemptionPolicy":
        "PreemptLowerPriority", "priority": 0, "securityContext": {"fsGroup": 1}, "resourceClaims":
        [], "tolerations": [{"effect": "NoExecute", "key": "k", "operator": "Exists",
        "tolerationSeconds": 300}], "volumes": [{"name": "v", "projected": {"sources": []}}]},
        "status": {"phase": "Running", "hostIPs": [{"ip": "::1"}], "qosClass": "BestEffort"}})",
       ""},
      {"Node", R"({"metadata": {"annotations": {"a": "b"}}, "spec": {"podCIDR": "x", "providerID":
        "kind://x", "taints": [{"key": "k", "effect": "NoSchedule", "timeAdded": "t"}]}, "status":
        {"addresses": [], "conditions": [], "nodeInfo": {"x": 1}, "runtimeHandlers": [], "capacity":
        {"cpu": "4", "memory": "16Gi"}, "images": [{"names": ["a"], "sizeBytes": 3}]}})",
       ""},
      {"Deployment", R"({"spec": {"strategy": {"type": "Recreate"}, "paused": true}})", ""},
      {"Gateway", R"({"spce": {}})", ""},  // of no type that is read
  };
  for (const TypeRow& row : rows) EXPECT_EQ(WhyOf(row), row.why);
}

TEST(ObjectTypes, WhatAClusterPrintsMayBeNewer) {
  std::vector<std::string> unknown;
  EXPECT_EQ(WhyOf({"Pod",
                   R"({"spec": {"brandNew": 1, "workloadRef": {"name": "w"}, "resourceClaims":
                     [{"name": "g"}]}, "status": {"hostIP": "a", "hostIPz": []}})",
                   ""},
                  &unknown),
            "");
  EXPECT_EQ(unknown,
            (std::vector<std::string>{"spec.brandNew", "spec.workloadRef", "status.hostIPz"}));
  EXPECT_EQ(WhyOf({"Pod", R"({"spec": {"nodeSelectr": {}}})", ""}, &unknown),
            "spec: unknown field `nodeSelectr`, did you mean `nodeSelector`?");
}

// Lines of files: JSON has them too.
TEST(ObjectFiles, DocumentsAndListsInJsonAndYaml) {
  const char* const node = R"({"kind": "Node", "metadata": {"name": "n"}, "spec": {}})";
  const char* const pod =
      R"({"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "n"}})";
  const std::string yaml_node = "kind: Node\nmetadata: {name: n}\nstatus: {phase: x}\n";
  const std::string yaml_pod = "kind: Pod\nmetadata: {name: p}\nspec: {nodeName: n}\n";
  const auto list = [&](const std::string& separator) {
    return fmt::format("[{}{}{}]", pod, separator, node);
  };
  for (const std::string& text :
       {fmt::format("{}\n---\n{}\n---\n", pod, node), fmt::format("{}\n{}\n", pod, node), list(","),
        list(",\n"), fmt::format(R"({{"kind": "List", "items": {}}})", list(",")),
        "# a dump\n---\n" + yaml_node + "---\n" + yaml_pod + "---\n# the end\n",
        std::string("kind: List\nitems:\n- {kind: Node, metadata: {name: n}}\n"
                    "- kind: Pod\n  metadata: {name: p}\n  spec: {nodeName: n}\n"),
        std::string("kind: NodeList\nitems:\n- metadata: {name: n}\n---\n"
                    "kind: PodList\nitems:\n- metadata: {name: p}\n  spec: {nodeName: n}\n")}) {
    Bed bed;
    const Loaded loaded = LoadObjects(text, "dump", bed.cluster);
    EXPECT_EQ(loaded.nodes, 1) << text;
    EXPECT_EQ(loaded.pods, 1) << text;
    EXPECT_EQ(bed.cluster.pod(0).node, 0) << text;
  }
}

TEST(ObjectFiles, ErrorsHaveTheLine) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"{\"kind\": \"List\", \"items\": [\n{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}},\n"
       "{\"kind\": \"Node\", \"metadata\": {\"name\": \"b\"},\n \"spec\": {\"taint\": []}}]}",
       "dump:4: Node `b`: spec: unknown field `taint`, did you mean `taints`?"},
      {"kind: Node\nmetadata: {name: a}\n---\nkind: Node\nmetadata: {name: b}\nspec:\n"
       "  taints:\n  - {key: k, effect: NoSchedul}\n",
       "dump:8: Node `b`: spec.taints[0]: `effect` is NoSchedule, PreferNoSchedule or NoExecute, "
       "not `NoSchedul`, did you mean `NoSchedule`?"},
      {"kind: List\nitems:\n- kind: Pod\n  metadata: {name: p}\n  spec:\n    nodeSelectr: {}\n",
       "dump:6: Pod `p`: spec: unknown field `nodeSelectr`, did you mean `nodeSelector`?"},
      {"kind: Node\n  metadata: [\n", "dump:2: not YAML: illegal map value"},
      {"kind",
       "dump: not JSON, or nested too deeply; give what `kubectl get ... -o json` or "
       "`-o yaml` prints"},
  };
  for (const auto& row : rows) {
    Bed bed;
    try {
      LoadObjects(row.text, "dump", bed.cluster);
      ADD_FAILURE() << row.text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), row.error);
    }
  }
}

}  // namespace
}  // namespace schedlens::sim::core
