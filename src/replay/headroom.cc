#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
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
class Climb {
 public:
  Climb(const Investigation& investigation, Fitted fitted, std::string what, ThresholdOf target,
        End end, std::size_t replays)
      : investigation_(investigation),
        fitted_(std::move(fitted)),
        what_(std::move(what)),
        target_(std::move(target)),
        end_(end),
        replays_(replays) {}

  const Level& At(int step) {
    const auto [it, fresh] = levels_.try_emplace(step);
    if (!fresh) return it->second;
    Changed changed{fitted_, fitted_, false, {}};
    changed.cheapest = end_ == End::kCheapest;
    Change change{what_, ChangeKind::kMultiply, FactorOf(step), "", ""};
    if (step != 0) Apply(change, investigation_, &changed);
    const Runs runs =
        PlayRuns(end_ == End::kDearest ? changed.extreme : changed.likely, 1, replays_);
    it->second = {PredictedInterval(Of(runs, target_.population), target_.q),
                  PredictedInterval(runs.e2e, target_.q).value.value_or(0), runs.MeanLoad()};
    return it->second;
  }

  /// The first step at which `end` of the interval is over the target, from the one before it;
  /// nothing where it is not reached.
  std::optional<int> Crossing(std::optional<double> Measured::*end) {
    const auto over = [&](int step) {
      const Level& level = At(step);
      return level.shown.value && *(level.shown.*end) > target_.seconds;
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
    if (what_ != "rate") return kHighest;
    const double most = std::max(1.0, kMostTries / (1 + fitted_.Pods()));
    return std::min(kHighest, static_cast<int>(std::floor(kSteps * std::log2(most))));
  }

 private:
  const Investigation& investigation_;
  Fitted fitted_;
  std::string what_;
  ThresholdOf target_;
  End end_;
  std::size_t replays_;
  std::map<int, Level> levels_;
};

/// The stage of the loop that takes longest.
struct LongStage {
  kube::Stage stage = kube::Stage::kAlgorithm;
  double mean = 0;
};
LongStage LongestOnLoop(const Fitted& fitted) {
  constexpr std::pair<Cost, kube::Stage> kStages[] = {
      {Cost::kPreFilter, kube::Stage::kPreFilter},
      {Cost::kFilter, kube::Stage::kFilter},
      {Cost::kPreScore, kube::Stage::kPreScore},
      {Cost::kScore, kube::Stage::kScore},
      {Cost::kSnapshot, kube::Stage::kAlgorithmUnmeasured},
      {Cost::kReserveWait, kube::Stage::kReserve}};
  LongStage longest;
  for (const auto& [cost, stage] : kStages) {
    const double mean = fitted.now().costs[cost].wall.Mean();
    if (mean > longest.mean) longest = {stage, mean};
  }
  return longest;
}

/// Which limit binds where the quantile crosses the target.
std::string LimitAt(const Level& level, const ThresholdOf& target, const Fitted& fitted) {
  const Load& load = level.load;
  const bool waits =
      target.population == ReplayedSeconds::kPod && level.e2e < kMostly * target.seconds;
  if (waits || (load.loop >= kBusyLoop && load.loop > load.client)) {
    return LongestOnLoop(fitted).stage == kube::Stage::kAlgorithmUnmeasured ? "extender" : "loop";
  }
  if (load.client >= kBusyClient || load.throttled > kMostly) return "client";
  return load.extender > kMostly ? "extender" : "none";
}

/// The change that would move the limit; nothing where none does.
std::optional<Change> MoveOf(const std::string& limit, const Fitted& fitted) {
  if (limit == "client") return ParseChange("client.qps*=2");
  if (limit == "extender") return ParseChange("extender=removed");
  const std::string stage(ToString(LongestOnLoop(fitted).stage));
  if (limit == "loop") return ParseChange(stage + "*=0.5");
  return std::nullopt;
}

std::string WordsOf(const Change& change) {
  if (change.kind == ChangeKind::kRemoved) return change.key + "=removed";
  return fmt::format("{}*={}", change.key, FormatNumber(change.value));
}

std::optional<double> NowOf(const std::string& what, const Investigation& investigation,
                            const Fitted& fitted) {
  if (what == "rate") return fitted.rates.back();
  if (what != "nodes") return std::nullopt;
  const auto nodes = NodesOf(investigation);
  return nodes ? std::optional<double>(*nodes) : std::nullopt;
}

/// Of another window like it as many pods more or less may come by chance.
double ChanceOfRate(const Fitted& fitted) {
  return std::min(0.5, kRateDeviations * std::sqrt(fitted.group / (1 + fitted.WindowPods())));
}

/// The interval of all climbs: the earliest that some may cross it, the latest that all have.
void Combine(std::vector<Climb>* climbs, double chance, Headroom* headroom) {
  int low = kHighest;
  bool any = false, all = true;
  int high = kLowest;
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
  headroom->moves.push_back(
      Message(id, {{"loop", arg::Share(there.loop)},
                   {"client", arg::Share(there.client)},
                   {"qps", arg::Number(fitted.scenario.qps)},
                   {"stage", std::string(ToString(LongestOnLoop(fitted).stage))}}));
  const auto move = MoveOf(headroom->limit, fitted);
  if (!move) return;
  Changed changed{fitted, fitted, false, {}};
  Apply(*move, investigation, &changed);
  Climb moved(investigation, changed.likely, what, target, End::kLikely, 1);
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
  for (Reading& reading : readings.kept) {
    const Changed changed = ApplyAll(changes, investigation, reading.fitted);
    const auto least = CheapestOf(changes, investigation, reading.fitted, changed);
    reading.fitted = changed.likely;
    climbs.emplace_back(investigation, changed.likely, what, target, End::kLikely, kReplays);
    if (least) climbs.emplace_back(investigation, *least, what, target, End::kLikely, kReplays);
    if (what == "rate" && !changed.differ) continue;
    climbs.emplace_back(investigation, changed.extreme, what, target, End::kDearest, kReplays);
  }
  const Fitted& likely = readings.kept.front().fitted;
  if (what != "rate")
    climbs.emplace_back(investigation, likely, what, target, End::kCheapest, kReplays);
  for (const double sign : {-1.0, 1.0}) {
    climbs.emplace_back(investigation, ByChance(*investigation.evidence, likely, sign), what,
                        target, End::kLikely, kReplays);
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
  std::string value = text.substr(equals + 1);
  double unit = 1;
  if (value.ends_with("ms")) {
    unit = 1e-3;
    value.resize(value.size() - 2);
  } else if (value.ends_with('s')) {
    value.pop_back();
  } else if (value.ends_with('m')) {
    unit = 60;
    value.pop_back();
  }
  const auto seconds = ParseNumber(value);
  if (!percent || !(*percent > 0 && *percent < 100)) throw fail();
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) throw fail();
  return {ReplayedSeconds::kPod, "", *percent / 100, *seconds * unit};
}

}  // namespace schedlens
