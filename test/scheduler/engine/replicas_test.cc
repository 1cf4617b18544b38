// What the simulated cluster tells the queue, seen in whole runs.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

Scenario Small(const std::string& version, const std::string& rest) {
  return ParseScenario(
      "duration: 100s\nincident: {start: 20s, end: 80s}\nkubernetes_version: \"" + version +
          "\"\ncluster: {nodes: [{count: 3, cpu: 4, memory: 8Gi, pods: 50}]}\n" + rest,
      "small");
}

// Entries into activeQ and back-off by reason.
std::map<std::string, double> Entries(const SimulationResult& run) {
  return LastBy(run, "scheduler_queue_incoming_pods_total", "event");
}

// Pods wait for room; ten nodes come.
TEST(QueueAdvice, ANodeThatIsTooSmallWakesNobody) {
  for (const char* version : {"1.26", "1.30", "1.32", "1.34"}) {
    for (const bool fits : {false, true}) {
      const std::string shape = fits ? "cpu: 2" : "never_fits: NodeResourcesFit";
      const Scenario s =
          Small(version, "workload: {rate: 0, templates: [{name: big, " + shape +
                             "}]}\nactions: [{at: 5s, do: burst, count: 20}, {at: 50s, do: "
                             "add_nodes, count: 10}]");
      const SimulationResult run = RunScenario(s, {3, true, true, {}});
      EXPECT_EQ(Entries(run)["NodeAdd"], fits ? 14 : 0) << version;
      EXPECT_EQ(run.counts.pods_bound, fits ? 20u : 0u) << version;
    }
  }
}

TEST(QueueAdvice, GatedPodsWaitAndAreCounted) {
  const Scenario s =
      Small("1.30",
            "workload: {rate: 0, templates: [{name: held, manifest: {spec: {schedulingGates: "
            "[{name: quota}]}}}]}\nactions: [{at: 5s, do: burst, count: 4}]");
  const SimulationResult run = RunScenario(s, {3, true, true, {}});
  EXPECT_EQ(run.counts.attempts, 0u);
  EXPECT_EQ(LastBy(run, "scheduler_pending_pods", "queue")["gated"], 4);
  EXPECT_EQ(LastBy(run, "scheduler_pending_pods", "queue")["unschedulable"], 0);
}

// The third pod of a group may not stand next to another, and the third node is full.
TEST(QueueAdvice, ADeletedNodeWakesPodsThatSpreadFrom132On) {
  for (const auto& [version, wakes] :
       std::map<const char*, int>{{"1.26", 0}, {"1.30", 0}, {"1.32", 1}, {"1.36", 1}}) {
    const Scenario s =
        Small(version,
              "workload: {rate: 0, templates: [{name: full, cpu: 4}, {name: web, manifest: "
              "{metadata: {labels: {app: web}}, spec: {topologySpreadConstraints: [{maxSkew: 1, "
              "topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
              "labelSelector: {matchLabels: {app: web}}}]}}}]}\nactions: [{at: 5s, do: burst, "
              "template: full}, {at: 10s, do: burst, count: 3, template: web}, {at: 50s, do: "
              "delete_nodes}]");
    const SimulationResult run = RunScenario(s, {3, true, true, {}});
    EXPECT_EQ(Entries(run)["NodeDelete"], wakes) << version;
  }
}

class Refuses : public SchedulerPlugin {
 public:
  explicit Refuses(PluginEvent expects) : expects_(expects) {}
  std::optional<std::string> Filter(const PodView& pod, const NodeView&) const override {
    if (pod.Label("app") != "held") return std::nullopt;
    return "not this one";
  }
  bool MayHelp(PluginEvent event, const PodView&) const override { return event == expects_; }

 private:
  PluginEvent expects_;
};

// Other pods come, and one node; every pod but one gets its place.
TEST(QueueAdvice, APluginFromOutsideSaysWhichEventsItExpects) {
  const std::map<PluginEvent, std::string> events = {
      {PluginEvent::kNodeAdd, "NodeAdd"}, {PluginEvent::kAssignedPodAdd, "AssignedPodAdd"}};
  for (const char* version : {"1.26", "1.31", "1.32", "1.34"}) {
    for (const auto& [expected, name] : events) {
      Scenario s = Small(version,
                         "workload: {rate: 0, templates: [{name: held}, {name: web}]}\n"
                         "actions: [{at: 5s, do: burst, count: 1, template: held}, {at: 40s, do: "
                         "burst, count: 1, template: web}, {at: 60s, do: add_nodes, count: 1}]");
      const PluginEvent expects = expected;
      s.plugins.push_back({"Refuses", [expects] { return std::make_unique<Refuses>(expects); }});
      const SimulationResult run = RunScenario(s, {3, true, true, {}});
      EXPECT_EQ(run.counts.pods_bound, 1u) << version;
      EXPECT_EQ(run.counts.attempts, 3u) << version << ' ' << name;
      for (const auto& [event, label] : events) {
        EXPECT_EQ(Entries(run)[label], event == expected ? 1 : 0) << version << ' ' << label;
      }
    }
  }
}

// Up to 1.27 an error is parked until something happens or five minutes pass; then it backs off.
TEST(QueueAdvice, APodWhoseAttemptBrokeComesBackByItself) {
  for (const auto& [version, tries] :
       std::map<const char*, std::uint64_t>{{"1.26", 1}, {"1.30", 10}, {"1.34", 10}}) {
    const Scenario s =
        Small(version,
              "workload: {rate: 0, templates: [{name: p}]}\ncosts: {prefilter_error: "
              "1}\nactions: [{at: 5s, do: burst, count: 1}]");
    const SimulationResult run = RunScenario(s, {3, true, true, {}});
    EXPECT_GE(run.counts.attempts, tries) << version;
    EXPECT_LE(run.counts.attempts, tries + 4) << version;
    EXPECT_EQ(Entries(run)["PopFromBackoffQ"], 0) << version;
  }
}

}  // namespace
}  // namespace schedlens::sim
