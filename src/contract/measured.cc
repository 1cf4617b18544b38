// Measured numbers, and what they rest on.

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedlens/estimate.h"

namespace schedlens {
namespace {

constexpr std::string_view kAnd = " and ";

/// The spelling of every rule, in the order of BasisKind; kOther has none.
constexpr std::string_view kWords[] = {
    "",
    "exact",
    "buckets",
    "sum",
    "per-scrape sums",
    "sums",
    "sums, attempts at the edges allowed for",
    "difference of sums",
    "its extension points",
    "rate limiter sums",
    "counts over the threshold",
    "against the baseline",
    "more observations",
    "costlier observations",
    "proven, any pairing",
    "proven, any pairing; value by reconstruction",
    "sampled cycles",
    "lossy sample",
    "algorithm, PostFilter, Reserve, Permit: seconds a second",
    "pod_scheduling_attempts",
    "pod_scheduling - e2e{scheduled}",
    "mean of the scrapes",
    "growth",
    "neighbours' sums between their scrapes",
    "replays over seeds, chance of as many attempts, error of the fit",
};

}  // namespace

std::string ToString(const Basis& basis) {
  const auto kind = static_cast<std::size_t>(basis.kind);
  std::string text(kind < std::size(kWords) ? kWords[kind] : std::string_view());
  for (const std::string& name : basis.names) {
    if (!text.empty()) text += kAnd;
    text += name;
  }
  return text;
}

Basis ParseBasis(std::string_view words) {
  std::string_view rest = words;
  const std::string_view rule = rest.substr(0, rest.find(kAnd));
  // Where there is no such rule, the place behind the last one is that of kOther.
  Basis basis(static_cast<BasisKind>(std::find(std::begin(kWords), std::end(kWords), rule) -
                                     std::begin(kWords)));
  rest.remove_prefix(rule.size());
  while (basis.kind != BasisKind::kOther && !rest.empty()) {
    rest.remove_prefix(kAnd.size());
    const std::string_view name = rest.substr(0, rest.find(kAnd));
    basis.names.emplace_back(name);
    rest.remove_prefix(name.size());
  }
  if (ToString(basis) == words) return basis;
  basis.kind = BasisKind::kOther;
  basis.names = {std::string(words)};
  return basis;
}

Measured Exact(double value, std::string unit) {
  return {value, value, value, std::move(unit), BasisKind::kExact};
}

Measured Estimated(double value, std::string unit, Basis basis) {
  return {value, std::nullopt, std::nullopt, std::move(unit), std::move(basis)};
}

Measured Bounded(double low, double value, double high, std::string unit, Basis basis) {
  // Not std::clamp: rounding may leave low a little above high, and then the bounds take
  // precedence.
  const double clamped = std::min(std::max(value, low), std::max(low, high));
  return {clamped, low, std::max(low, high), std::move(unit), std::move(basis)};
}

}  // namespace schedlens
