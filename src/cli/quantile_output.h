#ifndef SCHEDLENS_CLI_QUANTILE_OUTPUT_H_
#define SCHEDLENS_CLI_QUANTILE_OUTPUT_H_

// How `quantile` prints what it found.

#include <optional>
#include <string>
#include <vector>

#include "analysis/quantile/quantile.h"

namespace schedlens {

/// What one server version's own function gives for the expression, with its `rate`.
struct ServerValue {
  std::string semantics;
  std::optional<double> value;
};

/// For a person, lines of at most 100 columns where they can be broken.
std::string QuantileText(const QuantileReport& report, const std::vector<ServerValue>& servers);

/// Schema schedlens.quantile/1. The highest series is the object itself; `groups` holds all of them
/// when the expression keeps labels. +Inf and NaN are null.
std::string QuantileJson(const QuantileReport& report, const std::vector<ServerValue>& servers);

/// Four significant digits and the unit: `3.644 s`.
std::string Seconds(double value);
/// `2.048 .. 4.096 s`, `more than 16.38 s`, `unknown`.
std::string SecondsBetween(const Interval& interval);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_QUANTILE_OUTPUT_H_
