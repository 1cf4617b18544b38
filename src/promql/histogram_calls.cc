// histogram_quantile, histogram_fraction and the accessors of native histograms.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/text.h"
#include "promql/bucket_groups.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "promql/victoria_buckets.h"
#include "stats/classic_quantile.h"
#include "stats/native_quantile.h"

namespace schedlens::promql {
namespace {

/// What a remark can say of the metric: 3.2 to 3.6 knew its name until the first result of the
/// group took it away; other versions show an empty name or none.
std::string_view KnownName(const Semantics& semantics, const BucketGroup& histogram, bool first) {
  const bool knows = semantics.AtLeast(3, 2) && !semantics.AtLeast(3, 7);
  return knows && first ? histogram.labels.Get(kMetricName) : std::string_view();
}

void QuantileRows(const Evaluation& evaluation, const Expr& arg, const StepVector& vector,
                  const ScalarSteps& q, StepVector* result) {
  for (const BucketGroup& histogram : GroupBuckets(evaluation, vector, arg)) {
    const std::span<double> out = result->Append(WithoutName(evaluation, histogram.labels));
    BucketsAtStep buckets(vector, histogram);
    bool first = true;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!buckets.Move(i)) continue;
      const ClassicQuantile quantile = QuantileAtStep(q[i], &buckets, evaluation.semantics);
      out[i] = quantile.value;
      if (quantile.forced_monotonic) {
        evaluation.annotations->ForcedMonotonicity(
            quantile, KnownName(evaluation.semantics, histogram, first), evaluation.steps.At(i),
            arg);
      }
      first = false;
    }
    result->DropIfEmpty();
  }
}

void FractionRows(const Evaluation& evaluation, const Call& call, const StepVector& vector,
                  const ScalarSteps& lower, const ScalarSteps& upper, StepVector* result) {
  // Before 3.4 only native histograms had a fraction; buckets gave nothing.
  if (!evaluation.semantics.AtLeast(3, 4) && !evaluation.semantics.IsVictoriaMetrics()) return;
  std::vector<Bucket> list;
  for (const BucketGroup& histogram : GroupBuckets(evaluation, vector, *call.args[2])) {
    const std::span<double> out = result->Append(WithoutName(evaluation, histogram.labels));
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

/// `value(histogram, step)` of every native histogram of the vector.
template <typename Value>
void NativeRows(const Evaluation& evaluation, const StepVector& vector, const Value& value,
                StepVector* result) {
  if (!vector.HasNatives()) return;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<double> out = result->Append(WithoutName(evaluation, vector.labels(row)));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const NativePtr native = vector.Native(row, i);
      if (native) out[i] = value(NativeHistogramOf(*native), i);
    }
    result->DropIfEmpty();
  }
}

/// From 3.5 on servers interpolate in the last bucket when the sum is NaN.
void NoteWrongBucket(const Evaluation& evaluation, const NativeQuantile& quantile,
                     const Expr& arg) {
  if (!quantile.inside || quantile.shown == quantile.correct) return;
  evaluation.annotations->Note(
      fmt::format("the sum is NaN, so the server takes the last bucket and shows {}; the quantile "
                  "lies in ({}, {}], interpolated {}",
                  FormatNumber(quantile.shown), FormatNumber(quantile.lower),
                  FormatNumber(quantile.upper), FormatNumber(quantile.correct)),
      arg);
}

/// How a label shows a quantile: always with a point or an exponent.
std::string LabelOf(double q) {
  const std::string text = FormatG(q);
  const bool plain = std::isfinite(q) && text.find_first_of("e.") == std::string::npos;
  return plain ? text + ".0" : text;
}

/// histogram_quantiles(v, "label", q...): one row a quantile and group.
StepVector Quantiles(const Evaluation& evaluation, const Call& call) {
  if (evaluation.semantics.IsVictoriaMetrics()) {
    ThrowAt(evaluation.text, call.args[0]->begin,
            "histogram_quantiles is written (\"label\", q, ..., buckets) in VictoriaMetrics, "
            "which is outside the dialect");
  }
  const StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  const std::string& label = WithoutParens(*call.args[1]).As<StringLiteral>()->value;
  StepVector result(evaluation.steps.count);
  for (std::size_t arg = 2; arg < call.args.size(); ++arg) {
    const ScalarSteps q = EvaluateScalar(evaluation, *call.args[arg]);
    for (const double each : q) {
      if (!(each >= 0 && each <= 1)) {
        evaluation.annotations->InvalidQuantile(each, *call.args[arg]);
      }
    }
    StepVector rows(evaluation.steps.count);
    // Up to 3.13 remarks pointed at the label.
    const Expr& place = *call.args[evaluation.semantics.AtLeast(3, 14) ? 0 : 1];
    QuantileRows(evaluation, place, vector, q, &rows);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const std::span<const double> values = std::as_const(rows).Row(row);
      std::copy(values.begin(), values.end(),
                result.Append(rows.labels(row).With(label, LabelOf(q[0]))).begin());
    }
  }
  return result;
}

StepVector Quantile(const Evaluation& evaluation, const Call& call) {
  if (evaluation.semantics.IsVictoriaMetrics()) return VictoriaHistogramQuantile(evaluation, call);
  if (call.args.size() > 2) {
    ThrowAt(evaluation.text, call.args[2]->begin,
            "histogram_quantile takes 2 argument(s), not 3; only VictoriaMetrics reads a third");
  }
  const ScalarSteps q = EvaluateScalar(evaluation, *call.args[0]);
  const StepVector vector = EvaluateMixed(evaluation, *call.args[1]);
  for (const double each : q) {
    if (!(each >= 0 && each <= 1)) {
      evaluation.annotations->InvalidQuantile(each, *call.args[0]);
    }
  }
  StepVector result(evaluation.steps.count);
  NativeRows(
      evaluation, vector,
      [&](const NativeHistogram& histogram, std::size_t i) {
        const NativeQuantile quantile = QuantileOfNative(q[i], histogram, evaluation.semantics);
        NoteWrongBucket(evaluation, quantile, *call.args[1]);
        return quantile.shown;
      },
      &result);
  QuantileRows(evaluation, *call.args[1], vector, q, &result);
  return result;
}

StepVector Fraction(const Evaluation& evaluation, const Call& call) {
  const ScalarSteps lower = EvaluateScalar(evaluation, *call.args[0]);
  const ScalarSteps upper = EvaluateScalar(evaluation, *call.args[1]);
  const StepVector vector = EvaluateMixed(evaluation, *call.args[2]);
  StepVector result(evaluation.steps.count);
  NativeRows(
      evaluation, vector,
      [&](const NativeHistogram& histogram, std::size_t i) {
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
      evaluation, EvaluateMixed(evaluation, *call.args[0]),
      [id, &semantics = evaluation.semantics](const NativeHistogram& histogram, std::size_t) {
        if (id == FunctionId::kHistogramCount) return histogram.count;
        if (id == FunctionId::kHistogramSum) return histogram.sum;
        if (id == FunctionId::kHistogramStdvar) return VarianceOfNative(histogram, semantics);
        if (id == FunctionId::kHistogramStddev) {
          return std::sqrt(VarianceOfNative(histogram, semantics));
        }
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
    case FunctionId::kHistogramQuantiles:
      result = Quantiles(evaluation, call);
      break;
    case FunctionId::kPrometheusBuckets:
      result = LeFromVmrange(EvaluateVector(evaluation, *call.args[0]));
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
