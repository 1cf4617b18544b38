// The public entrance: one histogram by itself, as numbers from anywhere.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "messages/catalog.h"
#include "schedlens/estimate.h"
#include "stats/estimate.h"
#include "stats/proven_interval.h"
#include "stats/sampling.h"

namespace schedlens {
namespace {

/// One cell without scrapes: everything is one interval.
ScrapeIncreases CellOf(std::span<const Bucket> buckets, std::optional<double> sum,
                       std::vector<Message>* reasons) {
  std::map<double, double> merged;
  for (const Bucket& bucket : buckets) {
    if (std::isnan(bucket.upper)) {
      reasons->emplace_back("reason.bad_bound");
      continue;
    }
    merged[bucket.upper] += bucket.count;
  }
  ScrapeIncreases cell;
  double upto = 0;
  bool fell = false;
  for (const auto& [bound, count] : merged) {
    fell = fell || count < upto;
    cell.bounds.push_back(bound);
    // NaN must stay visible: the count is unknown, not zero.
    cell.buckets.push_back(std::isnan(count) ? count : std::max(0.0, count - upto));
    upto = std::isnan(count) ? upto : std::max(upto, count);
  }
  if (fell) {
    reasons->emplace_back("reason.raised");
  }
  cell.edges = {0, 1};
  cell.sums = {sum.value_or(std::numeric_limits<double>::quiet_NaN())};
  cell.reset = {fell};
  return cell;
}

}  // namespace

QuantileWorth WorthOfQuantile(std::span<const Bucket> buckets, std::optional<double> sum,
                              double q) {
  QuantileWorth out;
  std::vector<Message> reasons;
  const ScrapeIncreases cell = CellOf(buckets, sum, &reasons);
  const std::span<const ScrapeIncreases> children(&cell, 1);
  const ProvenQuantile proven = ProveQuantile(children, q);
  out.observations = proven.observations;
  out.rank = proven.rank;
  out.bucket = proven.proof.bucket;
  out.in_bucket = proven.proof.in_bucket;
  out.interval = proven.proof.interval;
  if (!proven.basis.empty())
    out.basis = proven.proof.narrowed ? BasisKind::kSum : BasisKind::kBuckets;
  out.estimate = EstimateQuantile(children, proven, q);
  out.estimate.basis = out.basis;
  if (!proven.basis.empty()) out.sampling = SamplingInterval(children, q);
  // The reasons of a recording speak of scrapes; here only those about the numbers are true.
  for (const Message& reason : proven.reasons) {
    if (reason.id != "reason.buckets_only") reasons.push_back(reason);
  }
  out.reasons = InEnglish(reasons);
  return out;
}

}  // namespace schedlens
