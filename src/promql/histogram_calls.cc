// histogram_quantile, histogram_fraction and the accessors of native histograms.

#include "base/not_finite.h"
#include "promql/evaluation.h"
#include "promql/parser.h"
#include "stats/range_functions.h"

namespace schedlens::promql {
namespace {

constexpr std::string_view kBound = "le";

/// One classic histogram: its bucket rows by ascending bound.
struct BucketGroup {
  Labels labels;  // without le; with the metric name, which keeps groups apart
  std::vector<std::pair<double, std::size_t>> buckets;  // bound, row
};

/// Groups in order of first appearance. Rows without a readable `le` are left out, with a remark at
/// `arg`, but for those of native histograms alone. VictoriaMetrics groups without the metric name.
std::vector<BucketGroup> GroupBuckets(const Evaluation& evaluation, const StepVector& vector,
                                      const Expr& arg) {
  std::vector<BucketGroup> histograms;
  std::map<Labels, std::size_t> place;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const Labels& labels = vector.labels(row);
    const std::optional<double> bound = ParseNumber(labels.Get(kBound));
    if (!bound) {
      if (std::ranges::all_of(vector.Row(row), IsAbsent)) continue;
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
    std::ranges::stable_sort(histogram.buckets, [](const auto& a, const auto& b) {
      return BoundBefore(a.first, b.first);
    });
  }
  return histograms;
}

/// The buckets that have a value at one step: sorted, equal bounds added. Storage is reused.
class BucketsAtStep {
 public:
  BucketsAtStep(const StepVector& vector, const BucketGroup& group) {
    for (const auto& [bound, row] : group.buckets) {
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
  std::vector<double> bounds_, counts_;
};

constexpr std::string_view kRange = "vmrange";

/// One bucket on its own, absent values as they are.
struct RangeBucket {
  std::string start_text, end_text;
  double start = 0, end = 0;
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
  std::ranges::stable_sort(buckets, {}, &RangeBucket::end);
  std::vector<std::pair<std::string, std::vector<double>>> out;
  std::map<std::string, std::size_t> place;
  double edge = 0;
  const auto add = [&](const std::string& text, std::vector<double> values) {
    place.emplace(text, out.size());
    out.emplace_back(text, std::move(values));
  };
  for (RangeBucket& bucket : buckets) {
    const auto counts = [](double v) { return v > 0; };
    if (std::ranges::none_of(bucket.values, counts)) continue;
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
  if (!out.empty() && edge != kInfinity) add("+Inf", std::vector<double>(steps));
  for (std::size_t i = 0; i < steps; ++i) {
    double count = 0;
    for (auto& [text, values] : out) {
      if (values[i] > 0) count += values[i];
      values[i] = count;
    }
  }
  return out;
}

/// VictoriaMetrics' own buckets, each a count between two bounds (`vmrange="1e-3...2e-3"`), as
/// cumulative `le` buckets: gaps get a bucket at their upper edge, the last bucket one at +Inf.
/// Rows with `le` only stay; rows with neither, or with an unreadable range, are left out.
StepVector LeFromVmrange(const StepVector& vector) {
  StepVector result(vector.steps());
  std::map<Labels, std::vector<RangeBucket>> histograms;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const Labels& labels = vector.labels(row);
    const std::span<const double> values = vector.Row(row);
    if (!labels.Has(kRange)) {
      if (labels.Has(kBound)) result.Append(labels, values);
      continue;
    }
    RangeBucket bucket;
    if (!ReadRange(labels.Get(kRange), &bucket)) continue;
    bucket.values.assign(values.begin(), values.end());
    histograms[labels.Without(kBound).Without(kRange)].push_back(std::move(bucket));
  }
  for (auto& [labels, buckets] : histograms) {
    for (const auto& [bound, values] : Cumulative(std::move(buckets), vector.steps())) {
      result.Append(labels.With(kBound, bound), values);
    }
  }
  return result;
}

/// VictoriaMetrics' histogram_quantile; with a third argument the edges of the bucket in two more
/// rows, told apart by the label of that name.
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
    std::vector<double> lower = values, upper = values;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!buckets.Move(i)) continue;
      const double first = buckets.counts().front();
      const ClassicQuantile quantile =
          QuantileOfSorted(q[i], buckets.bounds(), buckets.counts(), evaluation.semantics);
      values[i] = quantile.value;
      lower[i] = quantile.lower;
      upper[i] = quantile.upper;
      if (quantile.place == ClassicQuantile::Place::kTop) {
        lower[i] = quantile.value;
      } else if (quantile.place == ClassicQuantile::Place::kNowhere) {
        // The server's own edges of no bucket: counts, not bounds.
        lower[i] = quantile.value > 0 ? quantile.total : quantile.value;
        upper[i] = quantile.value < 0 ? first : quantile.value;
        if (quantile.upper == kInfinity) upper[i] = quantile.upper;
      }
    }
    result.Append(histogram.labels, values);
    if (!edges) continue;
    result.Append(histogram.labels.With(edge_label, "lower"), lower);
    result.Append(histogram.labels.With(edge_label, "upper"), upper);
  }
  return result;
}

/// `value(group, buckets, step)` of every classic histogram of the vector; the buckets are those of
/// the step.
template <typename Value>
void BucketRows(const Evaluation& evaluation, const Expr& arg, const StepVector& vector,
                const Value& value, StepVector* result) {
  for (const BucketGroup& histogram : GroupBuckets(evaluation, vector, arg)) {
    const std::span<double> out = result->Append(WithoutName(evaluation, histogram.labels));
    BucketsAtStep buckets(vector, histogram);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (buckets.Move(i)) out[i] = value(histogram, &buckets, i);
    }
    result->DropIfEmpty();
  }
}

void QuantileRows(const Evaluation& evaluation, const Expr& arg, const StepVector& vector,
                  const ScalarSteps& q, StepVector* result) {
  const BucketGroup* seen = nullptr;
  const auto quantile_of = [&](const BucketGroup& histogram, BucketsAtStep* buckets,
                               std::size_t i) {
    const ClassicQuantile quantile =
        QuantileOfSorted(q[i], buckets->bounds(), buckets->counts(), evaluation.semantics);
    const bool first = std::exchange(seen, &histogram) != &histogram;
    if (quantile.forced_monotonic) {
      // 3.2 to 3.6 knew the metric's name until the first result of the group took it away; other
      // versions show an empty name or none.
      const bool knows =
          first && evaluation.semantics.AtLeast(3, 2) && !evaluation.semantics.AtLeast(3, 7);
      evaluation.annotations->ForcedMonotonicity(
          quantile, knows ? histogram.labels.Get(kMetricName) : std::string_view(),
          evaluation.steps.At(i), arg);
    }
    return quantile.value;
  };
  BucketRows(evaluation, arg, vector, quantile_of, result);
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
    evaluation.annotations->CheckQuantiles(q, *call.args[arg]);
    StepVector rows(evaluation.steps.count);
    // Up to 3.13 remarks pointed at the label.
    const Expr& place = *call.args[evaluation.semantics.AtLeast(3, 14) ? 0 : 1];
    QuantileRows(evaluation, place, vector, q, &rows);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const std::span<const double> values = std::as_const(rows).Row(row);
      result.Append(rows.labels(row).With(label, LabelOf(q[0])), values);
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
  evaluation.annotations->CheckQuantiles(q, *call.args[0]);
  StepVector result(evaluation.steps.count);
  NativeRows(
      evaluation, vector,
      [&](const NativeHistogram& histogram, std::size_t i) {
        const NativeQuantile quantile = QuantileOfNative(q[i], histogram, evaluation.semantics);
        if (quantile.inside && quantile.shown != quantile.correct) {
          evaluation.annotations->Note(
              fmt::format("the sum is NaN, so the server takes the last bucket and shows {}; the "
                          "quantile lies in ({}, {}], interpolated {}",
                          FormatNumber(quantile.shown), FormatNumber(quantile.lower),
                          FormatNumber(quantile.upper), FormatNumber(quantile.correct)),
              *call.args[1]);
        }
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
  // Before 3.4 only native histograms had a fraction; buckets gave nothing.
  if (!evaluation.semantics.AtLeast(3, 4) && !evaluation.semantics.IsVictoriaMetrics()) {
    return result;
  }
  std::vector<Bucket> list;
  const auto fraction_of = [&](const BucketGroup&, BucketsAtStep* buckets, std::size_t i) {
    list.clear();
    for (std::size_t b = 0; b < buckets->bounds().size(); ++b) {
      list.push_back({buckets->bounds()[b], buckets->counts()[b]});
    }
    return FractionOfBuckets(lower[i], upper[i], list, evaluation.semantics);
  };
  BucketRows(evaluation, *call.args[2], vector, fraction_of, &result);
  return result;
}

template <double (*kOf)(const NativeHistogram&, const Semantics&)>
StepVector Accessor(const Evaluation& evaluation, const Call& call) {
  StepVector result(evaluation.steps.count);
  NativeRows(
      evaluation, EvaluateMixed(evaluation, *call.args[0]),
      [&](const NativeHistogram& histogram, std::size_t) {
        return kOf(histogram, evaluation.semantics);
      },
      &result);
  return result;
}

double CountOf(const NativeHistogram& histogram, const Semantics&) { return histogram.count; }
double SumOf(const NativeHistogram& histogram, const Semantics&) { return histogram.sum; }
double MeanOf(const NativeHistogram& histogram, const Semantics&) {
  return histogram.sum / histogram.count;
}
double DeviationOf(const NativeHistogram& histogram, const Semantics& semantics) {
  return std::sqrt(VarianceOfNative(histogram, semantics));
}

StepVector Buckets(const Evaluation& evaluation, const Call& call) {
  return LeFromVmrange(EvaluateVector(evaluation, *call.args[0]));
}

template <StepVector (*kFunction)(const Evaluation&, const Call&)>
StepValue OfHistograms(const Evaluation& evaluation, const Call& call) {
  StepVector result = kFunction(evaluation, call);
  DropNaNs(evaluation, &result);
  return JoinEqualRows(WithoutEmptyRows(result), false);
}

}  // namespace

std::vector<Function> HistogramFunctions() {
  using enum ValueKind;
  using enum Function::KnownTo;
  return {
      {"histogram_avg", {kVector}, OfHistograms<Accessor<MeanOf>>, {2, 51}},
      {"histogram_count", {kVector}, OfHistograms<Accessor<CountOf>>, {2, 40}, kPrometheus},
      {"histogram_fraction", {kScalar, kScalar, kVector}, OfHistograms<Fraction>, {2, 40}},
      // The third is VictoriaMetrics's.
      {"histogram_quantile", {kScalar, kVector, kString}, OfHistograms<Quantile>, {}, kAll, 1},
      {"histogram_quantiles",
       {kVector, kString, kScalar, kScalar},
       OfHistograms<Quantiles>,
       {3, 11},
       kAll,
       -1},
      {"histogram_stddev", {kVector}, OfHistograms<Accessor<DeviationOf>>, {2, 47}},
      {"histogram_stdvar", {kVector}, OfHistograms<Accessor<VarianceOfNative>>, {2, 47}},
      {"histogram_sum", {kVector}, OfHistograms<Accessor<SumOf>>, {2, 40}, kPrometheus},
      {"prometheus_buckets", {kVector}, OfHistograms<Buckets>, {}, kVictoria},
  };
}

}  // namespace schedlens::promql
