#include "analysis/causes/bind_regime.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/breakdown/scrape_grid.h"
#include "analysis/tail/in_flight.h"
#include "model/seconds.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

/// Fewer running binding cycles are no backlog: a healthy cluster has as many by chance.
constexpr double kBacklog = 3;
/// So many queued binds must have been seen for their load to be about a limiter.
constexpr double kQueued = 10;
/// Binds that are this unlikely to be so even by chance are paced; from the second on nothing says
/// that they are.
constexpr double kPaced = 0.01;
constexpr double kFree = 0.1;
/// From this rank correlation on binds follow their load ...
constexpr double kFollows = 0.5;
/// ... and at this many standard errors of none it is not chance.
constexpr double kBeyondChance = 2.3;
/// Below this one they clearly do not.
constexpr double kIgnores = 0.3;
constexpr std::size_t kLeastPairs = 4;

/// How evenly events fall into intervals of the given seconds.
struct Evenness {
  double rate = 0;       ///< events a second
  double deviation = 0;  ///< standard deviation of an interval's rate
  double dispersion = 1;
  double chance = 1;  ///< of random events being as even
};

Evenness EvennessOf(const std::vector<double>& counts, const std::vector<double>& lengths) {
  Evenness even;
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double time = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  if (!(total > 0) || !(time > 0)) return even;
  even.rate = total / time;
  if (counts.size() < 2) return even;
  double squares = 0, rounded = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = even.rate * lengths[i];
    const double off = std::abs(counts[i] - expected);
    squares += off * off / expected;
    rounded += (off + 0.5) * (off + 0.5) / expected;  // counts are whole numbers
  }
  const double degrees = static_cast<double>(counts.size() - 1);
  even.dispersion = squares / degrees;
  even.deviation = std::sqrt(even.dispersion * even.rate / (time / (degrees + 1)));
  even.chance = ChiSquareAtMost(rounded, degrees);
  return even;
}

/// Sum of one metric's increases whose `verb` is POST.
double PostSum(const Facts& facts, const char* question, const TimeRange& window,
               std::string_view suffix, bool bindings_only) {
  const auto want = [&](const Labels& labels) {
    return labels.Get("verb") == "POST" && labels.Get(kMetricName).ends_with(suffix) &&
           (!bindings_only || labels.Get("url").ends_with("/binding"));
  };
  double total = 0;
  for (const CounterIncrease& c : IncreasesOf(facts, question, window, want)) total += c.increase;
  return total;
}

/// What the intervals of all targets show, as it is collected.
struct Intervals {
  std::vector<double> binds, arrivals, lengths;  // of those with a backlog at both ends
  std::vector<double> means, loads;              // of those with binds
  double most_binds = 0;                         // a second, of any
  double backlog_start = 0, backlog_end = 0, backlog_most = 0;
};

/// What one target's intervals saw of attempts.
struct BindCells {
  const GridCells& done;
  const GridCells& ended;
  const GridCells& found;
};

void AddGrid(const ScrapeGrid& grid, const BindCells& cells, double running, Intervals* out) {
  const auto& [done, ended, found] = cells;
  double load_before = 0;
  for (std::size_t i = 0; i < grid.cells(); ++i) {
    const double seconds = MsToSeconds(grid.edges[i + 1] - grid.edges[i]);
    const double load = running + found.counts[i];
    const double after = std::max(0.0, load - ended.counts[i]);
    if (done.counts[i] > 0 && !std::isnan(done.sums[i])) {
      out->means.push_back(done.sums[i] / done.counts[i]);
      out->loads.push_back(std::max(load, load_before));
      out->most_binds = std::max(out->most_binds, done.counts[i] / seconds);
    }
    if (running >= kBacklog && after >= kBacklog) {
      if (out->binds.empty()) out->backlog_start = running;
      out->binds.push_back(done.counts[i]);
      out->arrivals.push_back(found.counts[i]);
      out->lengths.push_back(seconds);
      out->backlog_end = after;
    }
    load_before = load;
    running = after;
    out->backlog_most = std::max(out->backlog_most, running);
  }
}

}  // namespace

std::optional<BindDispersion> MeasureBindDispersion(const Histograms& histograms,
                                                    std::span<const Target> targets,
                                                    const WindowIncreases& window,
                                                    const TimeBreakdown& breakdown) {
  // Extenders bind with clients of their own; the limiter holds back the Bind plugins alone.
  if (breakdown.extender_binds > breakdown.bind_ok.count) return std::nullopt;
  Intervals all;
  const std::vector<ScrapeGrid> grids = MakeGrids(targets, window);
  const auto on_grids = [&](kube::ExtensionPoint point) {
    return OnGrids(grids, SelectPoint(window.extension_point, point));
  };
  const auto done = on_grids(kube::ExtensionPoint::kBind);
  const auto ended = on_grids(kube::ExtensionPoint::kPostBind);
  const auto found = on_grids(kube::ExtensionPoint::kReserve);
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const double running = GapOf(histograms, grids[g].target, breakdown, grids[g].edges.front());
    AddGrid(grids[g], {done[g], ended[g], found[g]}, running, &all);
  }
  if (all.means.empty()) return std::nullopt;
  const Evenness leaving = EvennessOf(all.binds, all.lengths);
  const Evenness coming = EvennessOf(all.arrivals, all.lengths);
  BindDispersion out;
  out.cells = all.binds.size();
  out.rate = all.binds.empty() ? all.most_binds : leaving.rate;
  out.rate_deviation = leaving.deviation;
  out.arrival_rate = coming.rate;
  out.arrival_deviation = coming.deviation;
  out.dispersion = leaving.dispersion;
  out.arrival_dispersion = coming.dispersion;
  out.evenness = leaving.chance;
  out.arrival_evenness = coming.chance;
  out.intervals = all.means.size();
  out.follows_load = RankCorrelation(all.means, all.loads, kLeastPairs);
  out.backlog_start = all.backlog_start;
  out.backlog_end = all.backlog_end;
  out.backlog_most = all.backlog_most;
  return out;
}

bool IsPaced(const BindDispersion& dispersion) { return dispersion.evenness <= kPaced; }

Throttling JudgeDispersion(const std::optional<BindDispersion>& dispersion) {
  if (!dispersion) return Throttling::kNo;
  const BindDispersion& d = *dispersion;
  if (IsPaced(d)) {
    const bool grows = d.backlog_end > 2 * d.backlog_start + kQueued;
    const bool as_even = d.arrival_evenness <= kPaced && d.arrival_dispersion <= 4 * d.dispersion;
    return as_even && !grows ? Throttling::kCannotTell : Throttling::kYes;
  }
  if (d.intervals < kLeastPairs) return Throttling::kCannotTell;
  if (d.cells >= kLeastPairs && d.evenness >= kFree) return Throttling::kNo;
  if (d.backlog_most < kQueued || d.follows_load < kIgnores) return Throttling::kNo;
  const double n = static_cast<double>(d.intervals);
  const bool follows = d.follows_load >= kFollows;
  return follows && d.follows_load * std::sqrt(n - 1) >= kBeyondChance ? Throttling::kYes
                                                                       : Throttling::kCannotTell;
}

bool LooksThrottled(const BindDispersion& dispersion) {
  return dispersion.follows_load >= kFollows || IsPaced(dispersion);
}

std::optional<LimiterSplit> SplitByLimiter(const Facts& facts, const TimeBreakdown& breakdown) {
  if (!facts.Has("rate_limiter")) return std::nullopt;
  const double bind = breakdown.points[kube::ExtensionPoint::kBind].seconds;
  const TimeRange& window = breakdown.window;
  double waited = PostSum(facts, "rate_limiter", window, "_sum", true);
  double requested = PostSum(facts, "rest_request", window, "_sum", true);
  double posts = PostSum(facts, "rate_limiter", window, "_count", true);
  if (requested <= 0) {  // from 1.24 the url is gone: binds and events share a series
    waited = PostSum(facts, "rate_limiter", window, "_sum", false);
    requested = PostSum(facts, "rest_request", window, "_sum", false);
    posts = PostSum(facts, "rate_limiter", window, "_count", false);
  }
  if (requested <= 0 || posts <= 0) return std::nullopt;
  LimiterSplit split;
  split.low = std::clamp(waited - std::max(0.0, requested - bind), 0.0, bind);
  split.high = std::min(waited, bind);
  split.value = std::clamp(bind * waited / requested, split.low, split.high);
  split.mean_wait = waited / posts;
  return split;
}

}  // namespace schedlens
