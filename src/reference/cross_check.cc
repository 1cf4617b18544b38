#include "reference/cross_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/fit.h"
#include "reference/replay.h"
#include "stats/pooled_buckets.h"

namespace schedlens {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};
/// Fewer attempts make no distribution to compare.
constexpr double kLeastAttempts = 30;
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

}  // namespace

CrossCheck CrossCheckByReplay(const Investigation& investigation, const QuerySet& queries) {
  CrossCheck check;
  if (!investigation.evidence ||
      investigation.evidence->now.breakdown.scheduled() < kLeastAttempts) {
    check.note = Message("replay.few");
    return check;
  }
  const std::string cause = FirstCause(investigation);
  if (IsAboutFailures(cause)) {
    check.note = Message("replay.failures");
    return check;
  }
  const auto& dispersion = investigation.evidence->dispersion;
  if (dispersion && investigation.evidence->throttling == Throttling::kYes &&
      dispersion->backlog_start > kLeastBacklog) {
    check.note = Message("replay.backlog", {{"binds", arg::Count(dispersion->backlog_start)}});
    return check;
  }
  const Fitted fitted = FitScenario(investigation);
  const auto source = ReplayAsSource(fitted.Played(kSeed), kSeed, nullptr);
  const Investigation replay = GatherReplay(*source, queries, fitted);
  const std::string again = FirstCause(replay);
  if (!replay.evidence || replay.evidence->now.breakdown.scheduled() < kLeastAttempts) {
    check.note = Message("replay.quiet");
    return check;
  }
  const auto measured = Scheduled(investigation.evidence->now.cells);
  const auto predicted = Scheduled(replay.evidence->now.cells);
  const double n = measured.count(), m = predicted.count();
  double distance = 0;
  for (std::size_t b = 0; b < measured.bounds.size(); ++b) {
    const double bound = measured.bounds[b];
    const auto it = std::lower_bound(predicted.bounds.begin(), predicted.bounds.end(), bound);
    if (it == predicted.bounds.end() || *it != bound) continue;
    const double was = measured.cumulative[b] / n;
    const double replayed =
        predicted.cumulative[static_cast<std::size_t>(it - predicted.bounds.begin())] / m;
    check.cdf.push_back({bound, was, replayed});
    distance = std::max(distance, std::abs(was - replayed));
  }
  check.distance = distance;
  for (const double q : kQuantiles) {
    check.predicted.push_back({q, measured.Interpolate(q), predicted.Interpolate(q)});
  }
  // Two-sample Smirnov at 5 %, and what buckets hide.
  const double allowed = kBucketAllowance + 1.36 * std::sqrt(1 / n + 1 / m);
  const bool same_cause = again == cause;
  const bool same_dispersion =
      SameDispersion(investigation.evidence->dispersion, replay.evidence->dispersion);
  const bool near = distance <= allowed;
  bool quiet_is_quiet = true;
  if (investigation.evidence->baseline && replay.evidence->baseline) {
    const double now = measured.Interpolate(0.99);
    const double before = Scheduled(investigation.evidence->baseline->cells).Interpolate(0.99);
    const double threshold =
        investigation.evidence->threshold.value_or(std::sqrt(now * std::max(before, 1e-4)));
    const double replayed = predicted.Interpolate(0.99);
    const double quiet = Scheduled(replay.evidence->baseline->cells).Interpolate(0.99);
    quiet_is_quiet = cause.empty() || (replayed > threshold && quiet <= threshold);
  }
  check.verdict = near && same_cause && same_dispersion && quiet_is_quiet
                      ? ReplayVerdict::kExplained
                  : near || (same_cause && distance < 0.25) ? ReplayVerdict::kPartly
                                                            : ReplayVerdict::kNot;
  check.note =
      Message(same_dispersion ? "replay.result" : "replay.result.dispersion",
              {{"gap", arg::Share(distance)},
               {"allowed", arg::Share(allowed)},
               {"cause", again.empty() ? Value(Message("replay.no_cause")) : Value(again)}});
  return check;
}

}  // namespace schedlens
