#pragma once

// How long something takes: a mixture of simple distributions, written as text.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scheduler/base/random.h"

namespace schedlens::sim {

/// A number, or one with a unit of time (ns, us, ms, s, m, h), in seconds; nothing for other text.
std::optional<double> ParseSeconds(std::string_view text);

/// A number as scenarios write it: `1.5`, `200ms`, `2*severity`, `20+1.5*severity`. Throws
/// Error(kUsage) with the text.
double ParseQuantity(std::string_view text, double severity);

/// A distribution of non-negative values (seconds for costs, a factor for noise). As text:
///   0.02 or 20ms             always this
///   ln(MEDIAN,SIGMA)         lognormal
///   u(LOW,HIGH)              uniform
///   exp(MEAN)                exponential
///   hist(LE:COUNT,...)       empirical: a histogram's buckets (counts each, not cumulative),
///                            log-linear inside a bucket, the first one linear from 0
///   W*D+W*D+...              mixture; the weights must add up to 1
/// Every number may be a quantity (see ParseQuantity), so `u(2*severity,4*severity)` is scaled.
class Distribution {
 public:
  /// Always 0.
  Distribution() = default;

  /// Throws Error(kUsage) naming the text and what is wrong with it.
  static Distribution Parse(std::string_view text, double severity = 1);
  static Distribution Constant(double value);
  static Distribution LogNormal(double median, double sigma);
  static Distribution Uniform(double low, double high);
  /// Buckets as (upper bound, count) ascending; the open bucket, if any, must be given a finite
  /// bound. Throws Error(kUsage) if bounds do not ascend or no count is positive.
  static Distribution Empirical(const std::vector<std::pair<double, double>>& buckets);
  /// Weights need not be normalised here; parts with weight 0 are dropped.
  static Distribution Mixture(const std::vector<std::pair<double, Distribution>>& parts);

  /// Never negative.
  double Sample(Random& random) const;
  double Mean() const;
  bool IsZero() const { return parts_.empty(); }
  /// The same distribution with every value multiplied.
  Distribution Scaled(double factor) const;
  /// Reads back as the same distribution (weights to 17 digits).
  std::string ToString() const;

 private:
  enum class Kind { kConstant, kLogNormal, kUniform, kExponential, kEmpirical };
  struct Part {
    double weight = 1;      // as given
    double cumulative = 1;  // in (0, 1], the last one is 1
    Kind kind = Kind::kConstant;
    double a = 0, b = 0;
    std::vector<std::pair<double, double>> table;  // bound, cumulative share
  };
  static Distribution Of(Kind kind, double a, double b = 0);
  static Distribution ParseMixture(std::string_view text, double severity);
  static Distribution ParseNamed(std::string_view text, std::size_t open, double severity);
  static double SamplePart(const Part& part, Random& random);
  static double MeanOfPart(const Part& part);

  std::vector<Part> parts_;
};

}  // namespace schedlens::sim
