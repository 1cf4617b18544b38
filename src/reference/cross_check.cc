#include "reference/cross_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/stage.h"
#include "reference/fit.h"
#include "reference/readings.h"
#include "reference/replay.h"
#include "stats/pooled_buckets.h"

namespace schedlens {
namespace {

constexpr std::uint64_t kReplaySeed = 1;
constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};
/// Fewer attempts make no distribution to compare.
constexpr double kLeastReplayed = 30;
/// Enough to tell apart what buckets let differ; more cost time and tell little more. The gap that
/// is allowed says what they leave open.
constexpr PlayedAttempts kPlayed{.window = 2500, .baseline = 1000};
/// Of the baseline, where only the window's attempts count: it begins with some on their way.
constexpr double kWarmUp = 300;
/// In search of a limit that agrees with what is proven.
constexpr double kSearched = 50'000;
/// A smaller share of the attempts is said.
constexpr double kNearlyEvery = 0.9;
/// A replay starts empty: a larger backlog at the window's start makes it another story.
constexpr double kLeastBacklog = 50;
/// What linear interpolation and a fit from buckets may be off by, beyond sampling.
constexpr double kBucketAllowance = 0.05;
/// Pods inside a scrape interval are placed at random, which real arrivals need not be.
constexpr double kDispersionAllowance = 2;
/// Binds as even as a token bucket lets them go; below it no smaller value means anything.
constexpr double kEvenDispersion = 0.05;

/// The e2e distribution of scheduled attempts.
PooledBuckets Scheduled(const WindowIncreases& cells) {
  std::vector<const ScrapeIncreases*> children = Select(cells.attempt, "", "");
  std::erase_if(children,
                [](const ScrapeIncreases* child) { return !kube::IsScheduled(child->labels); });
  return PoolBuckets(children);
}

std::string FirstCause(const Investigation& investigation) {
  return investigation.causes.empty() ? "" : investigation.causes.front().id;
}

bool IsAboutFailures(const std::string& cause) {
  return cause == "preemption" || cause.starts_with("attempts.");
}

/// The cells and causes of a replay.
Investigation GatherReplay(Source& source, const QuerySet& queries, const Fitted& fitted) {
  const auto at = [&](sim::Nanos t) { return fitted.scenario.start_time + t / sim::kMillisecond; };
  DiagnoseRequest request;
  request.bound_tail = false;  // the first cause is wanted, not how certain it is
  request.window = TimeRange{at(fitted.scenario.incident_start), at(fitted.scenario.incident_end)};
  request.want_baseline = fitted.has_baseline;
  if (fitted.has_baseline) {
    request.baseline = TimeRange{at(0), at(fitted.scenario.incident_start)};
  }
  return Gather(source, queries, request);
}

/// Binds per scrape interval spread as measured, within what so few intervals allow: a limiter and
/// a slow server can leave the same e2e histogram, but not the same dispersion.
bool SameDispersion(const std::optional<BindDispersion>& measured,
                    const std::optional<BindDispersion>& again) {
  if (!measured || !again) return true;
  const double chance = 3 * std::sqrt(2.0 / static_cast<double>(measured->cells) +
                                      2.0 / static_cast<double>(again->cells));
  const auto spread = [](const BindDispersion& dispersion) {
    return std::log(std::max(dispersion.dispersion, kEvenDispersion));
  };
  return std::abs(spread(*measured) - spread(*again)) <= chance + std::log(kDispersionAllowance);
}

/// Why there is nothing to compare a replay with; empty where there is.
std::optional<Message> NotReplayed(const Investigation& investigation) {
  if (!investigation.evidence ||
      investigation.evidence->now.breakdown.scheduled() < kLeastReplayed) {
    return Message("replay.few");
  }
  if (IsAboutFailures(FirstCause(investigation))) return Message("replay.failures");
  const auto& dispersion = investigation.evidence->dispersion;
  if (dispersion && investigation.evidence->throttling == Throttling::kYes &&
      dispersion->backlog_start > kLeastBacklog) {
    return Message("replay.backlog", {{"binds", arg::Count(dispersion->backlog_start)}});
  }
  return std::nullopt;
}

/// Both distributions at the bounds that they have in common.
std::vector<CdfPoint> AtCommonBounds(const PooledBuckets& measured,
                                     const PooledBuckets& predicted) {
  std::vector<CdfPoint> points;
  for (std::size_t b = 0; b < measured.bounds.size(); ++b) {
    const double bound = measured.bounds[b];
    const auto it = std::lower_bound(predicted.bounds.begin(), predicted.bounds.end(), bound);
    if (it == predicted.bounds.end() || *it != bound) continue;
    const auto at = static_cast<std::size_t>(it - predicted.bounds.begin());
    points.push_back({bound, measured.cumulative[b] / measured.count(),
                      predicted.cumulative[at] / predicted.count()});
  }
  return points;
}

/// The incident's replay would fire where the quiet period's would not. Nothing is asked without
/// both periods, or without a cause.
bool FiresOnlyInTheIncident(const WindowEvidence& measured, const WindowEvidence& replay,
                            const std::string& cause) {
  if (cause.empty() || !measured.baseline || !replay.baseline) return true;
  const auto p99 = [](const Measurement& measurement) {
    return Scheduled(measurement.cells).Interpolate(0.99);
  };
  const double between = std::sqrt(p99(measured.now) * std::max(p99(*measured.baseline), 1e-4));
  const double threshold = measured.threshold.value_or(between);
  return p99(replay.now) > threshold && p99(*replay.baseline) <= threshold;
}

/// One replay, and what of it lies outside what is proven about the window.
struct Replayed {
  Fitted fitted;
  std::unique_ptr<Source> source;
  std::optional<Miss> miss;
  bool inside = true;   ///< every quantile, not only the interval that it may lie in
  bool by_all = false;  ///< `miss` is of a replay of all attempts
};

/// With `plugins`, their calls are measured too.
Replayed ReplayOnce(const ProvenWindow& proven, const Fitted& fitted, bool plugins) {
  Replayed out{fitted, nullptr, {}};
  sim::SimulationResult truth;
  out.source = ReplayAsSource(fitted.Played(kReplaySeed), kReplaySeed, &truth, plugins);
  const std::vector<double> seconds = ScheduledSeconds(fitted.scenario, truth);
  out.miss = WorstMiss(proven.e2e, {seconds});
  out.inside = LiesInside(proven.e2e, seconds);
  return out;
}

/// Quantiles of a part that lie outside what is proven, but may lie inside for all that a part can
/// tell: all attempts of the window decide.
void DecideByAll(const Investigation& investigation, const ProvenWindow& proven,
                 Replayed* replayed) {
  if (replayed->miss || replayed->inside) return;
  const Fitted all =
      FitScenario(investigation, {.window = PlayedAttempts().window, .baseline = kWarmUp});
  const auto length = [](const sim::Scenario& s) { return s.incident_end - s.incident_start; };
  if (length(all.scenario) <= length(replayed->fitted.scenario)) return;
  replayed->miss = WorstMiss(proven.e2e, PlayRuns(all, kReplaySeed, 1).e2e);
  replayed->by_all = true;
}

/// The replay of the likeliest reading: the plain one unless it misses and another does not.
Replayed ReplayLikeliest(const Investigation& investigation) {
  const Fitted fitted = FitScenario(investigation, kPlayed);
  const ProvenWindow proven = ProveWindow(investigation, fitted, {0.5, 0.9, 0.99});
  // Only between waits at PreBind do they tell: whether these are for volumes.
  const bool plugins = FirstCause(investigation).starts_with(ToString(kube::Stage::kPreBind));
  Replayed plain = ReplayOnce(proven, fitted, plugins);
  DecideByAll(investigation, proven, &plain);
  if (!plain.miss || !fitted.limited) return plain;
  const Readings readings = ReadWindow(investigation, fitted, proven, 1, kSearched);
  if (readings.e2e) return plain;
  return ReplayOnce(proven, readings.kept.front().fitted, plugins);
}

/// With how many of the attempts were played, where not all were.
Message OfPart(Message result, const PooledBuckets& measured, const PooledBuckets& predicted) {
  if (predicted.count() >= kNearlyEvery * measured.count()) return result;
  return Message("replay.part", {{"result", std::move(result)},
                                 {"played", arg::Count(predicted.count())},
                                 {"attempts", arg::Count(measured.count())}});
}

Message NoteOf(const Miss& miss) {
  return Message("replay.misses", {{"q", arg::Number(100 * miss.q)},
                                   {"replayed", arg::Duration(*miss.replayed.value)},
                                   {"least", arg::Duration(*miss.replayed.low)},
                                   {"most", arg::Duration(*miss.replayed.high)},
                                   {"low", arg::Duration(miss.proven.low.value_or(0))},
                                   {"high", arg::Duration(miss.proven.high.value_or(INFINITY))}});
}

}  // namespace

CrossCheck CrossCheckByReplay(const Investigation& investigation, const QuerySet& queries) {
  CrossCheck check;
  if (const auto why = NotReplayed(investigation)) {
    check.note = *why;
    return check;
  }
  const Replayed played = ReplayLikeliest(investigation);
  const Investigation replay = GatherReplay(*played.source, queries, played.fitted);
  if (!replay.evidence || replay.evidence->now.breakdown.scheduled() < kLeastReplayed) {
    check.note = Message("replay.quiet");
    return check;
  }
  const WindowEvidence& was = *investigation.evidence;
  const WindowEvidence& again = *replay.evidence;
  const PooledBuckets measured = Scheduled(was.now.cells);
  const PooledBuckets predicted = Scheduled(again.now.cells);
  check.cdf = AtCommonBounds(measured, predicted);
  double distance = 0;
  for (const CdfPoint& point : check.cdf) {
    distance = std::max(distance, std::abs(point.measured - point.predicted));
  }
  check.distance = distance;
  for (const double q : kQuantiles) {
    check.predicted.push_back({q, measured.Interpolate(q), predicted.Interpolate(q)});
  }
  // Two-sample Smirnov at 5 %, and what buckets hide.
  const double allowed =
      kBucketAllowance + 1.36 * std::sqrt(1 / measured.count() + 1 / predicted.count());
  const std::string cause = FirstCause(investigation);
  const std::string replayed = FirstCause(replay);
  const bool same_dispersion = SameDispersion(was.dispersion, again.dispersion);
  const bool near = distance <= allowed;
  const bool explained =
      near && replayed == cause && same_dispersion && FiresOnlyInTheIncident(was, again, cause);
  check.verdict = explained                                        ? ReplayVerdict::kExplained
                  : near || (replayed == cause && distance < 0.25) ? ReplayVerdict::kPartly
                                                                   : ReplayVerdict::kNot;
  // A replay that lies outside what is proven explains nothing, however near it is.
  if (explained && played.miss) {
    check.verdict = ReplayVerdict::kUndecidable;
    check.note = NoteOf(*played.miss);
    if (!played.by_all) check.note = OfPart(check.note, measured, predicted);
    return check;
  }
  Message result =
      Message(same_dispersion ? "replay.result" : "replay.result.dispersion",
              {{"gap", arg::Share(distance)},
               {"allowed", arg::Share(allowed)},
               {"cause", replayed.empty() ? Value(Message("replay.no_cause")) : Value(replayed)}});
  check.note = OfPart(std::move(result), measured, predicted);
  return check;
}

}  // namespace schedlens
