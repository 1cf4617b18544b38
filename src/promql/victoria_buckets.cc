#include "promql/victoria_buckets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.h"
#include "promql/bucket_groups.h"

namespace schedlens::promql {
namespace {

constexpr std::string_view kRange = "vmrange";
constexpr std::string_view kVictoriaBound = "le";

/// One bucket on its own, absent values as they are.
struct RangeBucket {
  std::string start_text;
  std::string end_text;
  double start = 0;
  double end = 0;
  std::vector<double> values;
};

bool ReadRange(std::string_view text, RangeBucket* bucket) {
  constexpr std::string_view kDots = "...";
  const std::size_t dots = text.find(kDots);
  if (dots == std::string_view::npos) return false;
  bucket->start_text = text.substr(0, dots);
  bucket->end_text = text.substr(dots + kDots.size());
  const std::optional<double> start = ParseNumber(bucket->start_text);
  const std::optional<double> end = ParseNumber(bucket->end_text);
  if (!start || !end) return false;
  bucket->start = *start;
  bucket->end = *end;
  return true;
}

bool IsEmpty(const std::vector<double>& values) {
  return std::none_of(values.begin(), values.end(), [](double v) { return v > 0; });
}

/// Of two buckets with one upper edge the second fills the holes of the first, if they overlap at
/// two steps at most; with one or two steps it is left out.
void Merge(const std::vector<double>& from, std::vector<double>* into) {
  constexpr int kMostOverlaps = 2;
  int overlaps = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!IsAbsent(from[i]) && !IsAbsent((*into)[i])) ++overlaps;
  }
  if (overlaps > kMostOverlaps || from.size() <= 2) return;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!IsAbsent(from[i])) (*into)[i] = from[i];
  }
}

/// The buckets of one histogram as cumulative ones: text of the bound, and values.
std::vector<std::pair<std::string, std::vector<double>>> Cumulative(
    std::vector<RangeBucket> buckets, std::size_t steps) {
  std::stable_sort(buckets.begin(), buckets.end(),
                   [](const RangeBucket& a, const RangeBucket& b) { return a.end < b.end; });
  std::vector<std::pair<std::string, std::vector<double>>> out;
  std::map<std::string, std::size_t> place;
  double edge = 0;
  const auto add = [&](const std::string& text, std::vector<double> values) {
    place.emplace(text, out.size());
    out.emplace_back(text, std::move(values));
  };
  for (RangeBucket& bucket : buckets) {
    if (IsEmpty(bucket.values)) continue;
    if (bucket.start != edge && place.count(bucket.start_text) == 0) {
      add(bucket.start_text, std::vector<double>(steps));
    }
    const auto same = place.find(bucket.end_text);
    if (same != place.end()) {
      Merge(bucket.values, &out[same->second].second);
    } else {
      add(bucket.end_text, std::move(bucket.values));
    }
    edge = bucket.end;
  }
  if (!out.empty() && edge != std::numeric_limits<double>::infinity()) {
    add("+Inf", std::vector<double>(steps));
  }
  for (std::size_t i = 0; i < steps; ++i) {
    double count = 0;
    for (auto& [text, values] : out) {
      if (values[i] > 0) count += values[i];
      values[i] = count;
    }
  }
  return out;
}

}  // namespace

StepVector LeFromVmrange(const StepVector& vector) {
  StepVector result(vector.steps());
  std::map<Labels, std::vector<RangeBucket>> histograms;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const Labels& labels = vector.labels(row);
    const std::span<const double> values = vector.Row(row);
    if (!labels.Has(kRange)) {
      if (labels.Has(kVictoriaBound)) {
        std::copy(values.begin(), values.end(), result.Append(labels).begin());
      }
      continue;
    }
    RangeBucket bucket;
    if (!ReadRange(labels.Get(kRange), &bucket)) continue;
    bucket.values.assign(values.begin(), values.end());
    histograms[labels.Without(kVictoriaBound).Without(kRange)].push_back(std::move(bucket));
  }
  for (auto& [labels, buckets] : histograms) {
    for (const auto& [bound, values] : Cumulative(std::move(buckets), vector.steps())) {
      std::copy(values.begin(), values.end(),
                result.Append(labels.With(kVictoriaBound, bound)).begin());
    }
  }
  return result;
}

StepVector VictoriaHistogramQuantile(const Evaluation& evaluation, const Call& call) {
  const ScalarSteps q = EvaluateScalar(evaluation, *call.args[0]);
  const StepVector vector = LeFromVmrange(EvaluateVector(evaluation, *call.args[1]));
  const bool edges = call.args.size() > 2;
  const std::string edge_label =
      edges ? WithoutParens(*call.args[2]).As<StringLiteral>()->value : std::string();
  StepVector result(evaluation.steps.count);
  for (const BucketGroup& histogram : GroupBuckets(evaluation, vector, *call.args[1])) {
    BucketsAtStep buckets(vector, histogram);
    std::vector<double> values(q.size(), Absent());
    std::vector<double> lower = values;
    std::vector<double> upper = values;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!buckets.Move(i)) continue;
      const double first = buckets.counts().front();
      const ClassicQuantile quantile = QuantileAtStep(q[i], &buckets, evaluation.semantics);
      values[i] = quantile.value;
      lower[i] = quantile.lower;
      upper[i] = quantile.upper;
      if (quantile.place == ClassicQuantile::Place::kTop) {
        lower[i] = quantile.value;
      } else if (quantile.place == ClassicQuantile::Place::kNowhere) {
        // The server's own edges of no bucket: counts, not bounds.
        lower[i] = quantile.value > 0 ? quantile.total : quantile.value;
        upper[i] = quantile.value < 0 ? first : quantile.value;
        if (quantile.upper == std::numeric_limits<double>::infinity()) upper[i] = quantile.upper;
      }
    }
    std::copy(values.begin(), values.end(), result.Append(histogram.labels).begin());
    if (!edges) continue;
    std::copy(lower.begin(), lower.end(),
              result.Append(histogram.labels.With(edge_label, "lower")).begin());
    std::copy(upper.begin(), upper.end(),
              result.Append(histogram.labels.With(edge_label, "upper")).begin());
  }
  return result;
}

}  // namespace schedlens::promql
