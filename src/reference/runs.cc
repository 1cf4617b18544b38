#include "reference/runs.h"

#include <algorithm>
#include <set>

#include "reference/replay.h"
#include "sim/base/random.h"
#include "sim/engine/simulation.h"

namespace schedlens {
namespace {

using sim::AttemptRecord;
using sim::AttemptStage;

/// A stream of its own: the scheduler's draws do not depend on which pods waited for a node.
constexpr std::uint64_t kRunStream = 102;

/// Seconds of the loop that an attempt took.
double LoopSeconds(const AttemptRecord& attempt) {
  sim::Nanos loop = attempt.algorithm;
  for (const AttemptStage stage : {AttemptStage::kPostFilter, AttemptStage::kAssume,
                                   AttemptStage::kReserve, AttemptStage::kPermit}) {
    loop += attempt[stage];
  }
  return sim::ToSeconds(loop);
}

/// Pods that the scenario's actions bring inside its window; those that wait for all others do not
/// count.
double Arriving(const sim::Scenario& scenario) {
  double pods = 0;
  for (const sim::Action& action : scenario.actions) {
    const bool inside = action.at >= scenario.incident_start && action.at < scenario.incident_end;
    const bool yields = scenario.templates[action.pod_template].priority < 0;
    if (inside && !yields) pods += action.count;
  }
  return pods;
}

Load LoadOf(const sim::Scenario& scenario, const sim::SimulationResult& result) {
  double loop = 0, requests = 0, e2e = 0, throttled = 0, extender = 0;
  std::set<std::uint32_t> pods;
  for (const AttemptRecord& attempt : result.attempts) {
    if (attempt.start < scenario.incident_start || attempt.start >= scenario.incident_end) continue;
    if (scenario.templates[result.pods[attempt.pod].pod_template].priority < 0) continue;
    pods.insert(attempt.pod);
    loop += LoopSeconds(attempt);
    e2e += sim::ToSeconds(attempt.e2e);
    throttled += sim::ToSeconds(attempt.throttle);
    extender += sim::ToSeconds(attempt[AttemptStage::kExtBind]);
    // The status PATCH of a pod that fails for the first time is the loop's, and no attempt's.
    const std::uint32_t shape = result.pods[attempt.pod].pod_template;
    const bool patched = attempt.result != sim::AttemptResult::kScheduled && attempt.number == 1 &&
                         !scenario.templates[shape].condition_set && !scenario.AsyncApiCalls();
    if (patched)
      loop += scenario.segments.back().conditions.costs[sim::Cost::kWriteApi].wall.Mean();
    if (patched) ++requests;
    requests += attempt[AttemptStage::kBind] > 0 ? 1 : 0;
    requests += attempt[AttemptStage::kNominate] > 0 ? 1 : 0;
  }
  Load load;
  if (pods.empty()) return load;
  const double seconds = sim::ToSeconds(scenario.incident_end - scenario.incident_start);
  const double rate = Arriving(scenario) / seconds / static_cast<double>(pods.size());
  load.loop = loop * rate;
  load.client = scenario.qps > 0 ? requests * rate / scenario.qps : 0;
  load.throttled = e2e > 0 ? throttled / e2e : 0;
  load.extender = e2e > 0 ? extender / e2e : 0;
  return load;
}

void Collect(const Fitted& fitted, const sim::SimulationResult& result, std::uint64_t seed,
             Runs* runs) {
  const sim::Scenario& scenario = fitted.scenario;
  const Failures& failures = fitted.failures;
  sim::Random random(seed, kRunStream);
  std::vector<double> e2e, all, pod;
  for (const AttemptRecord& attempt : result.attempts) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    if (end <= scenario.incident_start || end > scenario.incident_end) continue;
    const double seconds = sim::ToSeconds(attempt.e2e);
    if (attempt.result != sim::AttemptResult::kScheduled) {
      all.insert(all.end(), static_cast<std::size_t>(failures.merged), seconds / failures.merged);
      continue;
    }
    e2e.push_back(seconds);
    all.push_back(seconds);
    pod.push_back(sim::ToSeconds(attempt.since_added));
    if (failures.waiting_share > 0 && random.Chance(failures.waiting_share)) {
      pod.back() += failures.waiting.Sample(random);
    }
  }
  for (std::vector<double>* seconds : {&e2e, &all, &pod}) {
    std::sort(seconds->begin(), seconds->end());
  }
  runs->e2e.push_back(std::move(e2e));
  runs->all.push_back(std::move(all));
  runs->pod.push_back(std::move(pod));
}

}  // namespace

void Runs::Add(const Runs& other) {
  e2e.insert(e2e.end(), other.e2e.begin(), other.e2e.end());
  all.insert(all.end(), other.all.begin(), other.all.end());
  pod.insert(pod.end(), other.pod.begin(), other.pod.end());
  loads.insert(loads.end(), other.loads.begin(), other.loads.end());
}

Load Runs::MeanLoad() const {
  Load mean;
  const double n = static_cast<double>(std::max<std::size_t>(1, loads.size()));
  for (const Load& load : loads) {
    mean.loop += load.loop / n;
    mean.client += load.client / n;
    mean.throttled += load.throttled / n;
    mean.extender += load.extender / n;
  }
  return mean;
}

Runs PlayRuns(const Fitted& fitted, std::uint64_t first, std::size_t seeds) {
  Runs runs;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const sim::Scenario scenario = fitted.Played(seed);
    sim::RunOptions options;
    options.seed = seed;
    options.scrape = options.metrics = false;
    const sim::SimulationResult result = sim::RunScenario(scenario, options);
    Collect(fitted, result, seed, &runs);
    runs.loads.push_back(LoadOf(scenario, result));
  }
  return runs;
}

}  // namespace schedlens
