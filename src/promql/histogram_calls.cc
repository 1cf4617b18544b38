// histogram_quantile, histogram_fraction and the accessors of native histograms.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "model/text.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "stats/classic_quantile.h"
#include "stats/native_quantile.h"

namespace schedlens::promql {
namespace {

constexpr std::string_view kBound = "le";

/// One classic histogram: its bucket rows by ascending bound.
struct Histogram {
  Labels labels;  // without le; with the metric name, which keeps groups apart
  std::vector<std::pair<double, std::size_t>> buckets;  // bound, row
};

/// Groups in order of first appearance. Rows without a readable `le` are left out, with a remark.
std::vector<Histogram> GroupBuckets(const Evaluation& evaluation, const StepVector& vector,
                                    const Expr& arg) {
  std::vector<Histogram> histograms;
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
  for (Histogram& histogram : histograms) {
    std::stable_sort(histogram.buckets.begin(), histogram.buckets.end(),
                     [](const auto& a, const auto& b) { return BoundBefore(a.first, b.first); });
  }
  return histograms;
}

/// The buckets that have a value at one step: sorted, equal bounds added. Storage is reused.
class BucketsAtStep {
 public:
  BucketsAtStep(const StepVector& vector, const Histogram& histogram) {
    for (const auto& [bound, row] : histogram.buckets) {
      columns_.push_back({bound, vector.Row(row).data()});
    }
    bounds_.reserve(columns_.size());
    counts_.reserve(columns_.size());
  }

  /// False when no bucket is present.
  bool Move(std::size_t i) {
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
  std::span<const double> bounds() const { return bounds_; }
  std::span<double> counts() { return counts_; }

 private:
  struct Column {
    double bound;
    const double* values;
  };
  std::vector<Column> columns_;
  std::vector<double> bounds_;
  std::vector<double> counts_;
};

ClassicQuantile QuantileAtStep(double q, BucketsAtStep* buckets, const Semantics& semantics) {
  ClassicQuantile result;
  if (semantics.IsVictoriaMetrics()) {
    return VictoriaQuantileOfSorted(q, buckets->bounds(), buckets->counts());
  }
  if (QuantileDecidedByQ(q, semantics, &result.value)) return result;
  if (buckets->bounds().back() != std::numeric_limits<double>::infinity()) return result;
  return QuantileOfSorted(q, buckets->bounds(), buckets->counts(), semantics);
}

void QuantileRows(const Evaluation& evaluation, const Call& call, const StepVector& vector,
                  const ScalarSteps& q, StepVector* result) {
  const Expr& arg = *call.args[1];
  for (const Histogram& histogram : GroupBuckets(evaluation, vector, arg)) {
    const std::span<double> out = result->Append(histogram.labels.Without(kMetricName));
    BucketsAtStep buckets(vector, histogram);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!buckets.Move(i)) continue;
      const ClassicQuantile quantile = QuantileAtStep(q[i], &buckets, evaluation.semantics);
      out[i] = quantile.value;
      if (quantile.forced_monotonic) {
        evaluation.annotations->ForcedMonotonicity(quantile, evaluation.steps.At(i), arg);
      }
    }
    result->DropIfEmpty();
  }
}

void FractionRows(const Evaluation& evaluation, const Call& call, const StepVector& vector,
                  const ScalarSteps& lower, const ScalarSteps& upper, StepVector* result) {
  // Before 3.4 only native histograms had a fraction; buckets gave nothing.
  if (!evaluation.semantics.AtLeast(3, 4)) return;
  std::vector<Bucket> list;
  for (const Histogram& histogram : GroupBuckets(evaluation, vector, *call.args[2])) {
    const std::span<double> out = result->Append(histogram.labels.Without(kMetricName));
    BucketsAtStep buckets(vector, histogram);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!buckets.Move(i)) continue;
      list.clear();
      for (std::size_t b = 0; b < buckets.bounds().size(); ++b) {
        list.push_back({buckets.bounds()[b], buckets.counts()[b]});
      }
      out[i] = FractionOfBuckets(lower[i], upper[i], list, evaluation.semantics);
    }
    result->DropIfEmpty();
  }
}

/// The native histograms that a plain selector sees at each step, last in the lookback.
template <typename Value>
void NativeRows(const Evaluation& evaluation, const Expr& arg, const Value& value,
                StepVector* result) {
  const auto* selector = WithoutParens(arg).As<Selector>();
  if (selector == nullptr) return;  // functions of native histograms are the server's business
  for (const StoredSeries* series : evaluation.store.Select(selector->matchers)) {
    if (series->histograms.empty()) continue;
    const std::span<double> out = result->Append(series->labels.Without(kMetricName));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const TimeMs t = evaluation.Shifted(i, selector->shift);
      const auto after =
          std::upper_bound(series->histograms.begin(), series->histograms.end(), t,
                           [](TimeMs time, const NativeSample& sample) { return time < sample.t; });
      if (after == series->histograms.begin()) continue;
      const NativeSample& sample = *(after - 1);
      const TimeMs oldest = t - evaluation.lookback_ms;
      if (sample.t < oldest || (sample.t == oldest && evaluation.left_open())) continue;
      const auto shown = value(sample.h, i);
      if (shown) out[i] = *shown;
    }
    result->DropIfEmpty();
  }
}

StepVector Quantile(const Evaluation& evaluation, const Call& call) {
  const ScalarSteps q = EvaluateScalar(evaluation, *call.args[0]);
  const StepVector vector = EvaluateVector(evaluation, *call.args[1]);
  for (const double each : q) {
    if (!(each >= 0 && each <= 1)) {
      evaluation.annotations->InvalidQuantile(each, *call.args[0]);
    }
  }
  StepVector result(evaluation.steps.count);
  NativeRows(
      evaluation, *call.args[1],
      [&](const NativeHistogram& histogram, std::size_t i) -> std::optional<double> {
        return QuantileOfNative(q[i], histogram, evaluation.semantics).shown;
      },
      &result);
  QuantileRows(evaluation, call, vector, q, &result);
  return result;
}

StepVector Fraction(const Evaluation& evaluation, const Call& call) {
  const ScalarSteps lower = EvaluateScalar(evaluation, *call.args[0]);
  const ScalarSteps upper = EvaluateScalar(evaluation, *call.args[1]);
  const StepVector vector = EvaluateVector(evaluation, *call.args[2]);
  StepVector result(evaluation.steps.count);
  NativeRows(
      evaluation, *call.args[2],
      [&](const NativeHistogram& histogram, std::size_t i) -> std::optional<double> {
        return FractionOfNative(lower[i], upper[i], histogram, evaluation.semantics);
      },
      &result);
  FractionRows(evaluation, call, vector, lower, upper, &result);
  return result;
}

StepVector Accessor(const Evaluation& evaluation, const Call& call) {
  StepVector result(evaluation.steps.count);
  const FunctionId id = call.function->id;
  NativeRows(
      evaluation, *call.args[0],
      [id](const NativeHistogram& histogram, std::size_t) -> std::optional<double> {
        if (id == FunctionId::kHistogramCount) return histogram.count;
        if (id == FunctionId::kHistogramSum) return histogram.sum;
        return histogram.sum / histogram.count;
      },
      &result);
  return result;
}

}  // namespace

StepVector EvaluateHistogramCall(const Evaluation& evaluation, const Call& call) {
  StepVector result(evaluation.steps.count);
  switch (call.function->id) {
    case FunctionId::kHistogramQuantile:
      result = Quantile(evaluation, call);
      break;
    case FunctionId::kHistogramFraction:
      result = Fraction(evaluation, call);
      break;
    default:
      result = Accessor(evaluation, call);
      break;
  }
  DropNaNs(evaluation, &result);
  return JoinEqualRows(WithoutEmptyRows(result), false);
}

}  // namespace schedlens::promql
