#include "analysis/neighbours/outside_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace schedlens {
namespace {

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
    std::fill(shares_.begin(), shares_.end(), prior_);
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
  std::sort(order.begin(), order.end());
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
