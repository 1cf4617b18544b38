#include "promql/bucket_groups.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "model/text.h"
#include "stats/classic_quantile.h"

namespace schedlens::promql {
namespace {

constexpr std::string_view kBound = "le";

}  // namespace

std::vector<BucketGroup> GroupBuckets(const Evaluation& evaluation, const StepVector& vector,
                                      const Expr& arg) {
  std::vector<BucketGroup> histograms;
  std::map<Labels, std::size_t> place;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const Labels& labels = vector.labels(row);
    const std::optional<double> bound = ParseNumber(labels.Get(kBound));
    if (!bound) {
      evaluation.annotations->BadBucketLabel(labels.Get(kMetricName), labels.Get(kBound), arg);
      continue;
    }
    Labels key = labels.Without(kBound);
    if (evaluation.semantics.IsVictoriaMetrics()) key = key.Without(kMetricName);
    const auto [entry, added] = place.try_emplace(key, histograms.size());
    if (added) histograms.push_back({std::move(key), {}});
    histograms[entry->second].buckets.emplace_back(*bound, row);
  }
  for (BucketGroup& histogram : histograms) {
    std::stable_sort(histogram.buckets.begin(), histogram.buckets.end(),
                     [](const auto& a, const auto& b) { return BoundBefore(a.first, b.first); });
  }
  return histograms;
}

BucketsAtStep::BucketsAtStep(const StepVector& vector, const BucketGroup& group) {
  for (const auto& [bound, row] : group.buckets) {
    columns_.push_back({bound, vector.Row(row).data()});
  }
  bounds_.reserve(columns_.size());
  counts_.reserve(columns_.size());
}

bool BucketsAtStep::Move(std::size_t i) {
  bounds_.clear();
  counts_.clear();
  for (const Column& column : columns_) {
    const double count = column.values[i];
    if (IsAbsent(count)) continue;
    if (!bounds_.empty() && bounds_.back() == column.bound) {
      counts_.back() += count;
    } else {
      bounds_.push_back(column.bound);
      counts_.push_back(count);
    }
  }
  return !bounds_.empty();
}

ClassicQuantile QuantileAtStep(double q, BucketsAtStep* buckets, const Semantics& semantics) {
  ClassicQuantile result;
  if (semantics.IsVictoriaMetrics()) {
    return VictoriaQuantileOfSorted(q, buckets->bounds(), buckets->counts(), semantics);
  }
  if (QuantileDecidedByQ(q, semantics, &result.value)) return result;
  if (buckets->bounds().back() != std::numeric_limits<double>::infinity()) return result;
  return QuantileOfSorted(q, buckets->bounds(), buckets->counts(), semantics);
}

}  // namespace schedlens::promql
