#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/text.h"
#include "diagnose/control_plane/binding_path.h"
#include "kube/metrics.h"
#include "stats/scrape_increases.h"

namespace schedlens {
namespace {

using kube::Metric;

/// Of all attempts, those that are slow where no threshold says which.
constexpr double kLeastSlow = 0.01;
constexpr double kMostSlow = 0.2;

double Over(const PooledBuckets& attempts, std::size_t bound) {
  return attempts.count() - attempts.cumulative[bound];
}

/// Bindings over each finite bound that all servers have.
std::map<double, Meter> BindingsOver(const NeighbourFacts& facts) {
  const Meter count = MeterOf(facts, "bindings", CountOf(Metric::kApiserverRequestDuration));
  std::map<double, Meter> below, over;
  for (const Series& series : facts.Of("bindings")) {
    if (series.labels.Get("__name__") != BucketOf(Metric::kApiserverRequestDuration)) continue;
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
std::optional<TimeRange> CountedWithin(const WindowIncreases& cells) {
  std::map<std::size_t, TimeRange> by_target;
  for (const ScrapeIncreases& child : cells.attempt) {
    if (child.torn || std::ranges::find(child.reset, true) != child.reset.end())
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
  const auto above = std::ranges::lower_bound(attempts.bounds, threshold);
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

/// What lies outside the window tells who meets bindings, not who was slow.
constexpr double kElsewhere = 0.1;
/// Fewer scrapes than contributors and this many more do not tell them apart.
constexpr std::size_t kSpare = 2;
/// Without it the rest must fit this many times worse, or nobody misses it; nor where what is left
/// is this part of the squares, a hundredth of the seconds.
constexpr double kMissed = 2;
constexpr double kGoodEnough = 1e-4;
/// Pulls those that nothing tells apart together.
constexpr double kRidge = 1e-6;
constexpr double kLeastSeconds = 1e-3;
/// Who is told apart: fitting takes the cube of it.
constexpr std::size_t kMostColumns = 40;
constexpr int kRounds = 2000;
constexpr double kSettled = 1e-8;

/// Least squares with every share between 0 and 1, one share at a time.
class Fit {
 public:
  explicit Fit(std::size_t n) : n_(n), products_(n * n, 0), target_(n, 0), shares_(n, 0) {}

  /// Between two scrapes.
  void Add(double outside, const std::vector<double>& own, double weight) {
    ++rows_;
    squares_ += weight * outside * outside;
    all_ += outside;
    of_own_ += std::accumulate(own.begin(), own.end(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      target_[i] += weight * outside * own[i];
      for (std::size_t k = 0; k < n_; ++k) products_[i * n_ + k] += weight * own[i] * own[k];
    }
  }

  void Solve(std::optional<std::size_t> without) {
    prior_ = of_own_ > 0 ? std::min(1.0, all_ / of_own_) : 0;
    std::ranges::fill(shares_, prior_);
    if (without) shares_[*without] = 0;
    for (int round = 0; round < kRounds; ++round) {
      double moved = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        if (i != without) moved = std::max(moved, Improve(i));
      }
      if (moved < kSettled) return;
    }
  }

  /// What the shares leave unexplained.
  double Misfit() const {
    double sum = squares_;
    for (std::size_t i = 0; i < n_; ++i) sum += shares_[i] * (Explained(i) - 2 * target_[i]);
    return std::max(0.0, sum);
  }
  double squares() const { return squares_; }
  double share(std::size_t i) const { return shares_[i]; }
  std::size_t rows() const { return rows_; }

 private:
  double Explained(std::size_t i) const {
    const auto row = products_.begin() + static_cast<std::ptrdiff_t>(i * n_);
    return std::inner_product(shares_.begin(), shares_.end(), row, 0.0);
  }

  /// How far the share moved.
  double Improve(std::size_t i) {
    const double square = products_[i * n_ + i];
    if (!(square > 0)) return 0;
    const double rest = target_[i] - Explained(i) + shares_[i] * square;
    const double ridge = kRidge * square;
    const double last = shares_[i];
    shares_[i] = std::clamp((rest + ridge * prior_) / (square + ridge), 0.0, 1.0);
    return std::fabs(shares_[i] - last);
  }

  std::size_t n_, rows_ = 0;
  std::vector<double> products_, target_, shares_;
  double squares_ = 0, all_ = 0, of_own_ = 0, prior_ = 0;
};

/// The column of each contributor: its own, or the last one, which all but the largest share.
std::vector<std::size_t> ColumnsOf(const std::vector<Meter>& own, const TimeRange& window) {
  std::vector<std::size_t> columns(own.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (own.size() <= kMostColumns) return columns;
  std::vector<std::pair<double, std::size_t>> order;
  for (const Meter& one : own) order.emplace_back(-one.Increase(window).value, order.size());
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    columns[order[i].second] = std::min(i, kMostColumns - 1);
  }
  return columns;
}

Fit FitOf(const Meter& outside, const std::vector<Meter>& own,
          const std::vector<std::size_t>& columns, const TimeRange& window) {
  const std::size_t n = std::min(own.size(), kMostColumns);
  Fit fit(n);
  for (const Meter::Step& step : outside.Steps()) {
    const double seconds = std::max(0.0, step.increase);
    std::vector<double> each(n, 0);
    for (std::size_t i = 0; i < own.size(); ++i) each[columns[i]] += own[i].Within(step);
    // Seconds vary as much as there are.
    const bool inside = step.start >= window.start && step.end <= window.end;
    fit.Add(seconds, each, (inside ? 1 : kElsewhere) / (seconds + kLeastSeconds));
  }
  return fit;
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
  const std::optional<TimeRange> window = CountedWithin(cells);
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

std::vector<OutsideShare> FitOutside(const Meter& outside, const std::vector<Meter>& own,
                                     const TimeRange& window) {
  const std::vector<std::size_t> columns = ColumnsOf(own, window);
  Fit fit = FitOf(outside, own, columns, window);
  fit.Solve(std::nullopt);
  std::vector<OutsideShare> found(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) found[i].share = fit.share(columns[i]);
  const std::size_t n = std::min(own.size(), kMostColumns);
  if (fit.rows() < n + kSpare) return found;
  const double least = kMissed * fit.Misfit() + kGoodEnough * fit.squares();
  for (std::size_t i = 0; i < own.size(); ++i) {
    // Nobody misses one of those that share a column.
    if (own.size() > n && columns[i] == n - 1) continue;
    fit.Solve(columns[i]);
    found[i].replaced = fit.Misfit() <= least;
  }
  return found;
}

}  // namespace schedlens
