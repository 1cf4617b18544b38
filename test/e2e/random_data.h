#pragma once

// Nasty histograms and counters from a fixed seed, as series and as text for a server.

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/series.h"
#include "base/text.h"

namespace schedlens::test {

inline constexpr TimeMs kDataStart = 1'700'000'000'000;

class RandomData {
 public:
  /// `tame` leaves out what VictoriaMetrics does not store as it is (NaN, infinities, extremes,
  /// long fractions), and the repairs and partial resets in which its versions differ.
  RandomData(unsigned seed, bool tame) : random_(seed), tame_(tame) {}

  /// `h_bucket{h="i",le="..."}`, one sample each at kDataStart.
  std::vector<Series> Histograms(int number) {
    std::vector<Series> all;
    for (int h = 0; h < number; ++h) AppendHistogram(h, &all);
    return all;
  }

  /// `s_total{s="i"}`: 0 to 40 samples within ten minutes after kDataStart.
  std::vector<Series> Counters(int number) {
    std::vector<Series> all;
    for (int s = 0; s < number; ++s) {
      Series series;
      series.labels = Labels({{"__name__", "s_total"}, {"s", std::to_string(s)}});
      series.samples = Samples();
      if (!series.samples.empty()) all.push_back(std::move(series));
    }
    return all;
  }

 private:
  double Uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool OneIn(int n) { return Below(n) == 0; }

  void AppendHistogram(int h, std::vector<Series>* all) {
    static const std::vector<std::string> kBounds = {
        "-1", "-0.5", "0", "0.001", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "16.384"};
    static const std::vector<std::string> kOdd = {"1e-1", "0.10",  ".25",      "1_0", "0x1p-1",
                                                  "5.",   "1e400", "nonsense", "",    "-Inf"};
    const double scale = OneIn(10) && !tame_ ? 1e305 : std::pow(10, 6 * Uniform() - 3);
    double count = 0;
    std::vector<std::pair<std::string, double>> buckets;
    for (const std::string& bound : kBounds) {
      if (bound[0] == '-' && !OneIn(4)) continue;
      if (OneIn(6)) continue;
      if (!OneIn(4)) count += std::floor(scale * Uniform() * 100) * (OneIn(3) && !tame_ ? 0.1 : 1);
      buckets.emplace_back(bound, Spoilt(count));
    }
    if (!tame_ && OneIn(5)) {
      buckets.emplace_back(kOdd[Below(static_cast<int>(kOdd.size()))], Spoilt(count * Uniform()));
    }
    if (!OneIn(20))
      buckets.emplace_back(OneIn(10) && !tame_ ? "inf" : "+Inf", Spoilt(count + Below(5)));
    for (const auto& [bound, value] : buckets) {
      Series series;
      series.labels = Labels({{"__name__", "h_bucket"}, {"h", std::to_string(h)}, {"le", bound}});
      series.samples = {{kDataStart, value}};
      all->push_back(std::move(series));
    }
  }

  double Spoilt(double count) {
    if (tame_) return std::floor(count);
    if (OneIn(40)) count = std::max(0.0, count - Below(50));  // not monotone
    if (OneIn(40)) count += count * 1e-13;
    if (OneIn(100)) return std::numeric_limits<double>::quiet_NaN();
    if (OneIn(150)) return std::numeric_limits<double>::infinity();
    if (OneIn(150)) return -count;
    if (OneIn(150)) return 5e-324;
    if (OneIn(100)) return 1e308;
    return OneIn(100) ? -0.0 : count;
  }

  std::vector<Sample> Samples() {
    std::vector<Sample> samples;
    const int number = Below(41);
    const TimeMs interval = 1000 * (1 + Below(30));
    TimeMs t = kDataStart + Below(300'000);
    double value = OneIn(3) ? 0 : std::floor(1000 * Uniform());
    for (int i = 0; i < number && t < kDataStart + 600'000; ++i) {
      samples.push_back({t, Odd(value)});
      t += OneIn(3) ? interval + Below(200) - 100 : interval;
      if (!tame_ && OneIn(15)) t += interval * Below(8);  // a gap
      if (OneIn(3)) value += OneIn(2) || tame_ ? std::floor(100 * Uniform()) : Uniform();
      if (OneIn(25)) value = OneIn(2) ? 0 : std::floor(value * Uniform() * (tame_ ? 0.8 : 1));
    }
    return samples;
  }

  double Odd(double value) {
    if (tame_) return value;
    if (OneIn(200)) return std::numeric_limits<double>::quiet_NaN();
    if (OneIn(300)) return std::numeric_limits<double>::infinity();
    if (OneIn(300)) return 1e308;
    if (OneIn(300)) return -value;
    return OneIn(300) ? -0.0 : value;
  }

  std::mt19937 random_;
  bool tame_;
};

/// As OpenMetrics, one line a sample.
inline std::string TextOf(const std::vector<Series>& all) {
  std::string out;
  for (const Series& series : all) {
    std::string labels;
    for (const auto& [name, value] : series.labels) {
      if (name == kMetricName) continue;
      labels.append(labels.empty() ? "" : ",").append(name);
      labels.append("=\"").append(value).append("\"");
    }
    for (const Sample& sample : series.samples) {
      const std::string time =
          std::to_string(sample.t / 1000) + "." + std::to_string(1000 + sample.t % 1000).substr(1);
      out += std::string(series.labels.Get(kMetricName)) + "{" + labels + "} " +
             FormatNumber(sample.v) + " " + time + "\n";
    }
  }
  return out + "# EOF\n";
}

}  // namespace schedlens::test
