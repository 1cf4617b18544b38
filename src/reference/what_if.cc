#include "reference/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reference/fit.h"
#include "reference/replay.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};
/// What a fit from buckets may be off by on top of chance; `test/what-if` says how often it is.
constexpr double kFitError = 1.08;
/// Standard deviations of the rank that are left to chance.
constexpr double kRankDeviations = 2.6;
/// More attempts than this are refused: a typing error, not a question.
constexpr double kMostAttempts = 400'000;
/// Bounds of the e2e histogram, in which an alert sees the attempts.
constexpr double kFirstBound = 0.001;
constexpr double kTopBound = 16.384;

/// Seconds of e2e and from the first attempt to the binding of each run, ascending.
struct Runs {
  std::vector<std::vector<double>> e2e, pod;
};

void Replay(const Fitted& fitted, std::uint64_t seed, Runs* runs) {
  const sim::Scenario scenario = fitted.Played(seed);
  sim::RunOptions options;
  options.seed = seed;
  options.scrape = false;
  const sim::SimulationResult result = sim::RunScenario(scenario, options);
  std::vector<double> pod;
  std::map<std::uint32_t, sim::Nanos> first_start;
  for (const sim::AttemptRecord& attempt : result.attempts) {
    const auto [it, fresh] = first_start.try_emplace(attempt.pod, attempt.start);
    if (!fresh) it->second = std::min(it->second, attempt.start);
    const sim::Nanos end = attempt.start + attempt.e2e;
    if (attempt.result == sim::AttemptResult::kScheduled && end > scenario.incident_start &&
        end <= scenario.incident_end) {
      pod.push_back(sim::ToSeconds(end - it->second));
    }
  }
  std::sort(pod.begin(), pod.end());
  runs->e2e.push_back(ScheduledSeconds(scenario, result));
  runs->pod.push_back(std::move(pod));
}

Runs ReplayAll(const std::vector<const Fitted*>& fits, std::size_t seeds) {
  Runs runs;
  for (const Fitted* fitted : fits) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) Replay(*fitted, seed, &runs);
  }
  return runs;
}

/// What the server's function makes of the attempts in the buckets of the e2e histogram.
double Shown(const std::vector<double>& ascending, double q) {
  const double n = static_cast<double>(ascending.size());
  double lower = 0, below = 0;
  for (double bound = kFirstBound; bound <= kTopBound * 1.0001; bound *= 2) {
    const auto at = std::upper_bound(ascending.begin(), ascending.end(), bound);
    const double reached = static_cast<double>(at - ascending.begin());
    if (reached >= q * n) {
      return lower + (bound - lower) * (q * n - below) / std::max(1.0, reached - below);
    }
    lower = bound;
    below = reached;
  }
  return kTopBound;
}

/// Whether every run, and what the fit may be off by, lies on one side of the threshold.
std::optional<bool> Fires(const std::optional<double>& threshold, double q,
                          const std::vector<std::vector<double>>& runs) {
  if (!threshold) return std::nullopt;
  bool above = true, below = true;
  for (const std::vector<double>& run : runs) {
    if (run.empty()) return std::nullopt;
    const double shown = Shown(run, q);
    above = above && shown / kFitError > *threshold;
    below = below && std::min(kTopBound, shown * kFitError) <= *threshold;
  }
  if (above == below) return std::nullopt;
  return above;
}

void CheckCanBeFitted(const Investigation& investigation) {
  const auto fail = [](const std::string& why) {
    return Error(ErrorKind::kInsufficientData, "cannot fit a replay: " + why);
  };
  if (!investigation.evidence) throw fail("no scheduler was found in the window");
  const TimeBreakdown& now = investigation.evidence->now.breakdown;
  if (now.scheduled() >= 1) return;
  if (now.failed() >= 1) {
    throw fail(
        fmt::format("all {:.0f} attempts of the window failed, and only scheduled ones are "
                    "replayed; choose another window",
                    now.failed()));
  }
  throw fail("no attempt ended in the window; choose another window");
}

void CheckCanBePlayed(const Fitted& fitted) {
  double attempts = 0;
  const auto& segments = fitted.scenario.segments;
  const double factor = segments.back().conditions.rate / fitted.rates.back();
  for (const CountedArrivals& arrivals : fitted.arrivals) attempts += arrivals.count * factor;
  if (attempts > kMostAttempts) {
    throw Error(ErrorKind::kUsage, fmt::format("--set rate: {:.3g} attempts would be replayed, "
                                               "{:.0f} at most; choose a lower rate or a shorter "
                                               "window",
                                               attempts, kMostAttempts));
  }
}

enum class Population { kE2e, kPod, kOther };

Population PopulationOf(const std::string& metric) {
  if (metric.find("pod_scheduling") != std::string::npos) return Population::kPod;
  const bool e2e = metric.find("e2e_scheduling") != std::string::npos ||
                   metric.find("scheduling_attempt_duration") != std::string::npos;
  return e2e ? Population::kE2e : Population::kOther;
}

void JudgeAlert(const Investigation& investigation, const Runs& before, const Runs& after,
                Prediction* prediction) {
  const auto& alert = investigation.diagnosis.alert;
  if (!alert || !alert->threshold || std::isnan(alert->quantile)) return;
  prediction->threshold = alert->threshold;
  prediction->alert_metric = alert->metric;
  prediction->alert_quantile = alert->quantile;
  const Population population = PopulationOf(alert->metric);
  if (population == Population::kOther) {
    prediction->assumptions.push_back(
        Message("whatif.alert.other", {{"metric", arg::Metric(alert->metric)}}));
    return;
  }
  const bool pod = population == Population::kPod;
  const double q = alert->quantile;
  prediction->fires_before = Fires(alert->threshold, q, pod ? before.pod : before.e2e);
  prediction->fires_after = Fires(alert->threshold, q, pod ? after.pod : after.e2e);
  prediction->assumptions.emplace_back("whatif.alert");
}

}  // namespace

Measured PredictedInterval(const std::vector<std::vector<double>>& runs, double q) {
  std::vector<double> shown, pooled;
  double attempts = 0;
  for (const std::vector<double>& run : runs) {
    if (run.empty()) continue;
    shown.push_back(NearestRank(run, q));
    pooled.insert(pooled.end(), run.begin(), run.end());
    attempts += static_cast<double>(run.size());
  }
  if (shown.empty()) return {std::nullopt, std::nullopt, std::nullopt, "s", {}};
  std::sort(shown.begin(), shown.end());
  std::sort(pooled.begin(), pooled.end());
  const double run_size = attempts / static_cast<double>(shown.size());
  const double chance = kRankDeviations * std::sqrt(q * (1 - q) / run_size);
  const double low = NearestRank(pooled, std::max(0.0, q - chance));
  const double high = NearestRank(pooled, std::min(1.0, q + chance));
  return Bounded(std::min(low, shown.front()) / kFitError, shown[shown.size() / 2],
                 std::max(high, shown.back()) * kFitError, "s", BasisKind::kReplays);
}

Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds) {
  CheckCanBeFitted(investigation);
  const Fitted fitted = FitScenario(investigation);
  Changed changed{fitted, fitted, false, {}};
  for (const Change& change : changes) Apply(change, investigation, &changed);
  CheckCanBePlayed(changed.likely);
  const Runs before = ReplayAll({&fitted}, seeds);
  std::vector<const Fitted*> fits = {&changed.likely};
  const Runs likely = ReplayAll(fits, seeds);
  if (changed.differ) fits.push_back(&changed.extreme);
  const Runs after = changed.differ ? ReplayAll(fits, seeds) : likely;
  Prediction prediction;
  prediction.seeds = seeds;
  // What is likely in the middle, what may be at the edges.
  const auto rows = [&](const auto& of) {
    std::vector<PredictedChange> out;
    for (const double q : kQuantiles) {
      Measured both = PredictedInterval(of(after), q);
      both.value = PredictedInterval(of(likely), q).value;
      out.push_back({q, PredictedInterval(of(before), q), both});
    }
    return out;
  };
  prediction.e2e = rows([](const Runs& runs) -> const auto& { return runs.e2e; });
  prediction.pod = rows([](const Runs& runs) -> const auto& { return runs.pod; });
  prediction.assumptions = {Message("whatif.arrivals"), Message("whatif.costs"),
                            Message("whatif.unchanged")};
  prediction.assumptions.insert(prediction.assumptions.end(), changed.assumptions.begin(),
                                changed.assumptions.end());
  JudgeAlert(investigation, before, after, &prediction);
  return prediction;
}

}  // namespace schedlens
