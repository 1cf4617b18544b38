// Headroom against truth: the factor that is said of a scenario, and the one at which simulations
// of it cross the target.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "replay/played.h"
#include "replay/what_if.h"
#include "replay/what_if_truth.h"

namespace schedlens {
namespace {

// Pods that spread over the nodes go over all of them; pods with affinity over all that run.
constexpr const char* kSpread = R"yaml(
name: spread
kubernetes_version: "1.34"
duration: 100s
incident: {start: 30s, end: 90s}
cluster:
  running: 4000
  nodes:
    - {count: 400, cpu: 64, memory: 256Gi, pods: 500, zones: 3}
scheduler: {qps: 5000, burst: 5000}
workload:
  rate: 120
  templates:
    - name: web
      cpu: 10m
      memory: 16Mi
      life: "u(5,10)"
      manifest:
        metadata: {labels: {app: web}}
        spec:
          topologySpreadConstraints:
            - maxSkew: 5
              topologyKey: topology.kubernetes.io/zone
              whenUnsatisfiable: DoNotSchedule
              labelSelector: {matchLabels: {app: web}}
)yaml";
constexpr const char* kAffinity = R"yaml(
name: affinity
kubernetes_version: "1.34"
duration: 100s
incident: {start: 30s, end: 90s}
cluster:
  running: 4000
  nodes:
    - {count: 400, cpu: 64, memory: 256Gi, pods: 500, zones: 3}
scheduler: {qps: 5000, burst: 5000}
workload:
  rate: 40
  templates:
    - name: web
      cpu: 10m
      memory: 16Mi
      life: "u(5,10)"
      manifest:
        metadata: {labels: {app: web}}
        spec:
          affinity:
            podAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                - topologyKey: topology.kubernetes.io/zone
                  labelSelector: {matchLabels: {app: web}}
)yaml";

struct Row {
  const char* what;
  const char* scenario;  ///< a built-in one, or its name here ...
  const char* target;
  bool quick = false;
  const char* yaml = nullptr;  ///< ... and its text
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      {"rate", "healthy", "p99=2s", true},
      {"rate", "algorithm.filter", "p99=30s"},
      {"rate", "algorithm.prescore", "p99=30s"},
      {"rate", "algorithm.score", "p99=30s"},
      {"rate", "algorithm.extender", "p99=30s"},
      {"rate", "reserve", "p99=30s"},
      {"rate", "bind.client-throttling", "p99=5s"},
      {"nodes", "spread", "p99=1s", false, kSpread},
      {"nodes", "affinity", "p99=1s", false, kAffinity},
      {"running", "spread", "p99=1s", false, kSpread},
      {"running", "affinity", "p99=1s", false, kAffinity},
  };
  return rows;
}

/// So many times the pods a second, inside the incident; or pods that run, or nodes that are as
/// full as before, all along.
sim::Scenario Times(sim::Scenario scenario, const std::string& what, double factor) {
  if (what == "running" || what == "nodes") {
    // The pods that come and go are in the cluster, too.
    const sim::Conditions& now = scenario.segments.back().conditions;
    const double live = now.rate * scenario.templates.front().life.Mean();
    scenario.running =
        std::max(0, static_cast<int>(std::lround((scenario.running + live) * factor - live)));
  }
  if (what == "nodes") {
    for (sim::NodeGroup& group : scenario.nodes) {
      group.count = std::max(1, static_cast<int>(std::lround(group.count * factor)));
    }
  }
  if (what == "rate") {
    if (scenario.segments.size() == 1) {
      scenario.segments.push_back({scenario.incident_start, scenario.segments.front().conditions});
    }
    for (sim::Segment& segment : scenario.segments) {
      const bool inside =
          segment.start >= scenario.incident_start && segment.start < scenario.incident_end;
      if (inside) segment.conditions.rate *= factor;
    }
  }
  return scenario;
}

/// The factor at which the pods' p99 crosses the target, 3 % apart, by simulation; the last one
/// tried where it does not.
double Sweep(const sim::Scenario& scenario, const std::string& what, double target,
             std::uint64_t seed) {
  const auto crosses = [&](int step) {
    return test::P99(Times(scenario, what, std::exp2(step / 24.0)), true, seed) > target;
  };
  int below = -72, above = 96;
  while (above - below > 1) {
    const int middle = (above + below) / 2;
    (crosses(middle) ? above : below) = middle;
  }
  return std::exp2((above - 0.5) / 24);
}

struct Tally {
  int runs = 0, held = 0;
  std::vector<double> widths, ratios;

  void Add(const Headroom& h, double truth) {
    ++runs;
    held += h.factor.low.value_or(0) <= truth && truth <= h.factor.high.value_or(INFINITY);
    if (h.factor.low && h.factor.high) widths.push_back(*h.factor.high / *h.factor.low);
    if (h.factor.value) ratios.push_back(*h.factor.value / truth);
  }
};

void Judge(const Row& row, std::uint64_t seed, Tally* tally) {
  const test::Played played =
      test::PlayScenario(row.yaml != nullptr ? sim::ParseScenario(row.yaml, row.scenario)
                                             : sim::LoadScenario(row.scenario),
                         seed);
  const ThresholdOf target = ParseTarget(row.target);
  const Headroom h = PredictHeadroom(played.investigation, {}, row.what, target, 5);
  if (!h.refused.empty()) return;
  const double truth = Sweep(played.scenario, row.what, target.seconds, seed + 100);
  if (std::getenv("WHAT_IF_VERBOSE") != nullptr) {
    fmt::print("{} {} {}: {:.3g} in {:.3g} to {:.3g}, {}\n", row.what, row.scenario, row.target,
               truth, h.factor.low.value_or(0), h.factor.high.value_or(INFINITY), h.limit);
  }
  tally->Add(h, truth);
}

TEST(WhatIfTruth, TheHeadroomHoldsTheSweep) {
  std::string table = fmt::format("{:<9} {:<23} {:<12} {:>10}   {:>5}   {:>5}\n", "headroom",
                                  "scenario", "target", "held", "width", "ratio");
  int runs = 0, held = 0;
  for (const Row& row : Rows()) {
    if (!test::Wanted(row.scenario, row.quick)) continue;
    Tally tally;
    for (int i = 1; i <= test::Seeds(); ++i) {
      Judge(row, static_cast<std::uint64_t>(i) + 10, &tally);
    }
    table += fmt::format("{:<9} {:<23} {:<12} {:>3} of {:>3}   {:>5.2f}   {:>5.2f}\n", row.what,
                         row.scenario, row.target, tally.held, tally.runs,
                         test::Median(tally.widths), test::Median(tally.ratios));
    runs += tally.runs;
    held += tally.held;
  }
  table += fmt::format("{:<33} {:<12} {:>3} of {:>3}\n", "all headrooms", "", held, runs);
  if (!test::Small()) fmt::print("{}", table);
  EXPECT_GE(held, 0.95 * runs) << table;
}

}  // namespace
}  // namespace schedlens
