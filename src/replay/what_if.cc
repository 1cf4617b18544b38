#include "replay/what_if.h"

namespace schedlens {
namespace {

using sim::Cost;

ReplayedSeconds ReplayedSecondsOf(const AlertVerdict& alert) {
  const std::string& metric = alert.metric;
  const auto has = [&](const char* part) { return metric.find(part) != std::string::npos; };
  if (has("pod_scheduling_duration") || has("pod_scheduling_sli_duration"))
    return ReplayedSeconds::kPod;
  // The older one is of scheduled attempts alone.
  if (has("e2e_scheduling")) return ReplayedSeconds::kE2e;
  if (!has("scheduling_attempt_duration")) return ReplayedSeconds::kOther;
  const auto scheduled = [](const auto& label) {
    return label.first == "result" && label.second == ToString(kube::AttemptResult::kScheduled);
  };
  const bool asks = std::ranges::any_of(alert.population, scheduled) ||
                    std::ranges::any_of(alert.labels, scheduled);
  return asks ? ReplayedSeconds::kE2e : ReplayedSeconds::kAll;
}

/// So many times the usual number of attempts a second is a backlog that drains.
constexpr double kDrains = 3;
/// Pods that wait, at least, where it begins.
constexpr double kBacklog = 20;
/// Scrape intervals that tell what is usual.
constexpr std::size_t kLeastIntervals = 8;

struct Rate {
  TimeMs start = 0;
  double attempts = 0;  ///< scheduled, a second
};

/// Of the window's scrape intervals, all targets' together, by their end.
std::vector<Rate> Rates(const WindowIncreases& cells) {
  std::map<TimeMs, Rate> by_end;
  for (const ScrapeIncreases& child : cells.attempt) {
    if (!kube::IsScheduled(child.labels)) continue;
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const double seconds = MsToSeconds(child.edges[i + 1] - child.edges[i]);
      Rate& rate = by_end[child.edges[i + 1]];
      rate.start = child.edges[i];
      if (seconds > 0) rate.attempts += child.Count(i) / seconds;
    }
  }
  std::vector<Rate> rates;
  for (const auto& [end, rate] : by_end) rates.push_back(rate);
  return rates;
}

/// Pods in the active queue, all targets' together, at the last scrapes up to `t`; 0 without any.
double WaitingAt(const Facts& facts, TimeMs t) {
  double waiting = 0;
  for (const Series& series : facts.Of("pending_pods")) {
    if (series.labels.Get("queue") != ToString(kube::QueueName::kActive)) continue;
    double last = 0;
    for (const Sample& sample : series.samples) {
      if (sample.t <= t) last = sample.v;
    }
    waiting += last;
  }
  return waiting;
}

/// Standard deviations of the arrivals' number and of the loop's mean cost.
constexpr double kChanceDeviations = 2;

/// The mean of the squares, as its buckets have it; above the top bound, as the sum leaves it.
double MeanSquare(const LatencyShape& shape) {
  double squares = 0, closed = 0, lower = 0;
  for (const auto& [bound, n] : shape.buckets) {
    squares += n * bound * std::max(lower, bound / 2);
    closed += n * (lower + bound) / 2;
    lower = bound;
  }
  if (shape.open > 0) {
    const double mean = std::max(lower, (shape.seconds - closed) / shape.open);
    squares += shape.open * mean * mean;
  }
  return shape.count > 0 ? squares / shape.count : 0;
}

/// Pods that fail are few and dear: so many of them more or fewer.
void MoreFailures(double deviations, Fitted* fitted) {
  double failed = 0;
  const double factor = fitted->now().rate / std::max(1e-9, fitted->rates.back());
  for (const CountedArrivals& some : fitted->arrivals) {
    if (some.failing) failed += some.count * factor * fitted->failures.merged;
  }
  if (failed < 1) return;
  for (CountedArrivals& some : fitted->arrivals) {
    if (some.failing) some.count *= std::max(0.1, 1 + deviations / std::sqrt(failed));
  }
}

constexpr double kPredicted[] = {0.5, 0.9, 0.99, 0.999};
/// More attempts than this are refused: a typing error, not a question.
constexpr double kMostPlayed = 400'000;
/// Replays of each reading on each side, at least; the second with up to so many pods.
constexpr std::size_t kLeastSeeds = 3, kMoreSeeds = 10;
constexpr double kFewPods = 5000;

/// The readings that the data allow. Throws Error(kInsufficientData) for nothing to fit.
Readings ReadInvestigation(const Investigation& investigation,
                           const std::optional<ThresholdOf>& threshold, std::size_t seeds) {
  const auto fail = [](const std::string& why) {
    return Error(ErrorKind::kInsufficientData, "cannot fit a replay: " + why);
  };
  if (!investigation.evidence) throw fail("no scheduler was found in the window");
  const TimeBreakdown& now = investigation.evidence->now.breakdown;
  if (now.scheduled() < 1) {
    throw fail(now.failed() >= 1
                   ? fmt::format("all {:.0f} attempts of the window failed; choose another window",
                                 now.failed())
                   : "no attempt ended in the window; choose another window");
  }
  const Fitted fitted = FitScenario(investigation);
  std::vector<double> quantiles = {0.5, 0.9, 0.99};
  if (threshold) quantiles.push_back(threshold->q);
  return ReadWindow(investigation, fitted, ProveWindow(investigation, fitted, quantiles), seeds);
}

/// Throws Error(kUsage) when a replay would take too many attempts.
void CheckCanBePlayed(const Fitted& fitted) {
  const double attempts = fitted.Pods() * fitted.now().rate / fitted.rates.back();
  if (attempts <= kMostPlayed) return;
  Raise(ErrorKind::kUsage,
        "--set rate: {:.3g} attempts would be replayed, {:.0f} at most; choose a "
        "lower rate or a shorter window",
        attempts, kMostPlayed);
}

/// The readings of one side, replayed: the likeliest first.
using Side = std::vector<Runs>;

/// A quantile of the runs of each reading: all ends, the middle of the first one.
Measured Across(const Side& readings, ReplayedSeconds population, double q) {
  Measured all;
  for (const Runs& runs : readings)
    Widen(PredictedInterval(Of(runs, population), q, 0, true), &all);
  return all;
}

std::vector<PredictedChange> Rows(const Side& before, const Side& after, ReplayedSeconds population,
                                  bool refused) {
  std::vector<PredictedChange> rows;
  for (const double q : kPredicted) {
    rows.push_back(
        {q, Across(before, population, q), refused ? Measured() : Across(after, population, q)});
    rows.back().after.unit = "s";
  }
  return rows;
}

Message Refusal(const char* id, const Miss& miss) {
  Message why = miss.Tell(id);
  if (miss.proven.high) {
    why.args.push_back({"high", arg::Duration(*miss.proven.high)});
  } else {
    why.id += ".open";
  }
  return why;
}

/// Why nothing can be said about a population; empty where something can.
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
  prediction->fires_before = Fires(*threshold, before);
  prediction->fires_after = Fires(*threshold, after);
  prediction->assumptions.emplace_back("whatif.alert");
}

Prediction PredictFor(const Investigation& investigation, const std::vector<Change>& changes,
                      std::size_t seeds) {
  const auto threshold = ThresholdOfAlert(investigation.diagnosis);
  const Readings readings = ReadInvestigation(investigation, threshold, seeds);
  Prediction prediction;
  const bool few = readings.kept.front().fitted.Pods() <= kFewPods;
  const std::size_t least = few ? kMoreSeeds : kLeastSeeds;
  prediction.seeds = std::max(least, seeds);
  prediction.assumptions = {Message("whatif.arrivals"), Message("whatif.costs"),
                            Message("whatif.unchanged")};
  if (readings.groups_differ) prediction.assumptions.emplace_back("whatif.groups");
  Side before, after;
  const std::size_t each = std::max(least, seeds / readings.kept.size());
  for (const Reading& reading : readings.kept) {
    const bool first = before.empty();
    const Changed changed = ApplyAll(changes, investigation, reading.fitted);
    CheckCanBePlayed(changed.likely);
    const std::size_t played = first ? prediction.seeds : each;
    const bool enough = reading.before.loads.size() == played;
    before.push_back(enough ? reading.before : PlayRuns(reading.fitted, 1, played));
    after.push_back(PlayRuns(changed.likely, 1, played));
    if (changed.differ) after.push_back(PlayRuns(changed.extreme, 1, each));
    if (const auto cheapest = CheapestOf(changes, investigation, reading.fitted, changed)) {
      after.push_back(PlayRuns(*cheapest, 1, each));
    }
    if (!first) continue;
    for (const double sign : {-1.0, 1.0}) {
      after.push_back(PlayRuns(ByChance(*investigation.evidence, changed.likely, sign), 1, least));
    }
    prediction.qps = reading.fitted.scenario.qps;
    prediction.qps_after = changed.likely.scenario.qps;
    prediction.assumptions.insert(prediction.assumptions.end(), changed.assumptions.begin(),
                                  changed.assumptions.end());
  }
  const ReplayedSeconds asked = threshold ? threshold->population : ReplayedSeconds::kE2e;
  prediction.refused = RefusalsOf(readings, asked);
  prediction.undecidable = !prediction.refused.empty();
  // The pods' rows are shown in any case.
  if (readings.pod && asked != ReplayedSeconds::kPod) {
    prediction.refused.push_back(Refusal("whatif.refused.pod", *readings.pod));
  }
  prediction.before = before.front().MeanLoad();
  prediction.after = after.front().MeanLoad();
  prediction.e2e = Rows(before, after, ReplayedSeconds::kE2e, readings.e2e.has_value());
  prediction.pod = Rows(before, after, ReplayedSeconds::kPod,
                        readings.e2e.has_value() || readings.pod.has_value());
  JudgeAlert(threshold, before, after, &prediction);
  return prediction;
}

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

  /// The first step at which that end of the interval is over the target; nothing if none is.
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
  if (headroom->limit == "none") return;
  const std::string move = headroom->limit == "client" ? "client.qps*=2"
                           : headroom->limit == "extender"
                               ? "extender=removed"
                               : std::string(ToString(LongestOnLoop(fitted))) + "*=0.5";
  const Changed changed = ApplyAll({ParseChange(move)}, investigation, fitted);
  Climb moved{investigation, changed.likely, what, target, End::kLikely, 1};
  const auto then = moved.Crossing(&Measured::value);
  const double factor = FactorOf(then.value_or(moved.Highest()));
  headroom->moves.push_back(Message(then ? "headroom.moved" : "headroom.moved.away",
                                    {{"change", move}, {"factor", arg::Number(factor)}}));
}

Headroom HeadroomFor(const Investigation& investigation, const std::vector<Change>& changes,
                     const std::string& what, const ThresholdOf& target, std::size_t seeds) {
  if (target.population == ReplayedSeconds::kOther) {
    Raise(ErrorKind::kUsage, "--headroom: {} is not predicted; give a --target", target.metric);
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
  if (what == "rate") headroom.now = readings.kept.front().fitted.rates.back();
  if (what == "nodes") headroom.now = NodesOf(investigation);
  headroom.qps = readings.kept.front().fitted.scenario.qps;
  if (!headroom.refused.empty()) return headroom;
  if (readings.kept.size() > kReadings) readings.kept.resize(kReadings);
  std::vector<Climb> climbs;
  const auto follow = [&](const Fitted& fitted, End end) {
    climbs.push_back({investigation, fitted, what, target, end});
  };
  for (Reading& reading : readings.kept) {
    const Changed changed = ApplyAll(changes, investigation, reading.fitted);
    if (what == "rate" && climbs.empty()) headroom.now = changed.likely.rates.back();
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
  // Of another window like it as many pods more or less may come by chance.
  const double chance =
      std::min(0.5, kRateDeviations * std::sqrt(likely.group / (1 + likely.WindowPods())));
  Combine(&climbs, what == "rate" ? chance : 0, &headroom);
  ExplainLimit(investigation, likely, what, target, &climbs.front(), &headroom);
  return headroom;
}

}  // namespace

std::optional<ThresholdOf> ThresholdOfAlert(const Diagnosis& diagnosis) {
  const auto& alert = diagnosis.alert;
  if (!alert || !alert->threshold || std::isnan(alert->quantile)) return std::nullopt;
  return ThresholdOf{ReplayedSecondsOf(*alert), alert->metric, alert->quantile, *alert->threshold};
}

std::optional<TimeRange> WithoutAftermath(const Investigation& investigation) {
  if (!investigation.evidence) return std::nullopt;
  const Measurement& now = investigation.evidence->now;
  const std::vector<Rate> rates = Rates(now.cells);
  if (rates.size() < kLeastIntervals) return std::nullopt;
  std::vector<double> usual;
  for (const Rate& rate : rates) usual.push_back(rate.attempts);
  const double least = kDrains * UpperMedian(std::move(usual));
  std::size_t first = rates.size();
  while (first > 0 && rates[first - 1].attempts > least) --first;
  if (first == rates.size() || first < rates.size() / 2) return std::nullopt;
  TimeRange window = now.breakdown.window;
  const double waiting = WaitingAt(investigation.facts, rates[first].start);
  const bool drains = WaitingAt(investigation.facts, window.end) < waiting;
  if (waiting < kBacklog || !drains) return std::nullopt;
  window.end = rates[first].start;
  return window;
}

Investigation CutTo(const TimeRange& window, const Investigation& investigation) {
  Investigation cut = investigation;
  const WindowEvidence& all = *investigation.evidence;
  cut.evidence =
      MakeWindowEvidence(cut.facts, cut.histograms, Measure(cut.facts, cut.histograms, window),
                         all.baseline, all.threshold);
  cut.evidence->selector = all.selector;
  // What the diagnosis proves is of its whole window.
  cut.diagnosis.quantiles.clear();
  return cut;
}

Message CutNote(const TimeRange& window, const Investigation& investigation) {
  const TimeMs end = investigation.evidence->now.breakdown.window.end;
  return Message("whatif.drained", {{"seconds", arg::Number(MsToSeconds(end - window.end))}});
}

Fitted ByChance(const WindowEvidence& c, const Fitted& fitted, double sign) {
  // What an attempt takes from the loop, and its standard deviation, relative to its mean.
  const LatencyShape algorithm = ShapeOf(c.now.cells.algorithm);
  const LatencyShape reserve = ShapeAt(c.now, kube::ExtensionPoint::kReserve);
  const double mean = algorithm.mean() + reserve.mean();
  const double spread =
      mean > 0 ? std::sqrt(MeanSquare(algorithm) + MeanSquare(reserve)) / mean : 0;
  Changed changed{fitted, fitted};
  MoreFailures(sign * kChanceDeviations, &changed.likely);
  const double deviations = sign * kChanceDeviations / std::sqrt(1 + fitted.WindowPods());
  const double cost = std::max(0.1, 1 + deviations * spread);
  changed.Scale({sim::Cost::kPreFilter, sim::Cost::kFilter, sim::Cost::kPreScore, sim::Cost::kScore,
                 sim::Cost::kSnapshot, sim::Cost::kReserveWait},
                cost, 1);
  changed.likely.now().rate *= std::max(0.1, 1 + deviations * std::sqrt(fitted.group));
  return changed.likely;
}

Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds) {
  const auto part = WithoutAftermath(investigation);
  if (!part) return PredictFor(investigation, changes, seeds);
  Prediction prediction = PredictFor(CutTo(*part, investigation), changes, seeds);
  prediction.assumptions.push_back(CutNote(*part, investigation));
  return prediction;
}

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
  const auto seconds = sim::ParseSeconds(std::string_view(text).substr(equals + 1));
  if (!percent || !(*percent > 0 && *percent < 100)) throw fail();
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) throw fail();
  return {ReplayedSeconds::kPod, "", *percent / 100, *seconds};
}

}  // namespace schedlens
