// Measured numbers, and what they rest on.

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedlens/estimate.h"

namespace schedlens {
namespace {

constexpr std::string_view kAnd = " and ";

struct Words {
  BasisKind kind;
  std::string_view words;
};

/// The spelling of every rule.
constexpr Words kWords[] = {
    {BasisKind::kNone, ""},
    {BasisKind::kExact, "exact"},
    {BasisKind::kBuckets, "buckets"},
    {BasisKind::kSum, "sum"},
    {BasisKind::kScrapeSums, "per-scrape sums"},
    {BasisKind::kSums, "sums"},
    {BasisKind::kEdges, "sums, attempts at the edges allowed for"},
    {BasisKind::kSumDifference, "difference of sums"},
    {BasisKind::kExtensionPoints, "its extension points"},
    {BasisKind::kRateLimiter, "rate limiter sums"},
    {BasisKind::kCountsOverThreshold, "counts over the threshold"},
    {BasisKind::kBaseline, "against the baseline"},
    {BasisKind::kMoreObservations, "more observations"},
    {BasisKind::kCostlierObservations, "costlier observations"},
    {BasisKind::kAnyPairing, "proven, any pairing"},
    {BasisKind::kReconstruction, "proven, any pairing; value by reconstruction"},
    {BasisKind::kSampledCycles, "sampled cycles"},
    {BasisKind::kLossySample, "lossy sample"},
    {BasisKind::kLoopStages, "algorithm, PostFilter, Reserve, Permit: seconds a second"},
    {BasisKind::kPodAttempts, "pod_scheduling_attempts"},
    {BasisKind::kPodLessAttempt, "pod_scheduling - e2e{scheduled}"},
    {BasisKind::kMeanOfScrapes, "mean of the scrapes"},
    {BasisKind::kGrowth, "growth"},
    {BasisKind::kNeighbours, "neighbours' sums between their scrapes"},
    {BasisKind::kReplays, "replays over seeds, chance of as many attempts, error of the fit"},
};

}  // namespace

std::string ToString(const Basis& basis) {
  const auto row = std::find_if(std::begin(kWords), std::end(kWords),
                                [&](const Words& one) { return one.kind == basis.kind; });
  std::string text(row == std::end(kWords) ? std::string_view() : row->words);
  for (const std::string& name : basis.names) {
    if (!text.empty()) text += kAnd;
    text += name;
  }
  return text;
}

Basis ParseBasis(std::string_view words) {
  std::string_view rest = words;
  const std::string_view rule = rest.substr(0, rest.find(kAnd));
  const auto row = std::find_if(std::begin(kWords), std::end(kWords),
                                [&](const Words& one) { return one.words == rule; });
  Basis basis(row == std::end(kWords) ? BasisKind::kOther : row->kind);
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
