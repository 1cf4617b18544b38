#include "scheduler/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "schedlens/error.h"
#include "scheduler/engine/simulation.h"

namespace schedlens::sim {
namespace {

using testing::HasSubstr;

constexpr const char* kCluster = "cluster: {nodes: [{count: 3}]}\n";

std::string ErrorOf(const std::string& yaml, const ScenarioOptions& options = {}) {
  try {
    ParseScenario(yaml, "s.yaml", options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(ParseScenario, NotesAReleaseWithoutWhatFails) {
  const char* yaml = "{name: n, since: \"1.26\", until: \"1.30\", cluster: {nodes: [{count: 1}]}}";
  EXPECT_EQ(ParseScenario(yaml, "s.yaml", {1, "1.26", 1e9}).note, "");
  EXPECT_EQ(ParseScenario(yaml, "s.yaml", {1, "1.20", 1e9}).note,
            "kube-scheduler 1.20 does not have what fails in n; 1.26 to 1.30 do");
  EXPECT_NE(ParseScenario(yaml, "s.yaml", {1, "1.34", 1e9}).note, "");
}

TEST(ParseScenario, ReadsWhatIsSaidAndDefaultsTheRest) {
  const Scenario s = ParseScenario(R"yaml(
name: mine
kubernetes_version: "1.23"
cluster:
  nodes:
    - {name: big, count: 4, cpu: 500m, memory: 1.5Gi, pods: 7, extended: {example.com/gpu: 2}}
workload:
  rate: 2*severity
  templates:
    - {name: a, weight: 3, cpu: 100m, life: "u(1,2)"}
    - {name: b, gang: 4, uses: [spread], costs: {filter: 0.5}}
faults:
  - {start: 10s, end: 20s, weights: {b: 9}, costs: {bind_api: "u(1,2)"}}
  - {start: 15s, end: 30s, rate: 7}
actions:
  - {at: 20s, do: burst, template: b, count: 2}
  - {at: 5s, do: restart}
)yaml",
                                   "s.yaml", {3, "", 1e9});
  EXPECT_EQ(s.name, "mine");
  EXPECT_EQ(s.release.minor, 23);
  EXPECT_DOUBLE_EQ(s.nodes[0].cpu, 0.5);
  EXPECT_DOUBLE_EQ(s.nodes[0].memory, 1.5 * 1073741824);
  EXPECT_EQ(s.nodes[0].extended.at("example.com/gpu"), 2);
  EXPECT_DOUBLE_EQ(s.At(0).rate, 6) << "severity scales what names it";
  EXPECT_EQ(s.At(12 * kSecond).weights, (std::vector<double>{3, 9}));
  EXPECT_DOUBLE_EQ(s.At(12 * kSecond).costs[Cost::kBindApi].wall.Mean(), 1.5);
  EXPECT_DOUBLE_EQ(s.At(12 * kSecond).rate, 6);
  EXPECT_DOUBLE_EQ(s.At(16 * kSecond).rate, 7) << "faults overlap";
  EXPECT_EQ(s.At(16 * kSecond).weights[1], 9);
  EXPECT_EQ(s.At(25 * kSecond).weights[1], 1);
  EXPECT_DOUBLE_EQ(s.At(40 * kSecond).rate, 6);
  EXPECT_EQ(s.actions[0].kind, ActionKind::kRestart) << "by time";
  EXPECT_EQ(s.actions[1].pod_template, 1u);
  EXPECT_EQ(s.templates[1].costs.size(), 1u);
  EXPECT_EQ(s.duration, 630 * kSecond);
}

TEST(ParseScenario, TheCommandLineMayNameAnotherRelease) {
  EXPECT_EQ(ParseScenario(kCluster, "s", {1, "1.30", 1e9}).release.minor, 30);
}

TEST(ParseScenario, ATemplatesManifestMaySayNothing) {
  const Scenario s = ParseScenario(
      std::string(kCluster) + "workload: {templates: [{name: a, manifest: {}}]}", "s.yaml");
  EXPECT_EQ(s.templates.size(), 1u);
}

TEST(ParseScenario, SaysWhatIsWrongWhereAndWhatWasMeant) {
  const std::string base = kCluster;
  const struct {
    std::string yaml;
    const char* why;
  } rows[] = {
      {"a: [", "s.yaml:"},
      {"- 1", "mapping"},
      {"cluster: {nodes: [{count: 0}]}", "cluster.nodes is empty"},
      {"name: x", "cluster.nodes is empty"},
      {base + "workloadd: {}", "s.yaml:2: unknown key `workloadd`, did you mean `workload`?"},
      {base + "costs:\n  bind_appi: 1",
       "s.yaml:3: costs: unknown key `bind_appi`, did you mean `bind_api`"},
      {base + "workload: {rate: -1}", "`rate` is -1, it must lie in 0..100000"},
      {base + "workload: {rate: fast}", "not a number"},
      {base + "costs: {bind_api: \"ln(1)\"}", "2 arguments"},
      {base + "costs: {bind_error: 1.5}", "0..1"},
      {base + "workload: {templates: [{name: a, weight: 0}]}", "weights of all templates are 0"},
      {base + "workload: {templates: [{name: a, cpu: 65}]}", "larger than any node"},
      {base + "workload: {templates: [{name: a, extended: {x/y: 1}}]}", "larger than any node"},
      {base + "workload: {templates: [{name: a, never_fits: Magic}]}", "never_fits"},
      {base + "workload: {weights: {wbe: 1}}", "no template `wbe`, did you mean `web`?"},
      {base + "faults: [{start: 9s, end: 3s}]", "later than"},
      {base + "actions: [{at: 1s, do: explode}]", "not `explode`"},
      {base + "extenders: [{verbs: [bite]}]",
       "`verbs` is filter, prioritize, preempt or bind, not `bite`"},
      {base + "placement: magic", "simple or full"},
      {base + "workload: {cores: 1, processors: 2}",
       "`processors` is the old name of `cores`; only one of them may be given"},
      {base + "unit_costs: {filter.NodeNam: 1}",
       "unit_costs: unknown key `filter.NodeNam`, did you mean `filter.NodeName`?"},
      {base + "unit_costs: {release: \"1.26\"}",
       "unit costs were measured on 1.30 and 1.36, not on `1.26`"},
      {base + "unit_costs: {filter.NodeName: -1}", "it must lie in 0.."},
      {base + "kubernetes_version: \"1.5\"", "1.18 to 1.37"},
      {base + "scrape: {interval: 1ms}", "at least 10ms"},
      {base + "workload: {rate: 100000}", "--max-memory"},
      {"cluster: {nodes: [{count: 3, cpu: much}]}", "quantity"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(ErrorOf(row.yaml), HasSubstr(row.why)) << row.yaml;
  }
  EXPECT_THAT(ErrorOf(base, {0, "", 1e9}), HasSubstr("--severity"));
  EXPECT_THAT(ErrorOf(base, {1, "", 1000}), HasSubstr("--max-memory"));
}

TEST(ParseScenario, ReadsCoresAndUnitCostsWhereTheyHold) {
  const Scenario s = ParseScenario(
      "cluster: {nodes: [{count: 1}]}\n"
      "kubernetes_version: \"1.26\"\n"
      "workload: {processors: 2, unit_costs: {filter.NodeName: 3us}}\n"
      "faults: [{start: 10s, end: 20s, cores: 1, gc: true,\n"
      "          unit_costs: {filter.NodeName: {hot_us: 5, cold_us: 6}}}]\n",
      "s.yaml");
  const Conditions& before = s.At(0);
  const Conditions& during = s.At(15 * kSecond);
  EXPECT_EQ(before.cores, 2);
  EXPECT_EQ(during.cores, 1);
  EXPECT_FALSE(before.gc);
  EXPECT_TRUE(during.gc);
  EXPECT_DOUBLE_EQ(before.units["filter.NodeName"].hot_us, 3);
  EXPECT_DOUBLE_EQ(during.units["filter.NodeName"].hot_us, 5);
  EXPECT_DOUBLE_EQ(during.units["filter.NodeName"].cold_us, 6);
  EXPECT_TRUE(before.costs[Cost::kFilter].computed);
  EXPECT_EQ(s.cost_note,
            "unit costs were measured on 1.30.14 and 1.36.3; 1.26 takes those of 1.30.14");
}

TEST(LoadScenario, NamesTheNearestBuiltIn) {
  try {
    LoadScenario("bind.extendr");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean bind.extender?"));
  }
}

TEST(BuiltinScenarios, CoverEachCauseAndReadAtEverySeverityAndRelease) {
  std::vector<std::string> names;
  for (const EmbeddedFile& builtin : BuiltinScenarios()) names.emplace_back(builtin.name);
  for (const char* cause : {"bind.extender",
                            "bind.apiserver",
                            "bind.client-throttling",
                            "bind.async-queue",
                            "algorithm.extender",
                            "algorithm.prefilter",
                            "algorithm.filter",
                            "algorithm.prescore",
                            "algorithm.score",
                            "algorithm.cpu-starved",
                            "preemption",
                            "attempts.unschedulable",
                            "attempts.error",
                            "prebind.volume",
                            "prebind",
                            "permit.wait",
                            "reserve",
                            "queue.backlog",
                            "quantile.population",
                            "quantile.saturated",
                            "quantile.few-samples",
                            "data.reset",
                            "data.missing",
                            "healthy"}) {
    EXPECT_THAT(names, testing::Contains(cause));
  }
  for (const std::string& name : names) {
    const Scenario scenario = LoadScenario(name);
    EXPECT_EQ(scenario.name, name);
    EXPECT_FALSE(scenario.description.empty()) << name;
    for (double severity : {0.5, 2.0}) {
      for (const char* release : {"1.20", "1.23", "1.26", "1.30", "1.34"}) {
        EXPECT_EQ(LoadScenario(name, {severity, release, 2e9}).severity, severity);
      }
    }
  }
}

// What makes an incident an incident stays one at every severity: the slowest hundredth of some
// result is at least 20 times what it was before, or the queue has grown.
TEST(BuiltinScenarios, StayIncidentsAtEverySeverity) {
  for (const EmbeddedFile& builtin : BuiltinScenarios()) {
    for (double severity : {0.5, 1.0, 2.0}) {
      const Scenario s = LoadScenario(std::string(builtin.name), {severity, "", 2e9});
      RunOptions options;
      options.scrape = false;
      const SimulationResult run = RunScenario(s, options);
      std::map<std::pair<bool, AttemptResult>, std::vector<Nanos>> e2e;
      Nanos waited = 0;
      for (const AttemptRecord& a : run.attempts) {
        const Nanos end = a.start + a.e2e;
        if (end > s.incident_end) continue;
        e2e[{end > s.incident_start, a.result}].push_back(a.e2e);
        if (a.number == 1) waited = std::max(waited, a.start);
      }
      double worst = 0;
      const auto p99 = [](std::vector<Nanos> v) {
        std::sort(v.begin(), v.end());
        return v.empty() ? 0.0 : ToSeconds(v[(v.size() - 1) * 99 / 100]);
      };
      for (AttemptResult result : {AttemptResult::kScheduled, AttemptResult::kUnschedulable}) {
        worst = std::max(worst, p99(e2e[{true, result}]));
      }
      if (s.findings.empty()) {
        EXPECT_LT(worst, 0.1) << builtin.name;
      } else if (s.findings.front() == "queue.backlog") {
        const auto scheduled = e2e[{true, AttemptResult::kScheduled}].size();
        EXPECT_LT(scheduled, 0.8 * 360 * 40) << severity;
      } else {
        EXPECT_GT(worst, 0.5) << builtin.name << " severity " << severity;
      }
    }
  }
}

}  // namespace
}  // namespace schedlens::sim
