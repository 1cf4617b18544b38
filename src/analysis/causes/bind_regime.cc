#include "analysis/causes/bind_regime.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/breakdown/scrape_grid.h"
#include "analysis/tail/bounds.h"
#include "model/seconds.h"

namespace schedlens {
namespace {

/// A backlog of at least this many running binding cycles keeps a token bucket busy all through an
/// interval, and is more than chance in a healthy cluster.
constexpr double kBacklog = 10;
/// Dispersion is 1 for Poisson departures; a saturated token bucket leaves a few hundredths.
constexpr double kFlat = 0.3;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
  double dispersion() const { return mean > 0 ? deviation * deviation / mean : 0; }
};

/// The deviation is by the median absolute one (1.4826 of it for a normal distribution): a
/// backlog's first and last intervals are ramps, and say nothing about the dispersion between them.
Moments MomentsOf(const std::vector<double>& values) {
  Moments m;
  const double median = Median(values);
  std::vector<double> off;
  for (const double v : values) off.push_back(std::abs(v - median));
  m.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  m.deviation = 1.4826 * Median(off);
  return m;
}

/// Whether few Poisson counts could be as even as these: neither their robust dispersion nor the
/// plain one of all but the first and the last is three standard errors of a standard deviation
/// below one. The robust one bears ramps, and has 0.37 of the plain one's efficiency.
bool EvenByChance(const std::vector<double>& values) {
  constexpr std::size_t kMany = 48;
  constexpr double kEfficiency = 0.37;
  if (values.size() >= kMany) return false;
  if (values.size() < 4) return true;
  const double all = static_cast<double>(values.size());
  const Moments robust = MomentsOf(values);
  if (std::sqrt(robust.dispersion()) < 1 - 3 / std::sqrt(2 * kEfficiency * all)) return false;
  const std::vector<double> inner(values.begin() + 1, values.end() - 1);
  const double n = static_cast<double>(inner.size());
  const double mean = std::accumulate(inner.begin(), inner.end(), 0.0) / n;
  if (!(mean > 0)) return true;
  double squares = 0;
  for (const double v : inner) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / (n - 1) / mean) >= 1 - 3 / std::sqrt(2 * (n - 1));
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

}  // namespace

std::optional<BindDispersion> MeasureBindDispersion(const Histograms& histograms,
                                                    std::span<const Target> targets,
                                                    const WindowIncreases& window,
                                                    const TimeBreakdown& breakdown) {
  // Extenders bind with clients of their own; the limiter holds back the Bind plugins alone.
  if (breakdown.extender_binds > breakdown.bind_ok.count) return std::nullopt;
  std::vector<double> binds, arrivals, lengths;
  double waited = 0;  // seconds of the binds that ended in an interval with a backlog
  BindDispersion out;
  auto ok = SelectPoint(window.extension_point, kube::ExtensionPoint::kBind);
  for (const ScrapeGrid& grid : MakeGrids(targets, window)) {
    double running = GapOf(histograms, grid.target, breakdown, grid.edges.front());
    const GridCells done = OnGrid(grid, ok);
    const GridCells ended =
        OnGrid(grid, SelectPoint(window.extension_point, kube::ExtensionPoint::kPostBind));
    const GridCells found =
        OnGrid(grid, SelectPoint(window.extension_point, kube::ExtensionPoint::kReserve));
    for (std::size_t i = 0; i < grid.cells(); ++i) {
      if (running >= kBacklog) {
        if (binds.empty()) out.backlog_start = running;
        binds.push_back(done.counts[i]);
        waited += done.sums[i];
        arrivals.push_back(found.counts[i]);
        lengths.push_back(MsToSeconds(grid.edges[i + 1] - grid.edges[i]));
      }
      running = std::max(0.0, running + found.counts[i] - ended.counts[i]);
      if (!binds.empty()) out.backlog_end = running;
      out.backlog_most = std::max(out.backlog_most, running);
    }
  }
  const bool most = waited > 0.5 * breakdown.bind_ok.seconds;
  if (binds.empty() || (binds.size() < kLeastDispersion && !most)) return std::nullopt;
  const double length =
      std::accumulate(lengths.begin(), lengths.end(), 0.0) / static_cast<double>(lengths.size());
  const Moments leaving = MomentsOf(binds), coming = MomentsOf(arrivals);
  out.cells = binds.size();
  out.rate = leaving.mean / length;
  out.rate_deviation = leaving.deviation / length;
  out.arrival_rate = coming.mean / length;
  out.arrival_deviation = coming.deviation / length;
  out.dispersion = leaving.dispersion();
  out.arrival_dispersion = coming.dispersion();
  out.even_by_chance = EvenByChance(binds);
  return out;
}

Throttling JudgeDispersion(const std::optional<BindDispersion>& dispersion) {
  if (!dispersion) return Throttling::kNo;
  if (dispersion->cells < kLeastDispersion) return Throttling::kCannotTell;
  if (dispersion->dispersion >= kFlat) return Throttling::kNo;
  if (dispersion->even_by_chance) return Throttling::kCannotTell;
  if (dispersion->arrival_dispersion > 2 * dispersion->dispersion &&
      dispersion->arrival_dispersion > kFlat / 2) {
    return Throttling::kYes;
  }
  const bool grows = dispersion->backlog_end > 2 * dispersion->backlog_start + kBacklog;
  return grows ? Throttling::kYes : Throttling::kCannotTell;
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
