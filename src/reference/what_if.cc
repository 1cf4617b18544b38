#include "reference/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/nearest.h"
#include "model/text.h"
#include "reference/fit.h"
#include "reference/replay.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};
/// Bounds of the e2e histogram: a prediction is as fine as the buckets it was fitted from.
constexpr double kFirstBound = 0.001;

struct StageKey {
  std::string_view key;
  std::vector<Cost> costs;
  std::string_view meaning;
};

const std::vector<StageKey>& StageKeys() {
  static const std::vector<StageKey> keys = {
      {"algorithm.prefilter", {Cost::kPreFilter}, "PreFilter, seconds an attempt"},
      {"algorithm.filter", {Cost::kFilter}, "Filter, seconds an attempt"},
      {"algorithm.prescore", {Cost::kPreScore}, "PreScore, seconds an attempt"},
      {"algorithm.score", {Cost::kScore}, "Score, seconds an attempt"},
      {"algorithm.unmeasured",
       {Cost::kSnapshot},
       "the algorithm outside its extension points (extenders), seconds an attempt"},
      {"reserve", {Cost::kReserveWait}, "Reserve, seconds an attempt"},
      {"prebind", {Cost::kPreBindWait}, "PreBind, seconds an attempt"},
      {"bind.request", {Cost::kBindApi}, "the API server's part of a bind, seconds"},
      {"bind.extender", {Cost::kExtBind}, "an extender's bind, seconds"},
  };
  return keys;
}

struct SettingKey {
  std::string_view key;
  double sim::Scenario::*field;
  std::string_view meaning;
};
constexpr SettingKey kSettingKeys[] = {
    {"client.qps", &sim::Scenario::qps, "clientConnection.qps, requests a second"},
    {"client.burst", &sim::Scenario::client_burst, "clientConnection.burst, requests"},
};
constexpr std::string_view kRateKey = "rate";

void Apply(const Change& change, sim::Scenario* scenario) {
  for (const SettingKey& key : kSettingKeys) {
    if (key.key != change.key) continue;
    double& field = scenario->*key.field;
    field = change.multiply ? field * change.value : change.value;
  }
  for (sim::Segment& segment : scenario->segments) {
    if (change.key == kRateKey) {
      double& rate = segment.conditions.rate;
      rate = change.multiply ? rate * change.value : change.value;
    }
    for (const StageKey& key : StageKeys()) {
      if (key.key != change.key) continue;
      for (const Cost cost : key.costs) {
        sim::StepCost& step = segment.conditions.costs[cost];
        step.wall = change.multiply ? step.wall.Scaled(change.value)
                                    : sim::Distribution::Constant(change.value);
        step.per_node *= change.multiply ? change.value : 0;
        step.per_pod *= change.multiply ? change.value : 0;
      }
    }
  }
}

double BucketLow(double seconds) {
  double bound = kFirstBound;
  if (seconds <= bound) return 0;
  while (bound * 2 < seconds) bound *= 2;
  return bound;
}

double BucketHigh(double seconds) {
  double bound = kFirstBound;
  while (bound < seconds) bound *= 2;
  return bound;
}

/// Over the seeds: the middle one, and the buckets that the lowest and highest lie in.
Measured Spread(std::vector<double> values) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return {std::nullopt, std::nullopt, std::nullopt, "s", ""};
  std::sort(values.begin(), values.end());
  return Bounded(BucketLow(values.front()), values[values.size() / 2], BucketHigh(values.back()),
                 "s", "replay over seeds, to the bucket");
}

/// Seconds of e2e and from creation to binding of one run's scheduled attempts, ascending.
struct Outcome {
  std::vector<double> e2e, pod;
};

Outcome Replay(const sim::Scenario& scenario, std::uint64_t seed) {
  sim::RunOptions options;
  options.seed = seed;
  options.scrape = false;
  const sim::SimulationResult result = sim::RunScenario(scenario, options);
  Outcome outcome{ScheduledSeconds(scenario, result), {}};
  std::map<std::uint32_t, sim::Nanos> first_start;
  for (const sim::AttemptRecord& attempt : result.attempts) {
    const auto [it, fresh] = first_start.try_emplace(attempt.pod, attempt.start);
    if (!fresh) it->second = std::min(it->second, attempt.start);
    const sim::Nanos end = attempt.start + attempt.e2e;
    if (attempt.result == sim::AttemptResult::kScheduled && end > scenario.incident_start &&
        end <= scenario.incident_end) {
      outcome.pod.push_back(sim::ToSeconds(end - it->second));
    }
  }
  std::sort(outcome.pod.begin(), outcome.pod.end());
  return outcome;
}

std::optional<bool> Fires(const std::optional<double>& threshold, const Measured& p) {
  if (!threshold || !p.low || !p.high) return std::nullopt;
  if (*p.low >= *threshold) return true;
  if (*p.high <= *threshold) return false;
  return std::nullopt;
}

}  // namespace

std::vector<ChangeKey> ChangeKeys() {
  std::vector<ChangeKey> keys;
  for (const StageKey& key : StageKeys()) {
    keys.push_back({std::string(key.key), std::string(key.meaning)});
  }
  for (const SettingKey& key : kSettingKeys) {
    keys.push_back({std::string(key.key), std::string(key.meaning)});
  }
  keys.push_back({std::string(kRateKey), "pods a second"});
  return keys;
}

Change ParseChange(const std::string& text) {
  const auto fail = [&](const std::string& why) {
    return Error(ErrorKind::kUsage, fmt::format("--set {}: {}", text, why));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw fail("expected KEY=VALUE or KEY*=FACTOR");
  Change change;
  change.key = text.substr(0, equals);
  if (change.key.ends_with('*')) {
    change.multiply = true;
    change.key.pop_back();
  }
  const auto value = ParseNumber(text.substr(equals + 1));
  if (!value || !std::isfinite(*value) || *value < 0) throw fail("the value is no number >= 0");
  change.value = *value;
  std::vector<std::string> known;
  for (const ChangeKey& key : ChangeKeys()) known.push_back(key.key);
  if (std::find(known.begin(), known.end(), change.key) == known.end()) {
    throw fail(fmt::format("unknown key; did you mean {}?", Nearest(change.key, known)));
  }
  if (change.value == 0 && (change.key.starts_with("client.") || change.key == kRateKey)) {
    throw fail("must be over 0");
  }
  return change;
}

Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds) {
  if (!investigation.evidence || investigation.evidence->now.account.scheduled() < 1) {
    throw Error(ErrorKind::kInsufficientData,
                "cannot fit a replay: no scheduled attempt in the window; choose another window");
  }
  const Fitted fitted = FitScenario(investigation);
  Fitted changed = fitted;
  for (const Change& change : changes) Apply(change, &changed.scenario);
  std::vector<Outcome> before, after;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    before.push_back(Replay(fitted.Played(seed), seed));
    after.push_back(Replay(changed.Played(seed), seed));
  }
  Prediction prediction;
  prediction.seeds = seeds;
  const auto spread = [](const std::vector<Outcome>& outcomes, double q, bool pod) {
    std::vector<double> values;
    for (const Outcome& o : outcomes) values.push_back(NearestRank(pod ? o.pod : o.e2e, q));
    return Spread(std::move(values));
  };
  for (const double q : kQuantiles) {
    prediction.e2e.push_back({q, spread(before, q, false), spread(after, q, false)});
    prediction.pod.push_back({q, spread(before, q, true), spread(after, q, true)});
  }
  prediction.threshold = investigation.evidence->threshold;
  prediction.fires_before = Fires(prediction.threshold, prediction.e2e[2].before);
  prediction.fires_after = Fires(prediction.threshold, prediction.e2e[2].after);
  prediction.assumptions = {
      "Arrivals are Poisson at the window's measured rate; failed attempts are not replayed.",
      "Each stage's cost is drawn from its own histogram, independent of the others.",
      "What is not changed stays as measured; pod times start at the first attempt.",
  };
  return prediction;
}

}  // namespace schedlens
