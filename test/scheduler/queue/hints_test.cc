// Queueing hints on objects as they are written in YAML: what wakes a rejected pod.

#include "scheduler/queue/hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "scheduler/cluster/objects_json.h"

namespace schedlens::sim::queue {
namespace {

struct Objects {
  explicit Objects(int minor)
      : cluster(Release{minor}, std::make_shared<core::Strings>()),
        hints(HintRules{minor, minor >= 33}, cluster) {}

  core::PodSpec Spec(const std::string& yaml) {
    core::PodSpec spec = core::ReadPodManifest("{kind: Pod, metadata: {name: p}, " + yaml + "}",
                                               "pod", cluster.strings())
                             .spec;
    Resolve(spec, cluster.release());
    return spec;
  }
  core::Node Node(const std::string& yaml) {
    return core::ReadNodeManifest("{kind: Node, metadata: {name: n}, " + yaml + "}", "node",
                                  cluster.strings());
  }
  // What the plugin says of a node that comes, or that was `before`.
  bool AskNode(std::string_view plugin, const std::string& pod, const std::string& node,
               const std::string& before = "") {
    const core::PodSpec spec = Spec(pod);
    const core::Node now = Node(node), was = Node(before.empty() ? "spec: {}" : before);
    HintChange change;
    change.new_node = &now;
    if (!before.empty()) change.old_node = &was;
    return hints.Ask(plugin, {&spec, 1, false, false, {}}, change).value();
  }

  core::Cluster cluster;
  Hints hints;
};

std::string Cpu(const std::string& amount) {
  return "spec: {containers: [{resources: {requests: {cpu: " + amount + "}}}]}";
}
std::string Room(const std::string& cpu) {
  return "status: {allocatable: {cpu: " + cpu + ", pods: 10}}";
}

TEST(Hints, ANodeThatCannotHoldThePodDoesNotWakeIt) {
  Objects objects(36);
  EXPECT_FALSE(objects.AskNode("NodeResourcesFit", Cpu("4"), Room("2")));
  EXPECT_TRUE(objects.AskNode("NodeResourcesFit", Cpu("4"), Room("4")));
  EXPECT_TRUE(objects.AskNode("NodeResourcesFit", Cpu("4"), Room("8"), Room("6")));
  EXPECT_FALSE(objects.AskNode("NodeResourcesFit", Cpu("4"), Room("6"), Room("6")));
  EXPECT_FALSE(objects.AskNode("NodeResourcesFit", Cpu("4"), "spec: {}"));
  Objects old(30);
  EXPECT_TRUE(old.AskNode("NodeResourcesFit", Cpu("4"), Room("6"), Room("6")));
}

TEST(Hints, ADeletedPodFreesVolumesIfItHadClaims) {
  Objects objects(36);
  const core::PodSpec waiting = objects.Spec("spec: {}");
  const struct {
    const char* gone;
    bool assigned, queue;
  } rows[] = {{"spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}", true, true},
              {"spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}", false, false},
              {"spec: {volumes: [{name: v, emptyDir: {}}]}", true, false},
              {"spec: {}", true, false}};
  for (const auto& row : rows) {
    const core::PodSpec spec = objects.Spec(row.gone);
    const HintPod gone{&spec, 2, row.assigned, false, {}};
    HintChange change;
    change.old_pod = &gone;
    EXPECT_EQ(objects.hints.Ask("NodeVolumeLimits", {&waiting, 1, false, false, {}}, change),
              row.queue)
        << row.gone;
  }
}

TEST(Hints, ANodeIsJudgedByWhatThePluginRejectedThePodFor) {
  Objects objects(36);
  const std::string taint = "spec: {taints: [{key: a, value: b, effect: NoSchedule}]}";
  const std::string cordoned = "spec: {unschedulable: true}", open = "spec: {}";
  const struct {
    const char* plugin;
    std::string pod, node, before;
    bool queue;
  } rows[] = {
      {"NodeAffinity", "spec: {nodeSelector: {d: ssd}}", "spec: {}", "", false},
      {"TaintToleration", open, taint, "", false},
      {"TaintToleration", open, open, "", true},
      {"TaintToleration", open, open, taint, true},
      {"TaintToleration", open, open, open, false},
      {"TaintToleration", "spec: {tolerations: [{operator: Exists}]}", taint, "", true},
      {"NodeUnschedulable", open, cordoned, "", false},
      {"NodeUnschedulable", open, open, cordoned, true},
      {"NodeUnschedulable", open, open, open, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(objects.AskNode(row.plugin, row.pod, row.node, row.before), row.queue)
        << row.plugin << " " << row.pod << " " << row.node;
  }
}

TEST(Hints, OtherPodsWakeThoseThatWaitForThem) {
  Objects objects(36);
  const auto labelled = [&](const std::string& labels, const std::string& spec = "{}") {
    core::PodSpec out = objects.Spec("spec: " + spec);
    const core::PodSpec with =
        core::ReadPodManifest("{kind: Pod, metadata: {name: q, labels: " + labels + "}, spec: {}}",
                              "pod", objects.cluster.strings())
            .spec;
    out.labels = with.labels;
    return out;
  };
  const std::string term =
      "RequiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: db}}, "
      "topologyKey: zone}]";
  const core::PodSpec wants =
      labelled("{}", "{affinity: {podAffinity: {r" + term.substr(1) + "}}}");
  const core::PodSpec avoids =
      labelled("{}", "{affinity: {podAntiAffinity: {r" + term.substr(1) + "}}}");
  const core::PodSpec spreads =
      labelled("{}",
               "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
               "DoNotSchedule, labelSelector: {matchLabels: {app: db}}}]}");
  const core::PodSpec db = labelled("{app: db}"), web = labelled("{app: web}");
  const HintPod of_db{&db, 2, true, false, {}}, of_web{&web, 3, true, false, {}};
  HintChange db_came, db_went, web_came, relabelled;
  db_came.new_pod = &of_db;
  db_went.old_pod = &of_db;
  web_came.new_pod = &of_web;
  relabelled.old_pod = &of_web;
  relabelled.new_pod = &of_db;
  const auto ask = [&](const char* plugin, const core::PodSpec& spec, const HintChange& change) {
    return objects.hints.Ask(plugin, {&spec, 1, false, false, {}}, change).value();
  };
  EXPECT_TRUE(ask("InterPodAffinity", wants, db_came));
  EXPECT_TRUE(ask("InterPodAffinity", wants, relabelled));
  EXPECT_FALSE(ask("InterPodAffinity", wants, db_went));
  EXPECT_FALSE(ask("InterPodAffinity", wants, web_came));
  EXPECT_TRUE(ask("InterPodAffinity", avoids, db_went));
  EXPECT_FALSE(ask("InterPodAffinity", avoids, db_came));
  EXPECT_TRUE(ask("PodTopologySpread", spreads, db_came));
  EXPECT_TRUE(ask("PodTopologySpread", spreads, db_went));
  EXPECT_FALSE(ask("PodTopologySpread", spreads, web_came));
  EXPECT_TRUE(ask("NodeResourcesFit", wants, db_went));
  HintChange pending_went;
  const HintPod pending{&db, 4, false, false, {}};
  pending_went.old_pod = &pending;
  EXPECT_FALSE(ask("NodeResourcesFit", wants, pending_went));
}

// A pod with an anti-affinity keeps others away whom it selects.
TEST(Hints, APodThatKeptOthersAwayIsMissedFrom1_36) {
  for (const int minor : {34, 36}) {
    Objects objects(minor);
    const auto read = [&](const std::string& labels, const std::string& spec) {
      return core::ReadPodManifest(
                 "{kind: Pod, metadata: {name: q, labels: " + labels + "}, spec: " + spec + "}",
                 "pod", objects.cluster.strings())
          .spec;
    };
    core::PodSpec gone =
        read("{app: x}",
             "{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
             "[{labelSelector: {matchLabels: {app: db}}, topologyKey: zone}]}}}");
    Resolve(gone, objects.cluster.release());
    const HintPod of_gone{&gone, 2, true, false, {}};
    HintChange went;
    went.old_pod = &of_gone;
    for (const char* app : {"db", "web"}) {
      const core::PodSpec waiting = read(std::string("{app: ") + app + "}", "{}");
      EXPECT_EQ(objects.hints.Ask("InterPodAffinity", {&waiting, 1, false, false, {}}, went),
                minor == 36 && app == std::string("db"))
          << minor << app;
    }
  }
}

// From 1.37 the event says whose change it is, not the pod's uid.
TEST(Hints, AChangeIsThePodsOwnByItsUidOrByItsEvent) {
  const struct {
    int minor;
    std::uint32_t uid;
    bool target, queue;
  } rows[] = {
      {36, 1, false, true}, {36, 2, true, false}, {37, 1, false, false}, {37, 2, true, true}};
  for (const auto& row : rows) {
    Objects objects(row.minor);
    const core::PodSpec spec = objects.Spec("spec: {}");
    const HintPod other{&spec, row.uid, false, false, {}};
    HintChange change;
    change.old_pod = change.new_pod = &other;
    change.target = row.target;
    EXPECT_EQ(objects.hints.Ask("NodeResourcesFit", {&spec, 1, false, false, {}}, change),
              row.queue);
    EXPECT_EQ(objects.hints.Ask("InterPodAffinity", {&spec, 1, false, false, {}}, change),
              row.queue);
  }
}

TEST(Hints, APluginWithoutAHintSaysNothing) {
  Objects objects(36);
  const core::PodSpec spec = objects.Spec("spec: {}");
  EXPECT_FALSE(objects.hints.Ask("NodeName", {&spec, 1, false, false, {}}, {}).has_value());
}

}  // namespace
}  // namespace schedlens::sim::queue
