// Volumes: what each filter says of small clusters.

#include <gtest/gtest.h>

#include <map>

#include "schedlens/error.h"
#include "scheduler/bed.h"
#include "scheduler/framework/framework.h"

namespace schedlens::sim::core {
namespace {

struct VolumeBed : Bed {
  explicit VolumeBed(int minor_release = 34) : Bed(minor_release), minor(minor_release) {
    Bed::Node("a", "{kubernetes.io/hostname: a, topology.kubernetes.io/zone: z0}");
    Bed::Node("b", "{kubernetes.io/hostname: b, topology.kubernetes.io/zone: z1}");
  }

  void Put(const std::string& json) {
    const Loaded loaded = LoadObjects(json, "test", cluster);
    for (const auto& [what, count] : loaded.ignored_fields) ignored[what] += count;
  }
  void PutClass(const std::string& name, const std::string& fields) {
    Put(R"({"kind": "StorageClass", "metadata": {"name": ")" + name + R"("}, )" + fields + "}");
  }
  void PutVolume(const std::string& name, const std::string& spec,
                 const std::string& labels = "{}") {
    Put(R"({"kind": "PersistentVolume", "metadata": {"name": ")" + name + R"(", "labels": )" +
        labels + R"(}, "spec": )" + spec + R"(, "status": {"phase": "Available"}})");
  }
  void PutClaim(const std::string& name, const std::string& spec, bool bound = true,
                const std::string& phase = "Bound") {
    const std::string annotations =
        bound ? R"(, "annotations": {"pv.kubernetes.io/bind-completed": "yes"})" : "";
    Put(R"({"kind": "PersistentVolumeClaim", "metadata": {"name": ")" + name + "\"" + annotations +
        R"(}, "spec": )" + spec + R"(, "status": {"phase": ")" + phase + "\"}}");
  }
  SpecId Using(const std::string& claim) {
    return Spec("{}", "{" + Containers(100, 64) +
                          ", volumes: [{name: v, persistentVolumeClaim: {claimName: " + claim +
                          "}}]}");
  }

  // `a` or why not, `b` or why not; or what PreFilter said.
  std::string Judge(SpecId spec) {
    Framework framework(cluster, DefaultConfiguration(Release{minor}), 0, {});
    const Attempt attempt = framework.MakeAttempt(Pod(spec));
    PreFilterNodes nodes;
    std::int32_t rejecting = kNone;
    std::string out;
    if (framework.PreFilter(attempt, nodes, rejecting) != Code::kSuccess) {
      const auto& entry = framework.At(ExtensionPoint::kPreFilter)[Index(rejecting)];
      return entry.name + ": " + entry.plugin->PreFilterReasons(attempt).front();
    }
    for (const NodeId node : cluster.order()) {
      const FilterVerdict verdict = framework.Filter(attempt, node);
      if (!out.empty()) out += "; ";
      out += Name(node);
      if (verdict.code == Code::kSuccess) continue;
      const auto rejected = framework.Explain(attempt, node, verdict, false);
      for (const std::string& reason : rejected.front().reasons) {
        out += ": " + reason;
      }
    }
    return out;
  }

  int minor;
  std::map<std::string, int> ignored;
};

const char* kOnA =
    R"("nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key":
       "kubernetes.io/hostname", "operator": "In", "values": ["a"]}]}]}})";

TEST(VolumeBinding, ABoundVolumeMustReachTheNode) {
  for (const int minor : {30, 34}) {
    VolumeBed bed(minor);
    bed.PutVolume("pv", std::string("{") + kOnA + "}");
    bed.PutClaim("data", R"({"volumeName": "pv"})");
    const std::string judged = bed.Judge(bed.Using("data"));
    if (minor == 34) {
      EXPECT_EQ(judged, "a; b: node(s) didn't match PersistentVolume's node affinity");
    } else {
      EXPECT_EQ(judged, "a; b: node(s) had volume node affinity conflict");
    }
  }
}

TEST(VolumeBinding, RefusesClaimsThatNothingCanBeDoneFor) {
  VolumeBed bed;
  bed.PutClass("now", R"("provisioner": "x", "volumeBindingMode": "Immediate")");
  bed.PutClaim("lost", R"({"volumeName": "gone"})", true, "Lost");
  bed.PutClaim("open", R"({"storageClassName": "now"})", false, "Pending");
  bed.PutClaim("half", R"({"storageClassName": "now", "volumeName": "pv"})", false, "Pending");
  bed.PutClaim("orphan", R"({"volumeName": "gone"})");
  const std::pair<const char*, const char*> rows[] = {
      {"none", "VolumeRestrictions: persistentvolumeclaim \"none\" not found"},
      {"lost",
       "VolumeBinding: persistentvolumeclaim \"lost\" bound to non-existent persistentvolume "
       "\"gone\""},
      {"open", "VolumeBinding: pod has unbound immediate PersistentVolumeClaims"},
      {"half", "VolumeBinding: pod has unbound immediate PersistentVolumeClaims"},
      {"orphan", "VolumeZone: persistentvolume \"gone\" not found"},
  };
  for (const auto& [claim, refusal] : rows) EXPECT_EQ(bed.Judge(bed.Using(claim)), refusal);
}

TEST(VolumeBinding, AWaitingClaimTakesTheSmallestVolumeThatFitsAndReaches) {
  VolumeBed bed;
  bed.PutClass("late", R"("provisioner": "kubernetes.io/no-provisioner",
                          "volumeBindingMode": "WaitForFirstConsumer")");
  const auto volume = [&](const char* name, const char* size) {
    bed.PutVolume(name, std::string(R"({"storageClassName": "late", "accessModes":
                                        ["ReadWriteOnce"], "capacity": {"storage": ")") +
                            size + "\"}, " + kOnA + "}");
  };
  volume("large", "50Gi");
  volume("small", "20Gi");
  volume("tiny", "1Gi");
  bed.PutClaim("data",
               R"({"storageClassName": "late", "accessModes": ["ReadWriteOnce"],
                   "resources": {"requests": {"storage": "10Gi"}}})",
               false, "Pending");
  EXPECT_EQ(bed.Judge(bed.Using("data")),
            "a; b: node(s) didn't find available persistent volumes to bind");
  BindVolumes(bed.cluster, bed.Pod(bed.Using("data")), 0);
  const Strings& strings = bed.cluster.strings();
  const VolumeClaim* claim = bed.cluster.volumes().FindClaim(strings.Find("default/data"));
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(strings.Text(claim->volume), "small");
  EXPECT_TRUE(IsBound(*claim));
}

TEST(VolumeBinding, ProvisionsWhereTopologyAndCapacityAllow) {
  VolumeBed bed;
  bed.PutClass("late", R"("provisioner": "csi", "volumeBindingMode": "WaitForFirstConsumer",
      "allowedTopologies": [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone",
                                                        "values": ["z1"]}]}])");
  bed.PutClaim("data",
               R"({"storageClassName": "late", "resources": {"requests": {"storage": "10Gi"}}})",
               false, "Pending");
  EXPECT_EQ(bed.Judge(bed.Using("data")),
            "a: node(s) didn't find available persistent volumes to bind; b");
  bed.Put(
      R"({"kind": "CSIDriver", "metadata": {"name": "csi"}, "spec": {"storageCapacity": true}})");
  const auto capacity = [&](const char* size, const char* largest) {
    bed.Put(std::string(R"({"kind": "CSIStorageCapacity", "metadata": {"name": "c"},
        "storageClassName": "late", "nodeTopology": {}, "capacity": ")") +
            size + R"(", "maximumVolumeSize": ")" + largest + "\"}");
  };
  const char* too_small =
      "a: node(s) didn't find available persistent volumes to bind; "
      "b: node(s) did not have enough free storage";
  EXPECT_EQ(bed.Judge(bed.Using("data")), too_small);
  capacity("100Gi", "5Gi");
  EXPECT_EQ(bed.Judge(bed.Using("data")), too_small);
  capacity("5Gi", "10Gi");
  EXPECT_EQ(bed.Judge(bed.Using("data")),
            "a: node(s) didn't find available persistent volumes to bind; b");
  BindVolumes(bed.cluster, bed.Pod(bed.Using("data")), 1);
  EXPECT_EQ(bed.Judge(bed.Using("data")),
            "a: node(s) didn't match PersistentVolume's node affinity; b");
}

// a has a volume of 40Gi there, b a driver that has 100Gi in its zone.
TEST(VolumeBinding, From137ScoresHowMuchOfTheStorageAClassLosesThere) {
  for (const int minor : {36, 37}) {
    VolumeBed bed(minor);
    bed.PutClass("late", R"("provisioner": "csi", "volumeBindingMode": "WaitForFirstConsumer")");
    bed.PutVolume("pv", std::string(R"({"storageClassName": "late", "accessModes":
        ["ReadWriteOnce"], "capacity": {"storage": "40Gi"}, )") +
                            kOnA + "}");
    bed.Put(
        R"({"kind": "CSIDriver", "metadata": {"name": "csi"}, "spec": {"storageCapacity": true}})");
    bed.Put(R"({"kind": "CSIStorageCapacity", "metadata": {"name": "c"}, "storageClassName": "late",
        "nodeTopology": {"matchLabels": {"topology.kubernetes.io/zone": "z1"}},
        "capacity": "100Gi"})");
    bed.PutClaim("data", R"({"storageClassName": "late", "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "30Gi"}}})",
                 false, "Pending");
    Framework framework(bed.cluster, DefaultConfiguration(Release{minor}), 0, {});
    const Attempt attempt = framework.MakeAttempt(bed.Pod(bed.Using("data")));
    PreFilterNodes subset;
    std::int32_t rejecting = kNone;
    ASSERT_EQ(framework.PreFilter(attempt, subset, rejecting), Code::kSuccess);
    std::vector<std::int64_t> totals;
    RawScores raw;
    const NodeId nodes[] = {0, 1};
    framework.Score(attempt, nodes, totals, &raw, nullptr);
    std::vector<std::int64_t> scores;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto plugin = Index(framework.scoring()[i]);
      if (framework.At(ExtensionPoint::kScore)[plugin].name == "VolumeBinding") scores = raw[i];
    }
    const std::vector<std::int64_t> expected = {25, 70};  // 30 of 40, 30 of 100
    EXPECT_EQ(scores, minor == 37 ? expected : std::vector<std::int64_t>());
  }
}

TEST(VolumeZone, TakesOldLabelsAndListsAndSparesNodesWithoutAny) {
  for (const char* key :
       {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"}) {
    VolumeBed bed;
    bed.Bed::Node("c", "{}");
    bed.PutVolume("pv", "{}", std::string("{\"") + key + R"(": "z1__z2"})");
    bed.PutClaim("data", R"({"volumeName": "pv"})");
    EXPECT_EQ(bed.Judge(bed.Using("data")), "a: node(s) had no available volume zone; b; c");
  }
}

TEST(NodeVolumeLimits, CountsEachVolumeOnce) {
  VolumeBed bed;
  for (const char* name : {"x", "y"}) {
    bed.PutVolume(name,
                  std::string(R"({"csi": {"driver": "csi", "volumeHandle": ")") + name + "\"}}");
    bed.PutClaim(name, std::string(R"({"volumeName": ")") + name + "\"}");
  }
  bed.Put(R"({"kind": "CSINode", "metadata": {"name": "a"}, "spec": {"drivers": [
             {"name": "csi", "nodeID": "a", "allocatable": {"count": 1}}]}})");
  EXPECT_EQ(bed.Judge(bed.Using("x")), "a; b");
  bed.Pod(bed.Using("x"), 0);
  EXPECT_EQ(bed.Judge(bed.Using("x")), "a; b") << "the same volume";
  EXPECT_EQ(bed.Judge(bed.Using("y")), "a: node(s) exceed max volume count; b");
}

TEST(VolumeRestrictions, AReadWriteOncePodClaimHasOneUserInTheCluster) {
  VolumeBed bed;
  bed.PutVolume("pv", "{}");
  bed.PutClaim("data", R"({"volumeName": "pv", "accessModes": ["ReadWriteOncePod"]})");
  EXPECT_EQ(bed.Judge(bed.Using("data")), "a; b");
  const PodId user = bed.Pod(bed.Using("data"), 0);
  const std::string reason =
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
      "in-use by another pod";
  EXPECT_EQ(bed.Judge(bed.Using("data")), "a: " + reason + "; b: " + reason);
  bed.cluster.DeletePod(user);
  EXPECT_EQ(bed.Judge(bed.Using("data")), "a; b");
}

TEST(VolumeRestrictions, DisksInThePodClashOnTheNode) {
  const struct {
    const char* first;
    const char* second;
    bool clash;
  } rows[] = {
      {"gcePersistentDisk: {pdName: d}", "gcePersistentDisk: {pdName: d}", true},
      {"gcePersistentDisk: {pdName: d, readOnly: true}",
       "gcePersistentDisk: {pdName: d, readOnly: true}", false},
      {"awsElasticBlockStore: {volumeID: d, readOnly: true}",
       "awsElasticBlockStore: {volumeID: d, readOnly: true}", true},
      {"iscsi: {iqn: d}", "iscsi: {iqn: e}", false},
      {"rbd: {image: i, monitors: [m, n]}", "rbd: {image: i, monitors: [n], pool: rbd}", true},
      {"rbd: {image: i, monitors: [m]}", "rbd: {image: i, monitors: [n]}", false},
      {"gcePersistentDisk: {pdName: d}", "awsElasticBlockStore: {volumeID: d}", false},
  };
  for (const auto& row : rows) {
    VolumeBed bed;
    const auto spec = [&](const char* volume) {
      return bed.Spec("{}", "{" + Containers(100, 64) + ", volumes: [{name: v, " + volume + "}]}");
    };
    bed.Pod(spec(row.first), 0);
    EXPECT_EQ(bed.Judge(spec(row.second)),
              row.clash ? "a: node(s) had no available disk; b" : "a; b")
        << row.second;
  }
}

TEST(Ignored, FieldsThatNobodyPlaysAreCounted) {
  VolumeBed bed;
  bed.PutVolume("pv", R"({"volumeAttributesClassName": "gold"})");
  EXPECT_EQ(IgnoredText(bed.ignored), "PersistentVolumes with spec.volumeAttributesClassName (1)");
}

}  // namespace
}  // namespace schedlens::sim::core
