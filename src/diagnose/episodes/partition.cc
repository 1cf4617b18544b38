#include <numeric>

#include "base/not_finite.h"
#include "base/work_budget.h"
#include "diagnose/episodes/column_counts.h"
#include "stats/range_functions.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

constexpr std::size_t kColumnsAtOnce = 240;
/// How many times finer each further look around the edges is.
constexpr std::size_t kFiner = 6;
constexpr double kNever = -kInfinity;

/// ln Gamma by Stirling's series; exact to 1e-12 from 16 on.
double LogGammaOfLarge(double x) {
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  const double y = 1 / x, y2 = y * y;
  return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi +
         y * (1.0 / 12 - y2 * (1.0 / 360 - y2 / 1260));
}

double QuickLogGamma(double x) { return x < 16 ? LogGamma(x) : LogGammaOfLarge(x); }

/// ln Gamma(n + 1/2) - ln Gamma(1/2) of whole n, mostly from a table.
double LogRising(double n) {
  static const auto table = [] {
    std::array<double, 8192> all = {};
    for (std::size_t i = 1; i < all.size(); ++i) {
      all[i] = all[i - 1] + std::log(static_cast<double>(i) - 0.5);
    }
    return all;
  }();
  constexpr double kHalfLogPi = 0.57236494292470008707;
  const double whole = std::floor(n + 0.5);
  if (whole < static_cast<double>(table.size())) return table[static_cast<std::size_t>(whole)];
  return LogGammaOfLarge(whole + 0.5) - kHalfLogPi;
}

/// One family's running sums, of the kinds that occur.
class Family {
 public:
  explicit Family(const CountTable& table) : dispersion_(DispersionOf(table)) {
    const std::vector<double> all = table.Sum(0, table.columns());
    std::vector<std::size_t> occurring;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k] > 0) occurring.push_back(k);
    }
    width_ = occurring.size();
    if (width_ < 2) return;
    sums_.resize((table.columns() + 1) * width_);
    for (std::size_t i = 0; i < table.columns(); ++i) {
      for (std::size_t k = 0; k < width_; ++k) {
        sums_[(i + 1) * width_ + k] = sums_[i * width_ + k] + table.Row(i)[occurring[k]];
      }
    }
    prior_ = static_cast<double>(width_) / 2;
    of_prior_ = QuickLogGamma(prior_);
  }
  bool Tells() const { return width_ >= 2; }
  /// Log likelihood of the columns [first, last) as one state.
  double Of(std::size_t first, std::size_t last) const {
    const double* from = sums_.data() + first * width_;
    const double* to = sums_.data() + last * width_;
    double total = 0, rising = 0;
    for (std::size_t k = 0; k < width_; ++k) {
      const double n = to[k] - from[k];
      if (!(n > 0)) continue;
      total += n;
      rising += LogRising(n);
    }
    if (total <= 0) return 0;
    return (of_prior_ - QuickLogGamma(prior_ + total) + rising) / dispersion_;
  }

 private:
  double dispersion_ = 1;
  std::size_t width_ = 0;
  double prior_ = 0, of_prior_ = 0;
  std::vector<double> sums_;
};

/// Pods bound in a column, and those that wait at its end.
CountTable BoundBesideWaiting(const ColumnCounts& counts) {
  CountTable out(counts.columns(), 4);
  const CountTable& waits = counts.Waits();
  for (std::size_t i = 0; i < counts.columns(); ++i) {
    if (waits.kinds() > 0) {
      const auto row = waits.Row(i);
      out.Add(i, 0, std::accumulate(row.begin(), row.end(), 0.0));
    }
    for (std::size_t k = 0; k < 3; ++k) out.Add(i, k + 1, counts.waiting.Row(i)[k]);
  }
  return out;
}

class Partitioner {
 public:
  explicit Partitioner(const ColumnCounts& counts) : columns_(counts.columns()) {
    const CountTable beside = BoundBesideWaiting(counts);
    for (const CountTable* table : {&counts.Waits(), &counts.results, &beside}) {
      Family family(*table);
      if (family.Tells()) families_.push_back(std::move(family));
    }
    nobody_.resize(columns_ + 1);
    for (std::size_t i = 0; i < columns_; ++i) {
      nobody_[i + 1] = nobody_[i] + (counts.nobody_here[i] ? 1 : 0);
      if (i > 0 && counts.nobody_here[i] != counts.nobody_here[i - 1]) changes_.push_back(i);
    }
  }

  std::vector<std::size_t> Cut() const {
    std::size_t step = (columns_ + kColumnsAtOnce - 1) / kColumnsAtOnce;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < columns_; i += std::max<std::size_t>(1, step)) places.push_back(i);
    std::vector<std::size_t> edges = Best(places);
    while (step > 1) {
      const std::size_t finer = std::max<std::size_t>(1, step / kFiner);
      places.clear();
      for (const std::size_t edge : edges) {
        for (std::size_t i = edge > step ? edge - step : 0; i <= edge + step; i += finer) {
          places.push_back(i);
        }
        places.push_back(edge);
      }
      edges = Best(places);
      step = finer;
    }
    return edges;
  }

 private:
  double Of(std::size_t first, std::size_t last) const {
    const std::size_t nobody = nobody_[last] - nobody_[first];
    if (nobody > 0 && nobody < last - first) return kNever;
    double sum = 0;
    for (const Family& family : families_) sum += family.Of(first, last);
    return sum;
  }

  /// Edges at some of these places.
  std::vector<std::size_t> Best(std::vector<std::size_t> places) const {
    places.insert(places.end(), changes_.begin(), changes_.end());
    places.push_back(0);
    places.push_back(columns_);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    while (places.back() > columns_) places.pop_back();
    const double price = std::log(static_cast<double>(std::max<std::size_t>(1, columns_))) + 1;
    std::vector<double> best(places.size(), kNever);
    std::vector<std::size_t> before(places.size(), 0);
    best[0] = 0;
    for (std::size_t j = 1; j < places.size(); ++j) {
      CheckBudget();
      for (std::size_t i = 0; i < j; ++i) {
        const double value = best[i] + Of(places[i], places[j]) - price;
        if (value > best[j]) best[j] = value, before[j] = i;
      }
    }
    std::vector<std::size_t> edges;
    for (std::size_t j = places.size() - 1; j > 0; j = before[j]) edges.push_back(places[j]);
    edges.push_back(0);
    std::ranges::reverse(edges);
    return edges;
  }

  std::size_t columns_;
  std::vector<Family> families_;
  std::vector<std::size_t> nobody_;   // running count
  std::vector<std::size_t> changes_;  // where there is somebody on one side only
};

/// Pearson's chi-square of two rows over its degrees of freedom; nothing where there are none.
std::optional<double> Difference(std::span<const double> a, std::span<const double> b) {
  constexpr double kLeast = 20;
  const double all_a = std::accumulate(a.begin(), a.end(), 0.0);
  const double all_b = std::accumulate(b.begin(), b.end(), 0.0);
  if (all_a < kLeast || all_b < kLeast) return std::nullopt;
  double chi = 0, occurring = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double both = a[k] + b[k];
    if (both <= 0) continue;
    ++occurring;
    const double expected = both * (all_a / (all_a + all_b));
    const double other = both * (all_b / (all_a + all_b));  // a difference may be nothing
    chi += (a[k] - expected) * (a[k] - expected) * (1 / expected + 1 / other);
  }
  if (occurring < 2 || !std::isfinite(chi)) return std::nullopt;
  return chi / (occurring - 1);
}

}  // namespace

double DispersionOf(const CountTable& table) {
  constexpr double kOfChance = 0.9;
  std::vector<double> all;
  for (std::size_t i = 0; i + 1 < table.columns(); ++i) {
    if (const auto one = Difference(table.Row(i), table.Row(i + 1))) all.push_back(*one);
  }
  if (all.size() < 4) return 1;
  return std::max(1.0, QuantileOfValues(0.5, all) / kOfChance);
}

std::vector<std::size_t> PartitionColumns(const ColumnCounts& counts) {
  if (counts.columns() == 0) return {0};
  return Partitioner(counts).Cut();
}

}  // namespace schedlens
