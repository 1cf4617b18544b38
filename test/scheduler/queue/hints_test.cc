// Queueing hints on objects as they are written in YAML: what wakes a rejected pod.

#include "scheduler/queue/hints.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "scheduler/cluster/objects_json.h"

namespace schedlens::sim::queue {
namespace {

struct Objects {
  explicit Objects(int minor)
      : cluster(Release{minor}, std::make_shared<core::Strings>()), hints(minor, cluster) {}

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
  // What the plugin says of a node that comes.
  bool AskNode(std::string_view plugin, const std::string& pod, const std::string& node) {
    const core::Node now = Node(node);
    return hints.Ask(plugin, Spec(pod), {&now, nullptr, false}).value();
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
  EXPECT_FALSE(objects.AskNode("NodeResourcesFit", Cpu("4"), "spec: {}"));
}

TEST(Hints, ADeletedPodFreesVolumesIfItHadClaims) {
  Objects objects(36);
  const core::PodSpec waiting = objects.Spec("spec: {}");
  const struct {
    const char* gone;
    bool queue;
  } rows[] = {{"spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}", true},
              {"spec: {volumes: [{name: v, emptyDir: {}}]}", false},
              {"spec: {}", false}};
  for (const auto& row : rows) {
    const core::PodSpec spec = objects.Spec(row.gone);
    EXPECT_EQ(objects.hints.Ask("NodeVolumeLimits", waiting, {nullptr, &spec, true}), row.queue)
        << row.gone;
  }
}

TEST(Hints, ADeletedPodHelpsThoseThatWantItsClaimOrPort) {
  Objects objects(36);
  const auto claims = [&](const std::string& claim) {
    return objects.Spec("spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: " + claim +
                        "}}]}");
  };
  const auto port = [&](const std::string& number) {
    return objects.Spec("spec: {containers: [{ports: [{hostPort: " + number + "}]}]}");
  };
  const auto ask = [&](const char* plugin, const core::PodSpec& pod, const core::PodSpec& gone) {
    return objects.hints.Ask(plugin, pod, {nullptr, &gone, true}).value();
  };
  EXPECT_TRUE(ask("VolumeRestrictions", claims("a"), claims("a")));
  EXPECT_FALSE(ask("VolumeRestrictions", claims("a"), claims("b")));
  EXPECT_TRUE(ask("NodePorts", port("80"), port("80")));
  EXPECT_FALSE(ask("NodePorts", port("80"), port("81")));
}

TEST(Hints, ANodeIsJudgedByWhatThePluginRejectedThePodFor) {
  Objects objects(36);
  const std::string taint = "spec: {taints: [{key: a, value: b, effect: NoSchedule}]}";
  const std::string cordoned = "spec: {unschedulable: true}", open = "spec: {}";
  const struct {
    const char* plugin;
    std::string pod, node;
    bool queue;
  } rows[] = {
      {"NodeAffinity", "spec: {nodeSelector: {d: ssd}}", "spec: {}", false},
      {"TaintToleration", open, taint, false},
      {"TaintToleration", open, open, true},
      {"TaintToleration", "spec: {tolerations: [{operator: Exists}]}", taint, true},
      {"NodeUnschedulable", open, cordoned, false},
      {"NodeUnschedulable", open, open, true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(objects.AskNode(row.plugin, row.pod, row.node), row.queue)
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
  const HintChange db_came{nullptr, &db, false}, db_went{nullptr, &db, true};
  const HintChange web_came{nullptr, &web, false};
  const auto ask = [&](const char* plugin, const core::PodSpec& spec, const HintChange& change) {
    return objects.hints.Ask(plugin, spec, change).value();
  };
  EXPECT_TRUE(ask("InterPodAffinity", wants, db_came));
  EXPECT_FALSE(ask("InterPodAffinity", wants, db_went));
  EXPECT_FALSE(ask("InterPodAffinity", wants, web_came));
  EXPECT_TRUE(ask("InterPodAffinity", avoids, db_went));
  EXPECT_FALSE(ask("InterPodAffinity", avoids, db_came));
  EXPECT_TRUE(ask("PodTopologySpread", spreads, db_came));
  EXPECT_TRUE(ask("PodTopologySpread", spreads, db_went));
  EXPECT_FALSE(ask("PodTopologySpread", spreads, web_came));
  EXPECT_TRUE(ask("NodeResourcesFit", wants, db_went));
}

TEST(Hints, APluginWithoutAHintSaysNothing) {
  Objects objects(36);
  const core::PodSpec spec = objects.Spec("spec: {}");
  EXPECT_FALSE(objects.hints.Ask("NodeName", spec, {nullptr, &spec, true}).has_value());
}

}  // namespace
}  // namespace schedlens::sim::queue
