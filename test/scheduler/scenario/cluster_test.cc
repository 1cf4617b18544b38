#include "scheduler/cluster/cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/file.h"
#include "schedlens/error.h"
#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {
namespace {

constexpr char kQuiet[] = R"(
name: quiet
kubernetes_version: "1.26"
duration: 60s
cluster: {}
workload: {rate: 0}
)";

ObjectText Data(const std::string& name) {
  return {name, ReadFile(std::string(SCHEDLENS_TEST_DATA) + "/cluster/" + name)};
}

std::string WhyNot(const ScenarioOptions& options) {
  try {
    ParseScenario(kQuiet, "quiet", options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// What kubectl printed: 6 nodes, 12 + 3 pods that run, one that ended, 7 that keep apart from each
// other, one too large, one of another scheduler. The sixth node is tainted.
TEST(ScenarioCluster, RealObjectsAreScheduled) {
  ScenarioOptions options;
  options.nodes = {Data("nodes.json")};
  options.pods = {Data("pods.json")};
  const Scenario s = ParseScenario(kQuiet, "quiet", options);
  EXPECT_EQ(s.NodeCount(), 6);
  EXPECT_EQ(s.objects->spec_limit(), 5) << "replicas share their spec";
  const auto simulation = StartSimulation(s, {1, true, true, {}});
  simulation->AdvanceTo(s.duration);
  EXPECT_EQ(simulation->CheckInvariants(), "");
  const SimulationResult run = simulation->Finish();
  EXPECT_EQ(run.counts.pods_running, 15u + 5u);
  std::set<std::string> nodes;
  std::map<std::string, int> unschedulable;
  for (const AttemptRecord& a : run.attempts) {
    EXPECT_EQ(a.evaluated, 6);
    if (a.result == AttemptResult::kScheduled) {
      EXPECT_TRUE(nodes.insert(run.nodes[static_cast<std::size_t>(a.node)]).second);
      EXPECT_TRUE(run.object_pods[a.pod].starts_with("shop/cache-9f-"));
    } else {
      ++unschedulable[run.object_pods[a.pod]];
    }
  }
  EXPECT_EQ(nodes,
            (std::set<std::string>{"worker-0", "worker-1", "worker-2", "worker-3", "worker-4"}));
  EXPECT_EQ(unschedulable.size(), 3u);
  EXPECT_EQ(unschedulable.count("shop/huge-1-00000"), 1u);
  EXPECT_EQ(unschedulable.count("shop/other-1-00000"), 0u) << "that one waits for its scheduler";
  EXPECT_NE(TruthCsv(s, run).find(",shop/cache-9f-00000,1,scheduled,worker-"), std::string::npos);
  EXPECT_EQ(LastBy(run, "scheduler_scheduler_cache_size", "type")["nodes"], 6);
}

TEST(ScenarioCluster, OneFileMayHoldBoth) {
  ScenarioOptions options;
  ObjectText both = Data("nodes.json");
  const std::string pods = Data("pods.json").text;
  const std::size_t list = pods.find('[') + 1;
  const std::size_t items = both.text.find('[') + 1;
  both.text.insert(items, pods.substr(list, pods.rfind(']') - list) + ",");
  options.pods = {both};
  EXPECT_EQ(ParseScenario(kQuiet, "quiet", options).NodeCount(), 6);
  options.nodes = {both};
  const Scenario s = ParseScenario(kQuiet, "quiet", options);
  EXPECT_EQ(s.NodeCount(), 6);
  EXPECT_EQ(RunScenario(s).counts.pods_running, 20u);
}

TEST(ScenarioCluster, ArrivalsGoOntoRealNodesToo) {
  ScenarioOptions options;
  options.nodes = {Data("nodes.json")};
  const Scenario s = ParseScenario("duration: 30s\nworkload: {rate: 2}", "s", options);
  const SimulationResult run = RunScenario(s);
  EXPECT_GT(run.counts.pods_bound, 30u);
  for (const AttemptRecord& a : run.attempts) {
    if (a.node >= 0) {
      EXPECT_TRUE(run.nodes[static_cast<std::size_t>(a.node)].starts_with("worker-"));
    }
  }
}

// A List of two nodes in two zones and what pods ask for by name.
constexpr char kVolumesAndGates[] = R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "a", "labels": {"topology.kubernetes.io/zone": "z0"}},
   "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}},
  {"kind": "Node", "metadata": {"name": "b", "labels": {"topology.kubernetes.io/zone": "z1"}},
   "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}},
  {"kind": "PersistentVolume", "metadata": {"name": "pv"}, "status": {"phase": "Bound"},
   "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
     {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["z1"]}]}]}}}},
  {"kind": "PersistentVolumeClaim", "spec": {"volumeName": "pv"}, "metadata": {"name": "data",
   "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}},
  {"kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
  {"kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {"driver": "d"}},
  {"kind": "Pod", "metadata": {"name": "pinned"}, "spec": {"containers": [{}], "volumes": [
   {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}},
  {"kind": "Pod", "metadata": {"name": "first"}, "spec": {"containers": [{}], "priority": 5}},
  {"kind": "Pod", "metadata": {"name": "gated"}, "spec": {"containers": [{}],
   "schedulingGates": [{"name": "g"}]}}
]})";

TEST(ScenarioCluster, VolumesAndGatesArePlayed) {
  ScenarioOptions options;
  options.kubernetes_version = "1.34";
  options.pods = {{"all.json", kVolumesAndGates}};
  const Scenario s = ParseScenario(kQuiet, "quiet", options);
  EXPECT_EQ(s.ignored, "objects of kind DeviceClass (1), objects of kind ResourceSlice (1)");
  const SimulationResult run = RunScenario(s);
  std::map<std::string, std::string> nodes;
  for (const AttemptRecord& a : run.attempts) {
    const bool scheduled = a.result == AttemptResult::kScheduled;
    nodes[run.object_pods[a.pod]] = scheduled ? run.nodes[static_cast<std::size_t>(a.node)] : "";
  }
  EXPECT_EQ(nodes.size(), 2u) << "`gated` has a gate: it is not tried";
  EXPECT_EQ(nodes.at("default/pinned"), "b") << "where its volume is";
  EXPECT_EQ(LastBy(run, "scheduler_pending_pods", "queue")["gated"], 1);
  EXPECT_EQ(LastBy(run, "scheduler_unschedulable_pods", "plugin").at("SchedulingGates"), 1);
}

TEST(ScenarioCluster, RealPodsAreScheduledOnceTheirGatesAreGone) {
  for (const char* version : {"1.26", "1.28", "1.31", "1.34", "1.36"}) {
    ScenarioOptions options;
    options.kubernetes_version = version;
    options.pods = {{"all.json", kVolumesAndGates}};
    const std::string action = "actions: [{at: 20s, do: ungate, count: 5}]\n";
    const SimulationResult run = RunScenario(ParseScenario(kQuiet + action, "quiet", options));
    double started = -1;
    for (const AttemptRecord& a : run.attempts) {
      if (run.object_pods[a.pod] == "default/gated") started = ToSeconds(a.start);
    }
    // Gates are an alpha feature, and off, up to 1.26.
    EXPECT_NEAR(started, std::string(version) == "1.26" ? 0 : 20, 1.5) << version;
    EXPECT_EQ(LastBy(run, "scheduler_queue_incoming_pods_total",
                     "event")["UnschedulablePodUpdatePodSchedulingGatesEliminated"],
              std::string(version) >= "1.32" ? 1 : 0)
        << version;
  }
}

// Gates are an alpha feature, and off, up to 1.26.
TEST(ScenarioCluster, RealPodsWithGatesWaitFrom127On) {
  for (const auto& [version, waits] :
       std::map<const char*, bool>{{"1.26", false}, {"1.27", true}, {"1.33", true}}) {
    ScenarioOptions options;
    options.kubernetes_version = version;
    options.pods = {{"all.json", kVolumesAndGates}};
    const SimulationResult run = RunScenario(ParseScenario(kQuiet, "quiet", options));
    int tried = 0;
    for (const AttemptRecord& a : run.attempts) tried += run.object_pods[a.pod] == "default/gated";
    EXPECT_EQ(tried, waits ? 0 : 1) << version;
    EXPECT_EQ(LastBy(run, "scheduler_pending_pods", "queue")["gated"], waits ? 1 : 0) << version;
  }
}

TEST(ScenarioCluster, APodThatClaimsDevicesIsRefusedByName) {
  const std::string claims = R"("spec": {"resourceClaims": [{"name": "x"}], "containers": [{}]})";
  const std::string running = R"({"kind": "Pod", "metadata": {"name": "trainer"}, )" + claims;
  const std::string refused =
      "spec.resourceClaims (dynamic resource allocation) is not modelled; remove it to place the "
      "pod by the rest of its spec";
  ScenarioOptions options;
  options.nodes = {Data("nodes.json")};
  options.pods = {{"p.json", running + "}"}};
  EXPECT_EQ(WhyNot(options), "p.json: Pod `trainer`: " + refused);
  options.pods = {{"p.json", running + R"(, "status": {"phase": "Succeeded"}})"}};
  EXPECT_EQ(WhyNot(options), "p.json: no pod that waits or runs on a known node") << "it has ended";
  try {
    ParseScenario(
        "duration: 9s\ncluster: {nodes: [{count: 1}]}\nworkload:\n  templates:\n    - name: web\n  "
        "  "
        "- name: dra\n      manifest:\n        spec:\n          resourceClaims: [{name: gpu}]\n",
        "dra.yaml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()),
              "dra.yaml:9: workload.templates[1].manifest: spec: `resourceClaims` is not modelled; "
              "remove it to place the pod by the rest of it");
  }
}

// The first table is of cluster.nodes, the others of the template.
TEST(ScenarioCluster, MistypedFieldsOfManifestsAreNamedWithTheirLine) {
  const struct {
    const char* node;
    const char* pod;
    const char* error;
  } rows[] = {
      {"{spec: {taint: [{key: a}]}}", "{}",
       "f:3: cluster.nodes[0].manifest: spec: unknown field `taint`, did you mean `taints`?"},
      {"{}", "{spec: {nodeSelectr: {disk: ssd}}}",
       "f:6: workload.templates[0].manifest: spec: unknown field `nodeSelectr`, did you mean "
       "`nodeSelector`?"},
      {"{}", "{spec: {tolerations: [{key: a, effect: NoSchdule}]}}",
       "f:6: workload.templates[0].manifest: spec.tolerations[0]: `effect` is NoSchedule, "
       "PreferNoSchedule or NoExecute, not `NoSchdule`, did you mean `NoSchedule`?"},
      {"{}", "{spec: {priorityClassName: high}}",
       "f:6: workload.templates[0]: the priority of class `high` is not known; give `priority`"},
  };
  for (const auto& row : rows) {
    try {
      ParseScenario(
          fmt::format("duration: 9s\ncluster: {{nodes: [{{count: 1,\n  manifest: {}}}]}}\n"
                      "workload:\n  templates:\n    - {{name: a, manifest: {}}}\n",
                      row.node, row.pod),
          "f");
      ADD_FAILURE() << row.error;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), row.error);
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    }
  }
}

// As in a cluster, they wait until somebody makes the claim.
TEST(ScenarioCluster, AManifestsClaimThatIsNotThereKeepsItsPodsWaiting) {
  const SimulationResult run = RunScenario(ParseScenario(
      "kubernetes_version: '1.34'\nduration: 20s\ncluster: {nodes: [{count: 3}]}\n"
      "workload:\n  rate: 2\n  templates:\n  - {name: web, manifest: {spec: {volumes: [{name: v, "
      "persistentVolumeClaim: {claimName: missing}}], containers: [{name: c, image: x}]}}}\n",
      "claims"));
  EXPECT_GT(run.counts.pods_created, 0U);
  EXPECT_EQ(run.counts.pods_bound, 0U);
  EXPECT_EQ(run.counts.pods_pending, run.counts.pods_created);
}

// An out-of-tree PostFilter takes its time, and what is declared for nobody is told.
TEST(ScenarioCluster, CostsOfPluginsAreTakenOrTold) {
  const auto scenario = [](const char* plugins) {
    return ParseScenario(
        fmt::format(
            "kubernetes_version: '1.22'\nduration: 20s\ncluster: {{nodes: [{{count: 3}}]}}\n"
            "workload: {{rate: 1, templates: [{{name: over, never_fits: "
            "NodeResourcesFit}}]}}\n"
            "scheduler:\n  plugins: {}\n  configuration: {{apiVersion: "
            "kubescheduler.config.k8s.io/v1beta2, kind: KubeSchedulerConfiguration, "
            "profiles: [{{plugins: {{postFilter: {{enabled: [{{name: Quota}}], disabled: "
            "[{{name: DefaultPreemption}}]}}}}}}]}}\n",
            plugins),
        "plugins");
  };
  const SimulationResult run = RunScenario(scenario("{Quota: {postFilter: 900ms}}"));
  ASSERT_FALSE(run.attempts.empty());
  for (const AttemptRecord& attempt : run.attempts) {
    EXPECT_EQ(attempt[AttemptStage::kPostFilter], FromSeconds(0.9));
  }
  const std::map<std::string, double> points =
      LastBy(run, "scheduler_framework_extension_point_duration_seconds_count", "extension_point");
  EXPECT_GE(points.at("PostFilter") + 1, static_cast<double>(run.counts.attempts)) << "scraped";
  EXPECT_EQ(
      scenario("{Quota: {postFilter: 1ms, filter: 1ms}, NodeName: {filter: 1ms}}").warnings,
      (std::vector<std::string>{
          "scheduler.plugins.NodeName: its cost at Filter is not used: no profile enables it, "
          "or it is in-tree",
          "scheduler.plugins.Quota: its cost at Filter is not used: no profile enables it "
          "there"}));
  EXPECT_THROW(ParseScenario("scheduler: {plugins: {Quota: {filter: 1ms}}}", "f"), Error);
}

// A file of nodes and pods only says nothing of claims: they cannot be what keeps a pod waiting.
TEST(ScenarioCluster, ClaimsThatNobodyGaveAreLeftOutAndCounted) {
  std::string text = kVolumesAndGates;
  const std::string kind = "\"PersistentVolumeClaim\"";
  text.replace(text.find(kind), kind.size(), "\"ConfigMap\"");
  ScenarioOptions options;
  options.kubernetes_version = "1.34";
  options.pods = {{"all.json", text}};
  const Scenario s = ParseScenario(kQuiet, "quiet", options);
  EXPECT_NE(s.ignored.find("pods with claims, as no PersistentVolumeClaim is given (1)"),
            std::string::npos)
      << s.ignored;
  EXPECT_NE(s.ignored.find("objects of kind ConfigMap (1)"), std::string::npos);
  EXPECT_EQ(RunScenario(s).counts.pods_running, 2u);
}

TEST(ScenarioCluster, SaysWhatIsWrongWithAFile) {
  ScenarioOptions options;
  options.nodes = {{"n.json", "nodes"}};
  EXPECT_EQ(WhyNot(options),
            "n.json: not JSON, or nested too deeply; give what `kubectl get ... -o json` or "
            "`-o yaml` prints");
  options.nodes = {Data("pods.json")};
  EXPECT_EQ(WhyNot(options), "pods.json: no Node in it");
  options.nodes.clear();
  options.pods = {Data("nodes.json")};
  EXPECT_EQ(WhyNot(options), "nodes.json: no pod that waits or runs on a known node");
  options.pods = {Data("pods.json")};
  EXPECT_EQ(WhyNot(options),
            "scenario quiet: cluster.nodes is empty; give a group with count above 0");
  options.nodes = {Data("nodes.json")};
  options.max_memory = 1000;
  EXPECT_NE(WhyNot(options).find("more than --max-memory allows"), std::string::npos);
}

TEST(ScenarioCluster, AConfigurationSetsWhatItSays) {
  const Scenario s = ParseScenario(R"(
kubernetes_version: "1.28"
cluster: {nodes: [{count: 3}]}
scheduler:
  qps: 7
  configuration:
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    clientConnection: {qps: 200, burst: 300}
    parallelism: 4
    percentageOfNodesToScore: 30
    podInitialBackoffSeconds: 2
    podMaxBackoffSeconds: 20
    profiles: [{schedulerName: batch, plugins: {filter: {disabled: [{name: NodePorts}]}}}]
    extenders:
      - {urlPrefix: "http://x", filterVerb: f, bindVerb: b, httpTimeout: 2s, ignorable: true,
         managedResources: [{name: example.com/gpu, ignoredByScheduler: true},
                            {name: example.com/fpga}]}
workload: {templates: [{name: a, profile: batch}]}
)",
                                   "s");
  EXPECT_EQ(s.qps, 7) << "the scenario's own key says more";
  EXPECT_EQ(s.client_burst, 300);
  EXPECT_EQ(s.parallelism, 4);
  EXPECT_EQ(s.percentage_of_nodes, 30);
  EXPECT_EQ(s.initial_backoff, 2);
  EXPECT_EQ(s.max_backoff, 20);
  ASSERT_EQ(s.extenders.size(), 1u);
  EXPECT_TRUE(s.extenders[0].filter && s.extenders[0].bind && !s.extenders[0].prioritize);
  PodTemplate pod;
  EXPECT_FALSE(s.extenders[0].IsInterested(pod));
  pod.extended["example.com/fpga"] = 1;
  EXPECT_TRUE(s.extenders[0].IsInterested(pod)) << "any of its resources";
  const core::Configuration configuration = ConfigurationOf(s, false);
  EXPECT_EQ(configuration.profiles[0].args.ignored_resources,
            std::vector<std::string>{"example.com/gpu"});
  const SimulationResult run = RunScenario(s);
  const auto filters = LastBy(run, "scheduler_plugin_execution_duration_seconds_count", "plugin");
  EXPECT_EQ(filters.count("NodePorts"), 1u) << "its PreFilter still runs";
  for (const Series& series : run.exposition.series) {
    EXPECT_FALSE(series.labels.Get("plugin") == "NodePorts" &&
                 series.labels.Get("extension_point") == "Filter");
  }
}

TEST(ScenarioCluster, PodsOfAnUnknownProfileAreRefused) {
  try {
    ParseScenario(
        "cluster: {nodes: [{count: 1}]}\nworkload: {templates: [{name: a, profile: batsh}]}\n"
        "scheduler: {configuration: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
        "KubeSchedulerConfiguration, profiles: [{schedulerName: batch}]}}",
        "s");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "scenario s: template `a` asks for profile `batsh`, which the configuration does "
                 "not have; did you mean batch?");
  }
}

}  // namespace
}  // namespace schedlens::sim
