#include "analysis/neighbours/tail_link.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "kube/metrics.h"
#include "model/text.h"
#include "stats/scrape_increases.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Of all attempts, those that are slow where no threshold says which.
constexpr double kLeastSlow = 0.01;
constexpr double kMostSlow = 0.2;

double Over(const PooledBuckets& attempts, std::size_t bound) {
  return attempts.count() - attempts.cumulative[bound];
}

/// Bindings over each finite bound that all servers have.
std::map<double, Meter> BindingsOver(const NeighbourFacts& facts) {
  const Meter count = MeterOf(facts, "bindings", CountOf(Neighbour::kApiserverRequestDuration));
  std::map<double, Meter> below, over;
  for (const Series& series : facts.Of("bindings")) {
    if (series.labels.Get("__name__") != BucketOf(Neighbour::kApiserverRequestDuration)) continue;
    const auto bound = ParseNumber(series.labels.Get("le"));
    if (!bound || !std::isfinite(*bound)) continue;
    below.try_emplace(*bound, facts).first->second.Add(series);
  }
  for (const auto& [bound, meter] : below) {
    if (!meter.Covers(count)) continue;
    over.emplace(bound, count).first->second.Add(meter, -1);
  }
  return over;
}

/// The part of the window in which every process's attempts were counted. Nothing where some were
/// lost.
std::optional<TimeRange> Counted(const WindowIncreases& cells) {
  std::map<std::size_t, TimeRange> by_target;
  for (const ScrapeIncreases& child : cells.attempt) {
    if (child.torn || std::find(child.reset.begin(), child.reset.end(), true) != child.reset.end())
      return std::nullopt;
    if (child.edges.empty()) continue;
    const TimeRange own{child.edges.front(), child.edges.back()};
    TimeRange& range = by_target.try_emplace(child.target, own).first->second;
    range = {std::min(range.start, own.start), std::max(range.end, own.end)};
  }
  TimeRange counted = cells.window;
  for (const auto& [target, range] : by_target) {
    counted = {std::max(counted.start, range.start), std::min(counted.end, range.end)};
  }
  if (by_target.empty() || counted.start >= counted.end) return std::nullopt;
  return counted;
}

/// What is known of the servers' bindings in the window.
struct ServersTail {
  std::map<double, Between> over;  ///< by bound
  RunningAtEdges running;
  bool complete = true;  ///< no server is missing

  /// Bindings that were answered but whose attempts have not ended are not among the attempts.
  double Least(double bindings) const { return std::max(0.0, bindings - running.end); }
  /// Of the window's attempts those with at most so many bindings over x.
  double Most(double x, double all) const {
    const auto above = over.upper_bound(x);
    if (!complete || above == over.begin()) return all;
    return std::min(all, std::prev(above)->second.high + running.start);
  }
};

/// Attempts over the threshold that were over it in the servers alone: between the counts at the
/// bounds around it.
std::optional<Measured> SufficientOf(const PooledBuckets& attempts, const ServersTail& servers,
                                     double threshold) {
  const auto above = std::lower_bound(attempts.bounds.begin(), attempts.bounds.end(), threshold);
  const auto i = static_cast<std::size_t>(above - attempts.bounds.begin());
  if (i >= attempts.bounds.size()) return std::nullopt;
  const double least = Over(attempts, i);
  const bool exact = attempts.bounds[i] == threshold;
  const double most = exact ? least : i == 0 ? attempts.count() : Over(attempts, i - 1);
  if (!(least > 0)) return std::nullopt;
  const auto inside = servers.over.lower_bound(threshold);
  const double surely = inside == servers.over.end() ? 0 : servers.Least(inside->second.low);
  const double low = std::min(1.0, surely / most);
  const double high = std::max(low, std::min(1.0, servers.Most(threshold, most) / least));
  return Bounded(low, (low + high) / 2, high, "1", BasisKind::kCountsOverThreshold);
}

}  // namespace

Message TailLink::Sentence() const {
  return Message("evidence.tail.apiserver", {{"attempts", arg::Count(attempts)},
                                             {"over", arg::Duration(over)},
                                             {"least", arg::Count(least)},
                                             {"inside", arg::Duration(inside)}});
}

std::optional<TailLink> LinkTails(const NeighbourFacts& facts, const BindingPath& path,
                                  const WindowIncreases& cells, const RunningAtEdges& running,
                                  std::optional<double> threshold) {
  // Each binding of the servers must be an attempt's: no client but the scheduler, no retries.
  if (path.others_bind || path.bindings.low > path.calls + running.end) return std::nullopt;
  const std::optional<TimeRange> window = Counted(cells);
  const PooledBuckets attempts = PoolBuckets(cells.attempt);
  if (!window || attempts.bounds.size() < 2) return std::nullopt;
  ServersTail servers{{}, running, !path.some_missing};
  for (const auto& [bound, meter] : BindingsOver(facts)) {
    servers.over[bound] = meter.Increase(cells.window);
    servers.over[bound].low = meter.Increase(*window).low;
  }
  TailLink best;
  for (std::size_t i = 0; i + 1 < attempts.bounds.size(); ++i) {
    const double bound = attempts.bounds[i], slow = Over(attempts, i);
    const bool wanted = threshold ? attempts.bounds[i + 1] > *threshold && slow >= 1
                                  : slow >= std::max(1.0, kLeastSlow * attempts.count()) &&
                                        slow <= kMostSlow * attempts.count();
    const auto inside = servers.over.lower_bound(bound);
    if (!wanted || inside == servers.over.end()) continue;
    const double least = servers.Least(inside->second.low);
    if (least > slow) return std::nullopt;  // the two are not of the same bindings
    if (best.attempts == 0 || least * best.attempts > best.least * slow) {
      best = {bound, inside->first, slow, least, {}};
    }
  }
  if (best.attempts == 0) return std::nullopt;
  if (threshold) best.sufficient = SufficientOf(attempts, servers, *threshold);
  return best;
}

}  // namespace schedlens
