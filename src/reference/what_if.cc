#include "reference/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/aftermath.h"
#include "reference/alert_outlook.h"
#include "reference/chance.h"
#include "reference/fit.h"
#include "reference/readings.h"
#include "reference/replay.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr double kPredicted[] = {0.5, 0.9, 0.99, 0.999};
/// Standard deviations of the rank that are left to chance.
constexpr double kRankDeviations = 2.6;
/// More attempts than this are refused: a typing error, not a question.
constexpr double kMostPlayed = 400'000;
/// Replays of a reading after the change, at least.
constexpr std::size_t kLeastSeeds = 3;

void CheckCanBeFitted(const Investigation& investigation) {
  const auto fail = [](const std::string& why) {
    return Error(ErrorKind::kInsufficientData, "cannot fit a replay: " + why);
  };
  if (!investigation.evidence) throw fail("no scheduler was found in the window");
  const TimeBreakdown& now = investigation.evidence->now.breakdown;
  if (now.scheduled() >= 1) return;
  if (now.failed() >= 1) {
    throw fail(fmt::format("all {:.0f} attempts of the window failed; choose another window",
                           now.failed()));
  }
  throw fail("no attempt ended in the window; choose another window");
}

/// A quantile of the runs of each reading: from the lowest to the highest end, the middle of the
/// first one.
Measured Across(const std::vector<Runs>& readings, ReplayedSeconds population, double q) {
  Measured all;
  for (const Runs& runs : readings) {
    const Measured one = PredictedInterval(Of(runs, population), q);
    if (!one.value) continue;
    if (!all.value) {
      all = one;
      continue;
    }
    all.low = std::min(*all.low, *one.low);
    all.high = std::max(*all.high, *one.high);
  }
  return all;
}

/// The readings of one side, replayed.
struct Side {
  std::vector<Runs> readings;  ///< the likeliest first
  Runs Together() const {
    Runs all;
    for (const Runs& runs : readings) all.Add(runs);
    return all;
  }
};

std::vector<PredictedChange> Rows(const Side& before, const Side& after, ReplayedSeconds population,
                                  bool refused) {
  std::vector<PredictedChange> rows;
  for (const double q : kPredicted) {
    rows.push_back({q, Across(before.readings, population, q),
                    refused ? Measured() : Across(after.readings, population, q)});
    rows.back().after.unit = "s";
  }
  return rows;
}

Message Refusal(const char* id, const Miss& miss) {
  Message why(id, {{"q", arg::Number(100 * miss.q)},
                   {"replayed", arg::Duration(*miss.replayed.value)},
                   {"least", arg::Duration(*miss.replayed.low)},
                   {"most", arg::Duration(*miss.replayed.high)},
                   {"low", arg::Duration(miss.proven.low.value_or(0))}});
  if (miss.proven.high) {
    why.args.push_back({"high", arg::Duration(*miss.proven.high)});
  } else {
    why.id += ".open";
  }
  return why;
}

/// What is refused, and whether that is what was asked for.
void Refuse(const Readings& readings, const std::optional<ThresholdOf>& threshold,
            Prediction* prediction) {
  const ReplayedSeconds asked = threshold ? threshold->population : ReplayedSeconds::kE2e;
  prediction->undecidable = !RefusalsOf(readings, asked).empty();
  prediction->refused = RefusalsOf(readings, asked);
  // The pods' rows are shown in any case.
  if (readings.pod && asked != ReplayedSeconds::kPod) {
    prediction->refused.push_back(Refusal("whatif.refused.pod", *readings.pod));
  }
}

void JudgeAlert(const std::optional<ThresholdOf>& threshold, const Side& before, const Side& after,
                Prediction* prediction) {
  if (!threshold) return;
  prediction->threshold = threshold->seconds;
  prediction->alert_metric = threshold->metric;
  prediction->alert_quantile = threshold->q;
  if (threshold->population == ReplayedSeconds::kOther) {
    prediction->assumptions.push_back(
        Message("whatif.alert.other", {{"metric", arg::Metric(threshold->metric)}}));
    return;
  }
  if (prediction->undecidable) return;
  prediction->fires_before = Fires(*threshold, before.Together());
  prediction->fires_after = Fires(*threshold, after.Together());
  prediction->assumptions.emplace_back("whatif.alert");
}

Utilisation UtilisationOf(const Runs& runs) {
  const Load load = runs.MeanLoad();
  return {load.loop, load.client};
}

std::vector<double> QuantilesToProve(const std::optional<ThresholdOf>& threshold) {
  std::vector<double> quantiles = {0.5, 0.9, 0.99};
  if (threshold) quantiles.push_back(threshold->q);
  return quantiles;
}

}  // namespace

std::vector<Message> RefusalsOf(const Readings& readings, ReplayedSeconds asked) {
  std::vector<Message> why;
  // Pods wait for what attempts take: wrong attempts are wrong pods.
  if (readings.e2e) why.push_back(Refusal("whatif.refused.e2e", *readings.e2e));
  if (readings.all && asked == ReplayedSeconds::kAll && !readings.e2e) {
    why.push_back(Refusal("whatif.refused.all", *readings.all));
  }
  if (readings.pod && asked == ReplayedSeconds::kPod) {
    why.push_back(Refusal("whatif.refused.pod", *readings.pod));
  }
  return why;
}

void CheckCanBePlayed(const Fitted& fitted) {
  double attempts = 0;
  const auto& segments = fitted.scenario.segments;
  const double factor = segments.back().conditions.rate / fitted.rates.back();
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    attempts += arrivals.count * factor;
  }
  if (attempts > kMostPlayed) {
    throw Error(ErrorKind::kUsage, fmt::format("--set rate: {:.3g} attempts would be replayed, "
                                               "{:.0f} at most; choose a lower rate or a shorter "
                                               "window",
                                               attempts, kMostPlayed));
  }
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

Readings ReadInvestigation(const Investigation& investigation,
                           const std::optional<ThresholdOf>& threshold, std::size_t seeds) {
  CheckCanBeFitted(investigation);
  const Fitted fitted = FitScenario(investigation);
  return ReadWindow(investigation, fitted,
                    ProveWindow(investigation, fitted, QuantilesToProve(threshold)), seeds);
}

namespace {

Prediction PredictFor(const Investigation& investigation, const std::vector<Change>& changes,
                      std::size_t seeds) {
  const auto threshold = ThresholdOfAlert(investigation.diagnosis);
  const Readings readings = ReadInvestigation(investigation, threshold, seeds);
  Prediction prediction;
  prediction.seeds = seeds;
  prediction.assumptions = {Message("whatif.arrivals"), Message("whatif.costs"),
                            Message("whatif.unchanged")};
  if (readings.groups_differ) prediction.assumptions.emplace_back("whatif.groups");
  Side before, after;
  const std::size_t each = std::max(kLeastSeeds, seeds / readings.kept.size());
  for (const Reading& reading : readings.kept) {
    const bool first = before.readings.empty();
    const Changed changed = ApplyAll(changes, investigation, reading.fitted);
    CheckCanBePlayed(changed.likely);
    before.readings.push_back(reading.before);
    after.readings.push_back(PlayRuns(changed.likely, 1, first ? std::max(each, seeds) : each));
    if (changed.differ) after.readings.push_back(PlayRuns(changed.extreme, 1, each));
    if (const auto least = CheapestOf(changes, investigation, reading.fitted, changed)) {
      after.readings.push_back(PlayRuns(*least, 1, each));
    }
    if (first) {
      for (const double sign : {-1.0, 1.0}) {
        after.readings.push_back(
            PlayRuns(ByChance(*investigation.evidence, changed.likely, sign), 1, kLeastSeeds));
      }
    }
    if (!first) continue;
    prediction.qps = reading.fitted.scenario.qps;
    prediction.qps_after = changed.likely.scenario.qps;
    prediction.assumptions.insert(prediction.assumptions.end(), changed.assumptions.begin(),
                                  changed.assumptions.end());
  }
  Refuse(readings, threshold, &prediction);
  prediction.before = UtilisationOf(before.readings.front());
  prediction.after = UtilisationOf(after.readings.front());
  prediction.e2e = Rows(before, after, ReplayedSeconds::kE2e, readings.e2e.has_value());
  prediction.pod = Rows(before, after, ReplayedSeconds::kPod,
                        readings.e2e.has_value() || readings.pod.has_value());
  JudgeAlert(threshold, before, after, &prediction);
  return prediction;
}

}  // namespace

Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds) {
  const auto part = WithoutAftermath(investigation);
  if (!part) return PredictFor(investigation, changes, seeds);
  Prediction prediction = PredictFor(CutTo(*part, investigation), changes, seeds);
  prediction.assumptions.push_back(CutNote(*part, investigation));
  return prediction;
}

}  // namespace schedlens
