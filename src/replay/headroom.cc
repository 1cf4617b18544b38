#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "kube/stage.h"
#include "replay/change.h"
#include "replay/what_if.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;

/// Factors are 2^(step / kSteps): 3 % apart.
constexpr int kSteps = 24;
constexpr int kHighest = 6 * kSteps, kLowest = -4 * kSteps;
/// Attempts of one replay, at most.
constexpr double kMostTries = 120'000;
/// Readings that are followed, and replays of each factor.
constexpr std::size_t kReadings = 4, kReplays = 3;
/// From these parts of its time on the loop or the limiter is what pods wait for.
constexpr double kBusyLoop = 0.6, kBusyClient = 0.85, kMostly = 0.5;
/// Standard deviations of the number of pods that are left to chance.
constexpr double kRateDeviations = 2.6;

double FactorOf(int step) { return std::exp2(static_cast<double>(step) / kSteps); }

struct Level {
  Measured shown;
  double e2e = 0;  ///< the same quantile of the scheduled attempts
  Load load;
};

/// Where what follows from more of something is not known: which end of it.
enum class End { kLikely, kDearest, kCheapest };

/// One reading on its way from factor to factor.
struct Climb {
  const Investigation& investigation;
  Fitted fitted;
  const std::string& what;
  const ThresholdOf& target;
  End end = End::kLikely;
  std::size_t replays = kReplays;
  std::map<int, Level> levels = {};

  const Level& At(int step) {
    const auto [it, fresh] = levels.try_emplace(step);
    if (!fresh) return it->second;
    Changed changed{fitted, fitted};
    changed.cheapest = end == End::kCheapest;
    const Change change{what, ChangeKind::kMultiply, FactorOf(step), "", ""};
    if (step != 0) Apply(change, investigation, &changed);
    const Runs runs = PlayRuns(end == End::kDearest ? changed.extreme : changed.likely, 1, replays);
    it->second = {PredictedInterval(Of(runs, target.population), target.q),
                  PredictedInterval(runs.e2e, target.q).value.value_or(0), runs.MeanLoad()};
    return it->second;
  }

  /// The first step at which that end of the interval is over the target, from the one before it;
  /// nothing where it is not reached.
  std::optional<int> Crossing(std::optional<double> Measured::*bound) {
    const auto over = [&](int step) {
      const Level& level = At(step);
      return level.shown.value && *(level.shown.*bound) > target.seconds;
    };
    int below = 0, above = 0;
    if (over(0)) {
      for (int stride = kSteps / 4; over(below); stride *= 2) {
        if (below <= kLowest) return kLowest;
        above = below;
        below = std::max(kLowest, below - stride);
      }
    } else {
      const int highest = Highest();
      for (int stride = kSteps / 4; !over(above); stride *= 2) {
        if (above >= highest) return std::nullopt;
        below = above;
        above = std::min(highest, above + stride);
      }
    }
    while (above - below > 1) {
      const int middle = (above + below) / 2;
      (over(middle) ? above : below) = middle;
    }
    return above;
  }

  /// As far as a replay does not take too long.
  int Highest() const {
    if (what != "rate") return kHighest;
    const double most = std::max(1.0, kMostTries / (1 + fitted.Pods()));
    return std::min(kHighest, static_cast<int>(std::floor(kSteps * std::log2(most))));
  }
};

/// The stage of the loop that takes longest.
kube::Stage LongestOnLoop(const Fitted& fitted) {
  constexpr std::pair<Cost, kube::Stage> kStages[] = {
      {Cost::kPreFilter, kube::Stage::kPreFilter},
      {Cost::kFilter, kube::Stage::kFilter},
      {Cost::kPreScore, kube::Stage::kPreScore},
      {Cost::kScore, kube::Stage::kScore},
      {Cost::kSnapshot, kube::Stage::kAlgorithmUnmeasured},
      {Cost::kReserveWait, kube::Stage::kReserve}};
  std::pair<double, kube::Stage> longest = {0, kube::Stage::kAlgorithm};
  for (const auto& [cost, stage] : kStages) {
    const double mean = fitted.now().costs[cost].wall.Mean();
    if (mean > longest.first) longest = {mean, stage};
  }
  return longest.second;
}

/// Which limit binds where the quantile crosses the target.
std::string LimitAt(const Level& level, const ThresholdOf& target, const Fitted& fitted) {
  const Load& load = level.load;
  const bool waits =
      target.population == ReplayedSeconds::kPod && level.e2e < kMostly * target.seconds;
  if (waits || (load.loop >= kBusyLoop && load.loop > load.client)) {
    return LongestOnLoop(fitted) == kube::Stage::kAlgorithmUnmeasured ? "extender" : "loop";
  }
  if (load.client >= kBusyClient || load.throttled > kMostly) return "client";
  return load.extender > kMostly ? "extender" : "none";
}

/// The change that would move the limit; nothing where none does.
std::optional<Change> MoveOf(const std::string& limit, const Fitted& fitted) {
  if (limit == "client") return ParseChange("client.qps*=2");
  if (limit == "extender") return ParseChange("extender=removed");
  if (limit != "loop") return std::nullopt;
  return ParseChange(std::string(ToString(LongestOnLoop(fitted))) + "*=0.5");
}

std::string WordsOf(const Change& change) {
  if (change.kind == ChangeKind::kRemoved) return change.key + "=removed";
  return fmt::format("{}*={}", change.key, FormatNumber(change.value));
}

std::optional<double> NowOf(const std::string& what, const Investigation& investigation,
                            const Fitted& fitted) {
  if (what == "rate") return fitted.rates.back();
  return what == "nodes" ? NodesOf(investigation) : std::nullopt;
}

/// Of another window like it as many pods more or less may come by chance.
double ChanceOfRate(const Fitted& fitted) {
  return std::min(0.5, kRateDeviations * std::sqrt(fitted.group / (1 + fitted.WindowPods())));
}

/// The interval of all climbs: the earliest that some may cross it, the latest that all have.
void Combine(std::vector<Climb>* climbs, double chance, Headroom* headroom) {
  int low = kHighest, high = kLowest;
  bool any = false, all = true;
  for (Climb& climb : *climbs) {
    const auto first = climb.Crossing(&Measured::high);
    const auto last = climb.Crossing(&Measured::low);
    if (first) low = std::min(low, *first - 1);
    any = any || first;
    if (last) high = std::max(high, *last);
    all = all && last;
  }
  Measured& factor = headroom->factor;
  factor.unit = "1";
  factor.basis = BasisKind::kReplays;
  if (!any) {
    factor.low = headroom->most;
    return;
  }
  factor.low = FactorOf(low) * (1 - chance);
  if (all) factor.high = FactorOf(high) * (1 + chance);
  // Crossed however little there is.
  if (all && high <= kLowest) factor.low.reset();
  const auto middle = climbs->front().Crossing(&Measured::value);
  if (middle && factor.low) {
    factor.value = std::max(*factor.low, FactorOf(*middle) / std::sqrt(FactorOf(1)));
    if (factor.high) factor.value = std::min(*factor.value, *factor.high);
  }
}

void ExplainLimit(const Investigation& investigation, const Fitted& fitted, const std::string& what,
                  const ThresholdOf& target, Climb* climb, Headroom* headroom) {
  const auto crossing = climb->Crossing(&Measured::value);
  const Level& level = climb->At(crossing.value_or(climb->Highest()));
  const Load& there = level.load;
  headroom->there = there;
  if (!crossing || *crossing <= kLowest) return;
  headroom->limit = LimitAt(level, target, fitted);
  const char* id = headroom->limit == "loop"       ? "headroom.loop"
                   : headroom->limit == "client"   ? "headroom.client"
                   : headroom->limit == "extender" ? "headroom.extender"
                                                   : "headroom.none";
  headroom->moves.push_back(Message(id, {{"loop", arg::Share(there.loop)},
                                         {"client", arg::Share(there.client)},
                                         {"qps", arg::Number(fitted.scenario.qps)},
                                         {"stage", std::string(ToString(LongestOnLoop(fitted)))}}));
  const auto move = MoveOf(headroom->limit, fitted);
  if (!move) return;
  const Changed changed = ApplyAll({*move}, investigation, fitted);
  Climb moved{investigation, changed.likely, what, target, End::kLikely, 1};
  const auto then = moved.Crossing(&Measured::value);
  const double factor = FactorOf(then.value_or(moved.Highest()));
  headroom->moves.push_back(Message(then ? "headroom.moved" : "headroom.moved.away",
                                    {{"change", WordsOf(*move)}, {"factor", arg::Number(factor)}}));
}

Headroom HeadroomFor(const Investigation& investigation, const std::vector<Change>& changes,
                     const std::string& what, const ThresholdOf& target, std::size_t seeds) {
  if (target.population == ReplayedSeconds::kOther) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--headroom: {} is not predicted; give a --target", target.metric));
  }
  Readings readings = ReadInvestigation(investigation, target, seeds);
  Headroom headroom;
  headroom.what = what;
  headroom.metric = target.metric;
  headroom.q = target.q;
  headroom.target = target.seconds;
  headroom.refused = RefusalsOf(readings, target.population);
  headroom.assumptions = {Message("whatif.arrivals"), Message("whatif.costs")};
  if (readings.groups_differ) headroom.assumptions.emplace_back("whatif.groups");
  headroom.before = readings.kept.front().before.MeanLoad();
  headroom.now = NowOf(what, investigation, readings.kept.front().fitted);
  headroom.qps = readings.kept.front().fitted.scenario.qps;
  if (!headroom.refused.empty()) return headroom;
  if (readings.kept.size() > kReadings) readings.kept.resize(kReadings);
  std::vector<Climb> climbs;
  const auto follow = [&](const Fitted& fitted, End end) {
    climbs.push_back({investigation, fitted, what, target, end});
  };
  for (Reading& reading : readings.kept) {
    const Changed changed = ApplyAll(changes, investigation, reading.fitted);
    const auto least = CheapestOf(changes, investigation, reading.fitted, changed);
    reading.fitted = changed.likely;
    follow(changed.likely, End::kLikely);
    if (least) follow(*least, End::kLikely);
    if (what != "rate" || changed.differ) follow(changed.extreme, End::kDearest);
  }
  const Fitted& likely = readings.kept.front().fitted;
  if (what != "rate") follow(likely, End::kCheapest);
  for (const double sign : {-1.0, 1.0}) {
    follow(ByChance(*investigation.evidence, likely, sign), End::kLikely);
  }
  headroom.qps = likely.scenario.qps;
  headroom.most = FactorOf(climbs.front().Highest());
  Combine(&climbs, what == "rate" ? ChanceOfRate(likely) : 0, &headroom);
  ExplainLimit(investigation, likely, what, target, &climbs.front(), &headroom);
  return headroom;
}

}  // namespace

Headroom PredictHeadroom(const Investigation& investigation, const std::vector<Change>& changes,
                         const std::string& what, const ThresholdOf& target, std::size_t seeds) {
  const auto part = WithoutAftermath(investigation);
  if (!part) return HeadroomFor(investigation, changes, what, target, seeds);
  Headroom headroom = HeadroomFor(CutTo(*part, investigation), changes, what, target, seeds);
  headroom.assumptions.push_back(CutNote(*part, investigation));
  return headroom;
}

ThresholdOf ParseTarget(const std::string& text) {
  const auto fail = [&] {
    return Error(ErrorKind::kUsage,
                 fmt::format("--target {}: expected a quantile and a time, like p99=1s", text));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !text.starts_with('p')) throw fail();
  const auto percent = ParseNumber(text.substr(1, equals - 1));
  std::string_view value = std::string_view(text).substr(equals + 1);
  double unit = 1;
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}};
  for (const auto& [name, in_seconds] : kUnits) {
    if (!value.ends_with(name)) continue;
    unit = in_seconds;
    value.remove_suffix(name.size());
    break;
  }
  const auto seconds = ParseNumber(value);
  if (!percent || !(*percent > 0 && *percent < 100)) throw fail();
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) throw fail();
  return {ReplayedSeconds::kPod, "", *percent / 100, *seconds * unit};
}

}  // namespace schedlens
