#include "replay/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "kube/words.h"
#include "replay/fit.h"
#include "replay/latency_shape.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

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

/// Standard deviation of what an attempt takes from the loop, relative to its mean.
double SpreadOnLoop(const Measurement& now) {
  const LatencyShape algorithm = ShapeOf(now.cells.algorithm);
  const LatencyShape reserve = ShapeAt(now, kube::ExtensionPoint::kReserve);
  const double mean = algorithm.mean() + reserve.mean();
  return mean > 0 ? std::sqrt(MeanSquare(algorithm) + MeanSquare(reserve)) / mean : 0;
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

/// Throws Error(kUsage) when a replay would take too many attempts.
void CheckCanBePlayed(const Fitted& fitted) {
  const double attempts = fitted.Pods() * fitted.now().rate / fitted.rates.back();
  if (attempts <= kMostPlayed) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--set rate: {:.3g} attempts would be replayed, {:.0f} at most; choose a "
                          "lower rate or a shorter window",
                          attempts, kMostPlayed));
}

/// The readings of one side, replayed: the likeliest first.
using Side = std::vector<Runs>;

/// A quantile of the runs of each reading: from the lowest to the highest end, the middle of the
/// first one.
Measured Across(const Side& readings, ReplayedSeconds population, double q) {
  Measured all;
  for (const Runs& runs : readings) Widen(PredictedInterval(Of(runs, population), q), &all);
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

/// What is refused, and whether that is what was asked for.
void Refuse(const Readings& readings, const std::optional<ThresholdOf>& threshold,
            Prediction* prediction) {
  const ReplayedSeconds asked = threshold ? threshold->population : ReplayedSeconds::kE2e;
  prediction->refused = RefusalsOf(readings, asked);
  prediction->undecidable = !prediction->refused.empty();
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
  prediction->fires_before = Fires(*threshold, before);
  prediction->fires_after = Fires(*threshold, after);
  prediction->assumptions.emplace_back("whatif.alert");
}

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
    const bool first = before.empty();
    const Changed changed = ApplyAll(changes, investigation, reading.fitted);
    CheckCanBePlayed(changed.likely);
    before.push_back(reading.before);
    after.push_back(PlayRuns(changed.likely, 1, first ? std::max(each, seeds) : each));
    if (changed.differ) after.push_back(PlayRuns(changed.extreme, 1, each));
    if (const auto least = CheapestOf(changes, investigation, reading.fitted, changed)) {
      after.push_back(PlayRuns(*least, 1, each));
    }
    if (first) {
      for (const double sign : {-1.0, 1.0}) {
        after.push_back(
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
  prediction.before = before.front().MeanLoad();
  prediction.after = after.front().MeanLoad();
  prediction.e2e = Rows(before, after, ReplayedSeconds::kE2e, readings.e2e.has_value());
  prediction.pod = Rows(before, after, ReplayedSeconds::kPod,
                        readings.e2e.has_value() || readings.pod.has_value());
  JudgeAlert(threshold, before, after, &prediction);
  return prediction;
}

}  // namespace

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
  const double spread = SpreadOnLoop(c.now);
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

Readings ReadInvestigation(const Investigation& investigation,
                           const std::optional<ThresholdOf>& threshold, std::size_t seeds) {
  CheckCanBeFitted(investigation);
  const Fitted fitted = FitScenario(investigation);
  std::vector<double> quantiles = {0.5, 0.9, 0.99};
  if (threshold) quantiles.push_back(threshold->q);
  return ReadWindow(investigation, fitted, ProveWindow(investigation, fitted, quantiles), seeds);
}

Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds) {
  const auto part = WithoutAftermath(investigation);
  if (!part) return PredictFor(investigation, changes, seeds);
  Prediction prediction = PredictFor(CutTo(*part, investigation), changes, seeds);
  prediction.assumptions.push_back(CutNote(*part, investigation));
  return prediction;
}

}  // namespace schedlens
