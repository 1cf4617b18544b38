#include "scheduler/engine/simulation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scheduler/base/random.h"
#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

constexpr AttemptStage kAlgorithmStages[] = {
    AttemptStage::kSnapshot,  AttemptStage::kPreFilter,     AttemptStage::kFilter,
    AttemptStage::kRecording, AttemptStage::kExtFilter,     AttemptStage::kPreScore,
    AttemptStage::kScore,     AttemptStage::kExtPrioritize, AttemptStage::kSelectHost};

Nanos Algorithm(const AttemptRecord& a) {
  Nanos sum = 0;
  for (AttemptStage stage : kAlgorithmStages) sum += a[stage];
  return sum;
}

Nanos AfterAlgorithm(const AttemptRecord& a) {
  Nanos sum = 0;
  for (std::size_t i = static_cast<std::size_t>(AttemptStage::kPostFilter); i < a.stages.size();
       ++i) {
    sum += a.stages[i];
  }
  return sum;
}

TEST(Simulation, StagesOfEveryAttemptAddUpToTheNanosecond) {
  for (const char* release : {"1.20", "1.23", "1.26", "1.30", "1.34.1"}) {
    for (const EmbeddedFile& builtin : BuiltinScenarios()) {
      const SimulationResult run =
          RunScenario(Short(std::string(builtin.name), release), {3, true, false, {}});
      ASSERT_FALSE(run.attempts.empty()) << builtin.name;
      for (const AttemptRecord& a : run.attempts) {
        ASSERT_EQ(a.algorithm, Algorithm(a)) << builtin.name << " " << release;
        ASSERT_EQ(a.e2e, a.algorithm + AfterAlgorithm(a)) << builtin.name << " " << release;
        ASSERT_GE(a.algorithm, 0);
        ASSERT_LE(a.throttle, a[AttemptStage::kBind]);
        for (Nanos stage : a.stages) ASSERT_GE(stage, 0);
        if (a.result == AttemptResult::kScheduled) {
          ASSERT_TRUE(a.algorithm_done);
          ASSERT_GE(a.node, 0);
        }
        ASSERT_TRUE(a.feasible > 1 || a[AttemptStage::kScore] == 0)
            << "one feasible node is not scored";
        ASSERT_LE(a.feasible, a.evaluated);
      }
    }
  }
}

// Every count and sum that kube-scheduler's metrics promise, at the end of a run in which nothing
// is in flight.
void ExpectConserved(const Scenario& s, const std::string& what) {
  const SimulationResult run = RunScenario(s, {5, true, true, {}});
  const int minor = s.release.minor;
  const std::string e2e = minor <= 23 ? "scheduler_e2e_scheduling_duration_seconds"
                                      : "scheduler_scheduling_attempt_duration_seconds";
  const Nanos last_scrape =
      (run.exposition.series.front().samples.back().t - run.start_time) * kMillisecond;
  std::map<std::string, double> count, seconds;
  double algorithm = 0, algorithm_seconds = 0, post_filter = 0, scored = 0, reserved = 0;
  double binding = 0;
  for (const AttemptRecord& a : run.attempts) {
    if (a.start + a.e2e > last_scrape) continue;
    const std::string result(kube::ToString(a.result));
    ++count[result];
    seconds[result] += ToSeconds(a.e2e);
    if (a.algorithm_done || minor >= 30) {
      ++algorithm;
      algorithm_seconds += ToSeconds(a.algorithm);
      if (!a.algorithm_done) algorithm_seconds += ToSeconds(a[AttemptStage::kPostFilter]);
    }
    post_filter += ToSeconds(a[AttemptStage::kPostFilter]);
    scored += a[AttemptStage::kScore] > 0;
    reserved += a.algorithm_done;
    if (a.result != AttemptResult::kScheduled) continue;
    binding +=
        ToSeconds(a[AttemptStage::kExtBind] + a[AttemptStage::kBind] + a[AttemptStage::kFinish]);
  }
  EXPECT_EQ(LastBy(run, e2e + "_count", "result"), count) << what;
  EXPECT_EQ(LastBy(run, "scheduler_schedule_attempts_total", "result"), count) << what;
  for (const auto& [result, sum] : LastBy(run, e2e + "_sum", "result")) {
    EXPECT_NEAR(sum, seconds[result], 1e-6 * (1 + seconds[result])) << what << " " << result;
  }
  EXPECT_EQ(Last(run, "scheduler_scheduling_algorithm_duration_seconds_count"), algorithm) << what;
  EXPECT_NEAR(Last(run, "scheduler_scheduling_algorithm_duration_seconds_sum"), algorithm_seconds,
              1e-6 * (1 + algorithm_seconds))
      << what;
  auto points =
      LastBy(run, "scheduler_framework_extension_point_duration_seconds_count", "extension_point");
  auto point_sums =
      LastBy(run, "scheduler_framework_extension_point_duration_seconds_sum", "extension_point");
  EXPECT_EQ(points["Score"], scored) << what;
  EXPECT_EQ(points["PreScore"], scored) << what;
  EXPECT_EQ(points["Reserve"], reserved) << what;
  EXPECT_EQ(points["PostBind"], count["scheduled"]) << what;
  EXPECT_NEAR(point_sums["PostFilter"], post_filter, 1e-6 * (1 + post_filter)) << what;
  if (minor == 20) {
    EXPECT_EQ(Last(run, "scheduler_binding_duration_seconds_count"), count["scheduled"]) << what;
    EXPECT_NEAR(Last(run, "scheduler_binding_duration_seconds_sum"), binding, 1e-6 * (1 + binding));
  }
  EXPECT_EQ(Last(run, "scheduler_pod_scheduling_attempts_count"), count["scheduled"]) << what;
  // Buckets are cumulative and end in the count.
  for (const Series& series : run.exposition.series) {
    if (series.labels.Get("le") != "+Inf") continue;
    const std::string name(series.labels.Get("__name__"));
    const std::string family = name.substr(0, name.size() - 7);
    for (const Series& other : run.exposition.series) {
      if (other.labels.Get("__name__") != family + "_count") continue;
      if (other.labels.Without("__name__") != series.labels.Without("__name__").Without("le"))
        continue;
      EXPECT_EQ(other.samples, series.samples) << family;
    }
  }
}

TEST(Simulation, CountsAndSumsConserve) {
  for (const char* name : {"bind.extender-partial", "bind.apiserver", "attempts.unschedulable",
                           "preemption", "prebind.volume", "reserve"}) {
    for (const char* release : {"1.20", "1.26", "1.30"}) {
      Scenario s = Short(name, release);
      // Nothing arrives at the end, so that nothing is in flight at the last scrape.
      s.duration += 90 * kSecond;
      Segment quiet = s.segments.back();
      quiet.start = s.duration - 80 * kSecond;
      quiet.conditions.rate = 0;
      s.segments.push_back(quiet);
      ExpectConserved(s, fmt::format("{} {}", name, release));
    }
  }
}

TEST(Simulation, SameSeedSameBytesOtherSeedOthers) {
  const Scenario s = Short("attempts.error");
  const SimulationResult a = RunScenario(s, {7, true, true, {}});
  const SimulationResult b = RunScenario(s, {7, true, true, {}});
  EXPECT_EQ(WriteOpenMetrics(a.exposition), WriteOpenMetrics(b.exposition));
  EXPECT_EQ(TruthCsv(s, a), TruthCsv(s, b));
  EXPECT_NE(TruthCsv(s, a), TruthCsv(s, RunScenario(s, {8, true, true, {}})));
}

// `simulate --serve` is scraped by others.
TEST(Simulation, AScrapeFindsMetricsWithoutRecordedOnes) {
  const auto simulation = StartSimulation(Short("healthy"), {.seed = 7, .scrape = false});
  simulation->AdvanceTo(30 * kSecond);
  EXPECT_NE(simulation->MetricsPage(0).find("scheduler_e2e_scheduling_duration_seconds_bucket"),
            std::string::npos);
}

// What is not measured changes nothing that happens.
TEST(Simulation, TheTruthIsTheSameWithoutMetrics) {
  for (const char* name : {"attempts.error", "preemption", "bind.async-queue"}) {
    const Scenario s = Short(name);
    const SimulationResult all = RunScenario(s, {.seed = 7});
    const SimulationResult some = RunScenario(s, {.seed = 7, .plugins = false});
    const SimulationResult none = RunScenario(s, {.seed = 7, .scrape = false, .metrics = false});
    EXPECT_EQ(TruthCsv(s, some), TruthCsv(s, all)) << name;
    EXPECT_EQ(TruthCsv(s, none), TruthCsv(s, all)) << name;
    EXPECT_TRUE(none.exposition.series.empty());
    const auto of_plugins = [](const Series& series) {
      return series.labels.Get(kMetricName).starts_with("scheduler_plugin_");
    };
    // What is left is what it was.
    std::vector<Series> left = all.exposition.series;
    EXPECT_GT(std::erase_if(left, of_plugins), 0u);
    ASSERT_EQ(left.size(), some.exposition.series.size()) << name;
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].labels, some.exposition.series[i].labels);
      EXPECT_EQ(left[i].samples, some.exposition.series[i].samples);
    }
  }
}

// Random clusters and loads with failures, preemptions, gangs, node deletions, restarts: no pod is
// lost or doubled, no node over capacity, at any of many moments.
TEST(Simulation, NeverLosesOrDoublesAPod) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Random random(seed, 99);
    const char* releases[] = {"1.20", "1.23", "1.26", "1.30", "1.34.1"};
    const std::string yaml = fmt::format(
        R"yaml(
name: random
kubernetes_version: "{}"
duration: 40s
incident: {{start: 5s, end: 30s}}
cluster: {{nodes: [{{count: {}, cpu: 2, pods: {}}}], running: {}}}
scheduler: {{qps: {}, burst: {}, permit_timeout: {}, max_backoff: 3}}
scrape: {{replicas: {}}}
workload:
  rate: {}
  templates:
    - {{name: low, cpu: 300m, weight: 5, life: "u(1,15)", pending_life: "u(5,20)"}}
    - {{name: high, cpu: 900m, weight: 1, priority: 100, life: "u(1,9)", grace: "u(0,3)"}}
    - {{name: stuck, weight: 1, never_fits: NodeAffinity, pending_life: "u(1,9)"}}
    - {{name: group, cpu: 200m, weight: 0.5, gang: {}, life: "u(1,9)", pending_life: "u(9,20)"}}
    - {{name: claim, claim: true, weight: 0.5, life: "u(1,9)"}}
faults:
  - costs: {{bind_error: 0.2, filter_error: 0.02, reserve_error: 0.05, prebind_error: 0.05,
            prefilter_error: 0.01, claim_late: 0.2, gang_spread: "u(0,2)", bind_api: "u(0,1)",
            delete_api: "u(0,0.5)", claim_bind: "u(0,3)"}}
actions:
  - {{at: {}s, do: delete_nodes, count: 2}}
  - {{at: {}s, do: {}, for: {}s}}
  - {{at: {}s, do: add_nodes, count: 2}}
  - {{at: {}s, do: roll_out, count: 20, surge: 4}}
)yaml",
        releases[seed % 5], 3 + random.Below(6), 4 + random.Below(10), random.Below(3),
        5 + random.Below(50), 1 + random.Below(20), 1 + random.Below(10), 1 + random.Below(3),
        1 + random.Below(15), 2 + random.Below(4), random.Below(40), random.Below(40),
        random.Chance(0.5) ? "restart" : "leader_change", random.Below(9), random.Below(40),
        random.Below(40));
    const Scenario s = ParseScenario(yaml, "random");
    const auto simulation = StartSimulation(s, {seed, true, false, {}});
    for (Nanos t = 0; t <= s.duration; t += 1'700 * kMillisecond) {
      simulation->AdvanceTo(t);
      ASSERT_EQ(simulation->CheckInvariants(), "") << "seed " << seed << " at " << ToSeconds(t);
    }
    const SimulationResult run = simulation->Finish();
    const SimulationCounts& c = run.counts;
    ASSERT_EQ(c.pods_created,
              c.pods_deleted_bound + c.pods_deleted_pending + c.pods_pending + c.pods_running)
        << seed;
    std::set<std::uint32_t> scheduled;
    for (const AttemptRecord& a : run.attempts) {
      if (a.result == AttemptResult::kScheduled) {
        ASSERT_TRUE(scheduled.insert(a.pod).second) << "seed " << seed << " pod " << a.pod;
      }
    }
  }
}

}  // namespace
}  // namespace schedlens::sim
