#include "replay/runs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kube/words.h"
#include "scheduler/base/random.h"
#include "source/capture/capture_source.h"

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
    const sim::PodTemplate& pod_template =
        scenario.templates[result.pods[attempt.pod].pod_template];
    if (pod_template.priority < 0) continue;
    pods.insert(attempt.pod);
    loop += LoopSeconds(attempt);
    e2e += sim::ToSeconds(attempt.e2e);
    throttled += sim::ToSeconds(attempt.throttle);
    extender += sim::ToSeconds(attempt[AttemptStage::kExtBind]);
    // The status PATCH of a pod that fails for the first time is the loop's, and no attempt's.
    if (attempt.result != sim::AttemptResult::kScheduled && attempt.number == 1 &&
        !pod_template.condition_set && !scenario.AsyncApiCalls()) {
      loop += scenario.segments.back().conditions.costs[sim::Cost::kWriteApi].wall.Mean();
      ++requests;
    }
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

void Collect(const sim::Scenario& scenario, const Failures& failures,
             const sim::SimulationResult& result, std::uint64_t seed, Runs* runs) {
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

/// Bounds of a histogram: each is twice the one before.
struct Bounds {
  double first = 0.001, top = 16.384;
};
Bounds BoundsOf(ReplayedSeconds population) {
  if (population == ReplayedSeconds::kPod) return {0.01, 5242.88};
  return {};
}

bool AsksForScheduled(const AlertVerdict& alert) {
  const auto scheduled = [](const auto& label) {
    return label.first == "result" && label.second == ToString(kube::AttemptResult::kScheduled);
  };
  return std::any_of(alert.population.begin(), alert.population.end(), scheduled) ||
         std::any_of(alert.labels.begin(), alert.labels.end(), scheduled);
}

ReplayedSeconds ReplayedSecondsOf(const AlertVerdict& alert) {
  const std::string& metric = alert.metric;
  const auto has = [&](const char* part) { return metric.find(part) != std::string::npos; };
  if (has("pod_scheduling_duration") || has("pod_scheduling_sli_duration"))
    return ReplayedSeconds::kPod;
  // The older one is of scheduled attempts alone.
  if (has("e2e_scheduling")) return ReplayedSeconds::kE2e;
  if (!has("scheduling_attempt_duration")) return ReplayedSeconds::kOther;
  return AsksForScheduled(alert) ? ReplayedSeconds::kE2e : ReplayedSeconds::kAll;
}

/// Standard deviations of the rank that are left to chance.
constexpr double kRankDeviations = 2.6;

}  // namespace

std::unique_ptr<Source> ReplayAsSource(const sim::Scenario& scenario, std::uint64_t seed,
                                       sim::SimulationResult* result, bool plugins) {
  sim::RunOptions options;
  options.seed = seed;
  options.plugins = plugins;
  options.keep_attempts = result != nullptr;
  sim::SimulationResult run = sim::RunScenario(scenario, options);
  SourceInfo info;
  info.kind = "scenario";
  info.name = scenario.name;
  info.version = scenario.release.ToString();
  std::vector<Series> series = std::move(run.exposition.series);
  if (result != nullptr) *result = std::move(run);
  return NewLocalSource(std::move(series), std::move(info));
}

std::vector<double> ScheduledSeconds(const sim::Scenario& scenario,
                                     const sim::SimulationResult& result) {
  Runs runs;
  Collect(scenario, {}, result, 0, &runs);
  return std::move(runs.e2e.front());
}

double NearestRank(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return NAN;
  const double rank = std::ceil(q * static_cast<double>(ascending.size()) - 1e-9);
  return ascending[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
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
    Collect(fitted.scenario, fitted.failures, result, seed, &runs);
    runs.loads.push_back(LoadOf(scenario, result));
  }
  return runs;
}

Measured PredictedInterval(const std::vector<std::vector<double>>& runs, double q,
                           double rank_slack) {
  std::vector<double> shown, pooled;
  double attempts = 0;
  for (const std::vector<double>& run : runs) {
    if (run.empty()) continue;
    shown.push_back(NearestRank(run, q));
    if (runs.size() > 1) pooled.insert(pooled.end(), run.begin(), run.end());
    attempts += static_cast<double>(run.size());
  }
  if (shown.empty()) return {std::nullopt, std::nullopt, std::nullopt, "s", {}};
  std::sort(shown.begin(), shown.end());
  std::sort(pooled.begin(), pooled.end());
  const double run_size = attempts / static_cast<double>(shown.size());
  const double chance = rank_slack + kRankDeviations * std::sqrt(q * (1 - q) / run_size);
  const std::vector<double>& all = pooled.empty() ? runs.front() : pooled;
  const double low = NearestRank(all, std::max(0.0, q - chance));
  const double high = NearestRank(all, std::min(1.0, q + chance));
  return Bounded(std::min(low, shown.front()) / kFitError, shown[shown.size() / 2],
                 std::max(high, shown.back()) * kFitError, "s", BasisKind::kReplays);
}

void Widen(const Measured& one, Measured* all) {
  if (!one.value) return;
  if (!all->value) *all = one;
  all->low = std::min(*all->low, *one.low);
  all->high = std::max(*all->high, *one.high);
}

std::optional<ThresholdOf> ThresholdOfAlert(const Diagnosis& diagnosis) {
  const auto& alert = diagnosis.alert;
  if (!alert || !alert->threshold || std::isnan(alert->quantile)) return std::nullopt;
  return ThresholdOf{ReplayedSecondsOf(*alert), alert->metric, alert->quantile, *alert->threshold};
}

const std::vector<std::vector<double>>& Of(const Runs& runs, ReplayedSeconds population) {
  return population == ReplayedSeconds::kPod   ? runs.pod
         : population == ReplayedSeconds::kAll ? runs.all
                                               : runs.e2e;
}

double ShownQuantile(const std::vector<double>& ascending, double q, ReplayedSeconds population) {
  const Bounds bounds = BoundsOf(population);
  const double n = static_cast<double>(ascending.size());
  double lower = 0, below = 0;
  for (double bound = bounds.first; bound <= bounds.top * 1.0001; bound *= 2) {
    const auto at = std::upper_bound(ascending.begin(), ascending.end(), bound);
    const double reached = static_cast<double>(at - ascending.begin());
    if (reached >= q * n) {
      return lower + (bound - lower) * (q * n - below) / std::max(1.0, reached - below);
    }
    lower = bound;
    below = reached;
  }
  return bounds.top;
}

std::optional<bool> Fires(const ThresholdOf& threshold, const std::vector<Runs>& readings) {
  const double top = BoundsOf(threshold.population).top;
  bool above = true, below = true;
  for (const Runs& runs : readings) {
    for (const std::vector<double>& run : Of(runs, threshold.population)) {
      if (run.empty()) return std::nullopt;
      const double shown = ShownQuantile(run, threshold.q, threshold.population);
      above = above && shown / kFitError > threshold.seconds;
      below = below && std::min(top, shown * kFitError) <= threshold.seconds;
    }
  }
  return above == below ? std::nullopt : std::optional(above);
}

}  // namespace schedlens
