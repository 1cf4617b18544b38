#pragma once

// Random windows of which every observation is known: drawn, counted into histograms, scraped, and
// turned into cells the way real samples are. Fixed seeds, nothing from the clock.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stats/scrape_increases.h"

namespace schedlens::testing_support {

enum class Family { kLognormal, kGamma, kPareto, kBimodal, kPointMasses };
inline constexpr Family kFamilies[] = {Family::kLognormal, Family::kGamma, Family::kPareto,
                                       Family::kBimodal, Family::kPointMasses};
inline bool Smooth(Family f) { return f <= Family::kPareto; }
inline const char* Name(Family f) {
  constexpr const char* kNames[] = {"lognormal", "gamma", "pareto", "bimodal", "point masses"};
  return kNames[static_cast<int>(f)];
}

struct TruthOptions {
  Family family = Family::kLognormal;
  double per_second = 10;
  double window_seconds = 300;
  double scrape_seconds = 15;
  int children = 1;
  double factor = 2;  ///< between bounds
  int bounds = 15;    ///< finite ones
  double first_bound = 0.001;
  bool resets = false;
  bool drop_some_sums = false;
};

struct TruthWindow {
  std::vector<ScrapeIncreases> children;
  std::vector<double> values;  ///< all that the counters saw in the window, ascending
};

/// Draws latencies around `scale` seconds.
class LatencyModel {
 public:
  LatencyModel(Family family, std::mt19937_64& random) : family_(family) {
    std::uniform_real_distribution<double> unit(0, 1);
    scale_ = 0.01 * std::pow(100, unit(random));
    shape_ = unit(random);
  }
  double Draw(std::mt19937_64& random) const {
    std::uniform_real_distribution<double> unit(0, 1);
    std::normal_distribution<double> normal;
    switch (family_) {
      case Family::kLognormal:
        return scale_ * std::exp((0.4 + 0.8 * shape_) * normal(random));
      case Family::kGamma:
        return scale_ * std::gamma_distribution<double>(0.7 + 3 * shape_, 1.0)(random);
      case Family::kPareto:
        return scale_ * std::pow(1 - unit(random), -1 / (1.5 + 2 * shape_));
      case Family::kBimodal:
        return scale_ * std::exp(0.3 * normal(random)) *
               (unit(random) < 0.03 + 0.1 * shape_ ? 25 : 1);
      case Family::kPointMasses: {
        const double steps[] = {1, 1, 1, 2, 4, 8};
        return scale_ * steps[random() % 6];
      }
    }
    return scale_;
  }

 private:
  Family family_;
  double scale_;
  double shape_;
};

inline HistogramSeries EmptySeries(const TruthOptions& options, int child) {
  HistogramSeries series;
  series.labels = Labels({{"instance", std::to_string(child)}});
  double bound = options.first_bound;
  for (int b = 0; b < options.bounds; ++b, bound *= options.factor) series.bounds.push_back(bound);
  series.bounds.push_back(HUGE_VAL);
  return series;
}

/// One child's counters scraped through the window, observations arriving as a Poisson process.
inline void AddChild(const TruthOptions& options, const LatencyModel& model, int child,
                     std::mt19937_64& random, TruthWindow* out) {
  HistogramSeries series = EmptySeries(options, child);
  const auto scrapes = static_cast<std::size_t>(options.window_seconds / options.scrape_seconds);
  std::vector<double> cumulative(series.bounds.size(), 0.0);
  double sum = 0;
  std::poisson_distribution<int> before(50),
      arrivals(options.per_second * options.scrape_seconds / options.children);
  const auto observe = [&](int number, bool in_window) {
    for (int i = 0; i < number; ++i) {
      const double x = model.Draw(random);
      sum += x;
      for (std::size_t b = 0; b < cumulative.size(); ++b) cumulative[b] += x <= series.bounds[b];
      if (in_window) out->values.push_back(x);
    }
  };
  std::vector<TimeMs> times;
  observe(before(random), false);
  for (std::size_t s = 0; s <= scrapes; ++s) {
    const bool reset = options.resets && s > 0 && random() % 10 == 0;
    if (reset) {  // a new process: what it observes until the scrape is all that is seen
      std::fill(cumulative.begin(), cumulative.end(), 0.0);
      sum = 0;
      observe(arrivals(random) / 2, true);
      // A restart that counts as much as before cannot be seen in counters; keep it visible.
      if (!series.times.empty() && cumulative.back() >= series.Row(s - 1).back()) {
        out->children.clear();
        return;
      }
    } else if (s > 0) {
      observe(arrivals(random), true);
    }
    series.times.push_back(static_cast<TimeMs>(1000 * options.scrape_seconds) *
                           static_cast<TimeMs>(s));
    series.cumulative.insert(series.cumulative.end(), cumulative.begin(), cumulative.end());
    const bool dropped = options.drop_some_sums && random() % 7 == 0;
    series.sums.push_back(dropped ? std::nan("") : sum);
    series.counts.push_back(cumulative.back());
  }
  out->children.push_back(
      IncreasesBetweenScrapes(series, series.times, {series.times.front(), series.times.back()}));
}

/// A window, or one without children when a drawn restart would be invisible.
inline TruthWindow DrawWindow(const TruthOptions& options, std::mt19937_64& random) {
  TruthWindow out;
  const LatencyModel model(options.family, random);
  for (int c = 0; c < options.children; ++c) {
    const std::size_t expected = out.children.size() + 1;
    AddChild(options, model, c, random, &out);
    if (out.children.size() != expected) return {};
  }
  std::sort(out.values.begin(), out.values.end());
  return out;
}

/// Everything random: family, rate 0.01/s to 1,000/s, layout, replicas, resets, lost sums.
inline TruthOptions DrawOptions(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  TruthOptions options;
  options.family = kFamilies[random() % 5];
  options.scrape_seconds = std::vector<double>{5, 15, 30}[random() % 3];
  options.per_second = 0.01 * std::pow(random() % 50 == 0 ? 1e5 : 1e3, unit(random));
  options.children = 1 + static_cast<int>(random() % 3);
  options.factor = std::vector<double>{1.5, 2, 2, 4}[random() % 4];
  options.bounds = 3 + static_cast<int>(random() % 18);
  options.first_bound = 0.0005 * std::pow(20, unit(random));
  options.resets = random() % 4 == 0;
  options.drop_some_sums = random() % 5 == 0;
  return options;
}

}  // namespace schedlens::testing_support
