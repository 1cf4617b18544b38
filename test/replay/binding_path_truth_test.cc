// The binding's path held against exact truth: random control planes of the simulator, each part
// and the tail's counts against what every binding truly took.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "diagnose/pipeline/diagnose.h"
#include "replay/readings.h"
#include "scheduler/engine/simulation.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens {
namespace {

using sim::BindingRecord;
using sim::ToSeconds;

struct Played {
  sim::SimulationResult run;
  Diagnosis diagnosis;
};

/// `path`: the keys of `apiserver` before the incident and within it.
Played Play(const std::string& path, const std::string& incident, std::uint64_t seed) {
  const std::string yaml = fmt::format(
      "name: path\nkubernetes_version: \"1.34\"\nscrape: {{interval: 10s}}\nduration: 400s\n"
      "incident: {{start: 200s, end: 400s}}\n"
      "cluster: {{nodes: [{{count: 50, cpu: 64, memory: 256Gi}}]}}\n"
      "workload: {{rate: 20, templates: [{{name: web, namespace: shop, owner: web, cpu: 100m, "
      "memory: 128Mi, life: \"u(20,40)\"}}]}}\n"
      "costs: {{bind_api: \"ln(0.001,0.5)\"}}\n"
      "apiserver: {{{}}}\nfaults: [{{apiserver: {{{}}}}}]\n",
      path, incident);
  const sim::Scenario scenario = sim::ParseScenario(yaml, "path");
  Played played;
  const auto source = ReplayAsSource(scenario, seed, &played.run);
  DiagnoseRequest request;
  const TimeMs start = scenario.start_time;
  request.window = TimeRange{start + 220'000, start + 380'000};
  request.baseline = TimeRange{start + 30'000, start + 180'000};
  played.diagnosis = Diagnose(*source, QuerySet::Embedded(), request);
  return played;
}

bool EndsIn(const Played& played, sim::Nanos end) {
  const TimeRange& window = played.diagnosis.window;
  const double t = static_cast<double>(played.run.start_time) + 1e3 * ToSeconds(end);
  return t > static_cast<double>(window.start) && t <= static_cast<double>(window.end);
}

/// Bindings whose answers were read in the window.
std::vector<const BindingRecord*> BindingsIn(const Played& played) {
  std::vector<const BindingRecord*> out;
  for (const BindingRecord& record : played.run.bindings) {
    if (EndsIn(played, record.end)) out.push_back(&record);
  }
  return out;
}

double InServer(const BindingRecord& r) {
  return ToSeconds(r.flowcontrol + r.webhook + r.admission + r.storage + r.rest);
}

const StageTime* StageOf(const Diagnosis& d, const std::string& id) {
  const auto found = std::find_if(d.stages.begin(), d.stages.end(),
                                  [&](const StageTime& stage) { return stage.id == id; });
  return found == d.stages.end() ? nullptr : &*found;
}

template <typename Part>
void ExpectHolds(const Played& played, const std::string& id, Part part) {
  const StageTime* stage = StageOf(played.diagnosis, id);
  ASSERT_NE(stage, nullptr) << id;
  double truth = 0;
  for (const BindingRecord* record : BindingsIn(played)) truth += part(*record);
  // The simulator's etcd and its requests are observed at one moment each; what is written at the
  // window's edge may be counted on its other side.
  const double slack = 1e-6 + 0.002 * truth;
  EXPECT_LE(stage->seconds.low.value_or(0), truth + slack) << id;
  EXPECT_GE(stage->seconds.high.value_or(truth), truth - slack) << id;
}

/// An attempt that ended in the window, and what of it was inside the API server.
struct Slowness {
  double e2e, inside;
};

/// Slowest first.
std::vector<Slowness> AttemptsIn(const Played& played) {
  std::map<std::uint32_t, double> inside;
  for (const BindingRecord& record : played.run.bindings) inside[record.pod] = InServer(record);
  std::vector<Slowness> all;
  for (const sim::AttemptRecord& a : played.run.attempts) {
    if (!EndsIn(played, a.start + a.e2e)) continue;
    const bool bound = a.result == sim::AttemptResult::kScheduled && inside.contains(a.pod);
    all.push_back({ToSeconds(a.e2e), bound ? inside[a.pod] : 0});
  }
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.e2e > b.e2e; });
  return all;
}

const Message* TailSentence(const Diagnosis& d) {
  for (const Finding& finding : d.findings) {
    for (const Evidence& evidence : finding.evidence) {
      if (evidence.text.id == "evidence.tail.apiserver") return &evidence.text;
    }
  }
  return nullptr;
}

/// What is said of the tail, against every attempt. False where nothing is.
bool ExpectTailHolds(const Played& played) {
  const Message* said = TailSentence(played.diagnosis);
  const StageTime* server = StageOf(played.diagnosis, "apiserver");
  if (said == nullptr || server == nullptr) return false;
  const auto number = [&](std::string_view name) {
    const auto found = std::find_if(said->args.begin(), said->args.end(),
                                    [&](const Argument& one) { return one.name == name; });
    return found == said->args.end() ? NAN : found->value.number;
  };
  const std::vector<Slowness> attempts = AttemptsIn(played);
  const auto count = [&](auto test) {
    return static_cast<double>(std::count_if(attempts.begin(), attempts.end(), test));
  };
  const double over = number("over"), inside = number("inside"), slow = number("attempts");
  EXPECT_EQ(count([&](const Slowness& a) { return a.e2e > over; }), slow);
  EXPECT_GE(inside, over);
  EXPECT_LE(number("least"), count([&](const Slowness& a) { return a.inside > inside; }));
  const double alone = count([&](const Slowness& a) { return a.inside > over; }) / slow;
  EXPECT_LE(number("least") / slow, alone + 1e-9);
  double slowest = 0, slowest_inside = 0;
  const auto m = static_cast<std::size_t>(std::ceil(0.01 * static_cast<double>(attempts.size())));
  for (std::size_t i = 0; i < m; ++i) {
    slowest += attempts[i].e2e;
    slowest_inside += attempts[i].inside;
  }
  if (server->tail_time_share) {
    EXPECT_LE(*server->tail_time_share->low, slowest_inside / slowest + 1e-9);
    EXPECT_GE(*server->tail_time_share->high, slowest_inside / slowest - 1e-9);
  }
  return true;
}

std::string RandomPath(std::mt19937_64& random) {
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double slow = number(0.3, 1.5);
  switch (random() % 4) {
    case 0:
      return fmt::format(
          "webhooks: [{{name: quota, cost: \"0.9*ln(0.004,0.4)+0.1*u({0},{1})\"}}, "
          "{{name: labels, resource: pods, cost: \"u(0.1,0.4)\"}}]",
          slow, 2 * slow);
    case 1:
      return fmt::format("etcd: {{fsync: \"0.97*ln(0.002,0.4)+0.03*u({0},{1})\"}}", slow, 2 * slow);
    case 2:
      return fmt::format("etcd: {{fsync: \"u({0},{1})\"}}", slow / 10, slow / 5);
    default:
      return fmt::format("audit: {{cost: \"0.8*0.001+0.2*u({0},{1})\", blocking: true}}", slow / 2,
                         slow);
  }
}

TEST(BindingPathTruth, EveryPartAndTheTailHoldTheTruth) {
  constexpr char kQuiet[] =
      "webhooks: [{name: quota, cost: \"ln(0.004,0.4)\"}, "
      "{name: labels, resource: pods, cost: \"ln(0.004,0.4)\"}]";
  int tails = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    const std::string incident = RandomPath(random);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, incident));
    const Played played = Play(kQuiet, incident, seed);
    ExpectHolds(played, "apiserver", InServer);
    ExpectHolds(played, "apiserver.storage",
                [](const BindingRecord& r) { return ToSeconds(r.storage); });
    ExpectHolds(played, "apiserver.webhook/quota",
                [](const BindingRecord& r) { return ToSeconds(r.webhook); });
    ExpectHolds(played, "bind.network",
                [](const BindingRecord& r) { return ToSeconds(r.network + r.audit); });
    tails += ExpectTailHolds(played);
  }
  EXPECT_GE(tails, 4);
}

constexpr char kThreeServers[] = "instances: 3, spread: true";

std::vector<std::string> Behind(const Diagnosis& d) {
  std::vector<std::string> out;
  for (const Finding& finding : d.findings) {
    for (const CauseBehind& one : finding.behind) out.push_back(one.id + " " + one.object);
  }
  return out;
}

TEST(BindingPathTruth, OneSlowServerOfThreeIsNamed) {
  const Played spread = Play(kThreeServers, "slow_instance: {number: 2, cost: \"u(0.5,1.5)\"}", 1);
  EXPECT_THAT(Behind(spread.diagnosis), testing::Contains("apiserver.instance 10.0.0.2:6443"));
  const Played kept = Play("instances: 3", "slow_instance: {number: 1, cost: \"u(0.5,1.5)\"}", 1);
  EXPECT_THAT(Behind(kept.diagnosis), testing::Contains(testing::StartsWith("apiserver.instance")))
      << "all bindings meet it: other requests tell it from the others";
  ASSERT_TRUE(kept.diagnosis.control_plane);
  EXPECT_EQ(kept.diagnosis.control_plane->apiserver.seen, 3);
  EXPECT_EQ(kept.diagnosis.control_plane->apiserver.servers.size(), 1u);
}

TEST(BindingPathTruth, ServersThatAreAllSlowAreNotTold) {
  const Played disk = Play(kThreeServers, "etcd: {fsync: \"u(0.1,0.3)\"}", 2);
  EXPECT_THAT(Behind(disk.diagnosis), testing::Contains("etcd.disk "));
  EXPECT_THAT(Behind(disk.diagnosis),
              testing::Not(testing::Contains(testing::StartsWith("apiserver.instance"))));
  const Played idle = Play("instances: 3", "slow_instance: {number: 2, cost: \"u(0.5,1.5)\"}", 1);
  EXPECT_THAT(Behind(idle.diagnosis),
              testing::Not(testing::Contains(testing::StartsWith("apiserver.instance"))))
      << "bindings do not meet the slow one";
}

}  // namespace
}  // namespace schedlens
