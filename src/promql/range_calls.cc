// Functions of a range vector: rate and its relatives, *_over_time.

#include "promql/evaluation.h"
#include "promql/parser.h"
#include "stats/range_functions.h"

namespace schedlens::promql {
namespace {

/// What is the same for all series and steps of one call.
struct RangeCall {
  const Evaluation& evaluation;
  Edges edges;
  double range_seconds = 0;
  std::vector<ScalarSteps> parameters;  // the scalar arguments
};

using StepResult = std::optional<double>;
/// What a function makes of one window, which holds a sample; nothing where it gives no result.
using StepFunction = StepResult (*)(const SampleWindow& window, const RangeCall& call,
                                    std::size_t step);

template <RateKind kKind>
StepResult RateStep(const SampleWindow& window, const RangeCall& call, std::size_t) {
  if (call.edges == Edges::kPlain) {
    return ExtrapolatedRate(window, kKind, call.evaluation.semantics, call.range_seconds);
  }
  return ExtendedRate(window, kKind, call.range_seconds, call.edges == Edges::kSmoothed,
                      call.evaluation.semantics);
}

template <bool kPerSecond>
StepResult InstantStep(const SampleWindow& window, const RangeCall&, std::size_t) {
  return InstantRate(window, kPerSecond);
}

template <StepResult (*kCount)(const SampleWindow&, bool anchored, const Semantics&)>
StepResult CountStep(const SampleWindow& window, const RangeCall& call, std::size_t) {
  return kCount(window, call.edges == Edges::kAnchored, call.evaluation.semantics);
}

/// When the value was that none after it replaces.
template <bool (*kReplaces)(double v, double best)>
StepResult TimeStep(const SampleWindow& window, const RangeCall&, std::size_t) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < window.size(); ++i) {
    if (kReplaces(window.values[i], window.values[at])) at = i;
  }
  return MsToSeconds(window.times[at]);
}

bool Never(double, double) { return false; }
bool Always(double, double) { return true; }
bool AsGreat(double v, double best) { return v >= best || std::isnan(best); }
bool AsLittle(double v, double best) { return v <= best || std::isnan(best); }

StepResult SmoothedStep(const SampleWindow& window, const RangeCall& call, std::size_t step) {
  if (window.size() < 2) return std::nullopt;
  return DoubleExponentialSmoothing(window.values, call.parameters[0][step],
                                    call.parameters[1][step]);
}

/// The slope of the line through the window, or the value that it predicts.
template <bool kPredicts>
StepResult LineStep(const SampleWindow& window, const RangeCall& call, std::size_t step) {
  const bool victoria = call.evaluation.semantics.IsVictoriaMetrics();
  if (window.size() < (victoria ? 1 : 2)) return std::nullopt;
  const TimeMs at = kPredicts || victoria ? call.evaluation.steps.At(step) : window.times.front();
  const RegressionLine line =
      LinearRegression(window.times, window.values, at, call.evaluation.semantics);
  if (!kPredicts) return line.slope;
  return Interpolate(line.intercept, line.slope, call.parameters[0][step],
                     call.evaluation.semantics.fma);
}

StepResult QuantileStep(const SampleWindow& window, const RangeCall& call, std::size_t step) {
  return QuantileOfValues(call.parameters[0][step], window.values);
}

using Values = std::span<const double>;

template <double (*kOf)(Values, const Semantics&)>
StepResult ValuesStep(const SampleWindow& window, const RangeCall& call, std::size_t) {
  return kOf(window.values, call.evaluation.semantics);
}

double CountOver(Values values, const Semantics&) { return static_cast<double>(values.size()); }
double FirstOver(Values values, const Semantics&) { return values.front(); }
double LastOver(Values values, const Semantics&) { return values.back(); }
double MaxOver(Values values, const Semantics&) { return MaxOverTime(values); }
double MinOver(Values values, const Semantics&) { return MinOverTime(values); }
double PresentOver(Values, const Semantics&) { return 1; }
double DeviationOver(Values values, const Semantics& semantics) {
  return std::sqrt(VarianceOverTime(values, semantics));
}

void FillRow(const RangeCall& call, StepFunction function, const RangeVector& range,
             const RangeSeries& series, std::span<double> row, bool* sampled_last) {
  WindowCursor cursor(call.evaluation, range, series);
  SampleWindow window;
  for (std::size_t i = 0; i < row.size(); ++i) {
    CheckBudget();
    cursor.Move(i);
    const std::size_t size = cursor.end() - cursor.first();
    *sampled_last = size > 0;
    if (size == 0) continue;
    window.times = series.times.subspan(cursor.first(), size);
    window.values = series.values.subspan(cursor.first(), size);
    window.offset = cursor.first();
    if (!series.drops.empty()) window.drops = cursor.Drops();
    window.start = cursor.start();
    window.end = cursor.stop();
    if (const StepResult result = function(window, call, i)) row[i] = *result;
  }
}

bool KeepsName(const Evaluation& evaluation, const Function& function) {
  if (function.Is({"last_over_time", "first_over_time"})) return true;
  return evaluation.semantics.IsVictoriaMetrics() &&
         function.Is({"min_over_time", "max_over_time", "avg_over_time", "quantile_over_time",
                      "predict_linear"});
}

void CheckFactors(const Evaluation& evaluation, const Call& call, const RangeCall& range_call) {
  constexpr const char* kNames[] = {"smoothing", "trend"};
  for (std::size_t i = 0; i < 2; ++i) {
    for (const double factor : range_call.parameters[i]) {
      if (!(factor <= 0 || factor >= 1)) continue;
      ThrowAt(evaluation.text, call.args[i + 1]->begin,
              fmt::format("invalid {} factor. Expected: 0 < {} < 1, got: {:f}", kNames[i],
                          i == 0 ? "sf" : "tf", factor));
    }
  }
}

/// The versions from which a range function's result is known here.
void CheckFunction(const Evaluation& evaluation, const Call& call, const RangeVector& range,
                   const Expr& arg) {
  const Function& function = *call.function;
  const auto need = [&](int major, int minor) {
    NeedNative(evaluation, major, minor, function.name, arg);
  };
  if (range.edges != Edges::kPlain) RefuseNatives(evaluation, arg);
  if (function.Is({"rate", "increase", "delta", "count_over_time", "last_over_time",
                   "present_over_time"})) {
    return need(2, 40);
  }
  if (function.Is({"resets"})) return need(2, 48);
  if (function.Is({"changes"})) return need(3, 0);
  if (function.Is({"irate", "idelta"})) return need(3, 2);
  RefuseNatives(evaluation, arg);
}

/// Puts a range function of the histograms in the window of a step into the last row of `result`;
/// without histograms there nothing changes.
void NativeRangeStep(const Evaluation& evaluation, const Call& call, const RangeVector& range,
                     const RangeSeries& series, std::size_t step, const Expr& arg,
                     StepVector* result) {
  const std::span<const NativeSample> samples = NativesInWindow(evaluation, range, series, step);
  if (samples.empty()) return;
  CheckFunction(evaluation, call, range, arg);
  const std::string_view name = call.function->name;
  const TimeMs end = range.ends[step];
  const NativeWindow window{samples, end - range.range_ms, end};
  const TimeMs from = window.start + (evaluation.left_open() ? 1 : 0);
  const auto floats =
      std::ranges::upper_bound(series.times, end) - std::ranges::lower_bound(series.times, from);
  const std::size_t row = result->rows() - 1;
  double& out = result->Row(row)[step];
  const std::string_view metric = series.labels->Get(kMetricName);
  if (name == "present_over_time") {
    out = 1;
    return;
  }
  if (name == "count_over_time") {
    out = static_cast<double>(samples.size()) + static_cast<double>(floats);
    return;
  }
  if (name == "last_over_time") {
    const auto after = std::ranges::upper_bound(series.times, end);
    if (floats > 0 && *std::prev(after) > samples.back().t) return;
    result->SetNative(row, step, MakeNative(NativeValueOf(samples.back().h)));
    return;
  }
  const bool counts = name == "resets" || name == "changes";
  if (floats > 0) {
    out = Absent();
    if (counts) RefuseNatives(evaluation, arg);
    evaluation.annotations->Warn(
        "encountered a mix of histograms and floats for metric name " + QuotePromql(metric), arg);
    return;
  }
  if (counts) {
    const auto differ = [](const NativeValue& a, const NativeValue& b) {
      return !EqualNative(a, b);
    };
    out = name == "resets" ? CountNative(window, NativeReset) : CountNative(window, differ);
    return;
  }
  if (samples.size() < 2) return;
  NativeValue value;
  NativeMix mix = NativeMix::kFits;
  if (name == "irate" || name == "idelta") {
    mix = NativeInstantRate(window, name == "irate", &value);
  } else {
    RateKind kind = RateKind::kRate;
    if (name == "increase") kind = RateKind::kIncrease;
    if (name == "delta") kind = RateKind::kDelta;
    mix = NativeRate(window, kind, DurationSeconds(range.range_ms), evaluation.semantics, &value);
  }
  if (mix == NativeMix::kFits) {
    result->SetNative(row, step, MakeNative(std::move(value)));
  } else {
    RemarkOnMix(evaluation, mix, metric, arg);
  }
}

/// By `victoria` where VictoriaMetrics has a way of its own, else by `step`.
StepVector EvaluateWindows(const Evaluation& evaluation, const Call& call, StepFunction step,
                           std::optional<VictoriaFunction> victoria) {
  const Function& function = *call.function;
  const std::vector<ValueKind>& wanted = function.arguments;
  const auto place = std::ranges::find(wanted, ValueKind::kMatrix) - wanted.begin();
  const ExprPtr& matrix = call.args[static_cast<std::size_t>(place)];
  const Expr& arg = *matrix;
  const RangeVector range = EvaluateRange(evaluation, arg);
  const double seconds = DurationSeconds(range.range_ms);
  const Semantics& semantics = evaluation.semantics;
  RangeCall row_call{evaluation, range.edges, seconds, {}};
  for (const ExprPtr& each : call.args) {
    if (each != matrix) row_call.parameters.push_back(EvaluateScalar(evaluation, *each));
  }
  if (step == SmoothedStep) CheckFactors(evaluation, call, row_call);
  // Said by the call for a series, so not without one.
  if (step == QuantileStep && !range.series.empty()) {
    evaluation.annotations->CheckQuantiles(row_call.parameters[0], *call.args[0]);
  }
  const bool counted = function.Is({"rate", "increase"});
  StepVector result(evaluation.steps.count);
  result.Reserve(range.series.size());
  for (const RangeSeries& series : range.series) {
    const bool keep = KeepsName(evaluation, function);
    const std::span<double> row =
        result.Append(keep ? *series.labels : WithoutName(evaluation, *series.labels));
    bool sampled_last = false;  // the window of the last step has samples
    if (victoria && semantics.IsVictoriaMetrics()) {
      const std::int64_t step_ms = evaluation.instant ? 0 : evaluation.steps.step_ms;
      VictoriaRollupOverSteps({*victoria, range.range_ms, step_ms}, series.times, series.values,
                              range.ends, row);
    } else {
      FillRow(row_call, step, range, series, row, &sampled_last);
    }
    // From 3.0 on only a series with a result is remarked on.
    const bool some = std::ranges::any_of(row, [](double v) { return !IsAbsent(v); });
    const std::string_view name = series.labels->Get(kMetricName);
    if (counted && (semantics.AtLeast(3, 0) ? some : sampled_last) && !name.empty() &&
        !IsCounterName(name)) {
      evaluation.annotations->Inform(
          "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: " +
              QuotePromql(name),
          arg);
    }
    for (std::size_t i = 0; !series.natives.empty() && i < row.size(); ++i) {
      CheckBudget();
      NativeRangeStep(evaluation, call, range, series, i, arg, &result);
    }
    result.DropIfEmpty();
  }
  DropNaNs(evaluation, &result);
  return JoinEqualRows(std::move(result), true);
}

template <StepFunction kStep>
StepValue Windows(const Evaluation& evaluation, const Call& call) {
  return EvaluateWindows(evaluation, call, kStep, std::nullopt);
}

template <StepFunction kStep, VictoriaFunction kVictoria>
StepValue Rollup(const Evaluation& evaluation, const Call& call) {
  return EvaluateWindows(evaluation, call, kStep, kVictoria);
}

}  // namespace

std::vector<Function> RangeFunctions() {
  using enum Function::KnownTo;
  using enum VictoriaFunction;
  constexpr ValueKind kS = ValueKind::kScalar;
  constexpr ValueKind kV = ValueKind::kVector;
  constexpr ValueKind kM = ValueKind::kMatrix;
  return {
      {"avg_over_time", {kM}, Windows<ValuesStep<AvgOverTime>>},
      {"changes", {kM}, Rollup<CountStep<CountChanges>, kChanges>},
      {"changes_prometheus", {kM}, Rollup<nullptr, kPrometheusChanges>, {}, kVictoria},
      {"count_over_time", {kM}, Windows<ValuesStep<CountOver>>},
      {"delta", {kM}, Rollup<RateStep<RateKind::kDelta>, kDelta>},
      {"delta_prometheus", {kM}, Rollup<nullptr, kPrometheusDelta>, {}, kVictoria},
      {"deriv", {kM}, Windows<LineStep<false>>},
      {"double_exponential_smoothing", {kM, kS, kS}, Windows<SmoothedStep>, {3, 0}, kPrometheus},
      {"first_over_time", {kM}, Windows<ValuesStep<FirstOver>>, {3, 7}},
      {"holt_winters", {kM, kS, kS}, Windows<SmoothedStep>, {}, kPrometheus, 0, kV, {3, 0}},
      {"idelta", {kM}, Rollup<InstantStep<false>, kIdelta>},
      {"increase", {kM}, Rollup<RateStep<RateKind::kIncrease>, kIncrease>},
      {"increase_prometheus", {kM}, Rollup<nullptr, kPrometheusIncrease>, {}, kVictoria},
      {"irate", {kM}, Rollup<InstantStep<true>, kIrate>},
      {"last_over_time", {kM}, Windows<ValuesStep<LastOver>>, {2, 26}},
      {"mad_over_time", {kM}, Windows<ValuesStep<MedianDeviation>>, {2, 49}},
      {"max_over_time", {kM}, Windows<ValuesStep<MaxOver>>},
      {"min_over_time", {kM}, Windows<ValuesStep<MinOver>>},
      {"predict_linear", {kM, kS}, Windows<LineStep<true>>},
      {"present_over_time", {kM}, Windows<ValuesStep<PresentOver>>, {2, 29}},
      {"quantile_over_time", {kS, kM}, Windows<QuantileStep>},
      {"rate", {kM}, Rollup<RateStep<RateKind::kRate>, kRate>},
      {"rate_prometheus", {kM}, Rollup<nullptr, kPrometheusRate>, {}, kVictoria},
      {"resets", {kM}, Rollup<CountStep<CountResets>, kResets>},
      {"stddev_over_time", {kM}, Windows<ValuesStep<DeviationOver>>},
      {"stdvar_over_time", {kM}, Windows<ValuesStep<VarianceOverTime>>},
      {"sum_over_time", {kM}, Windows<ValuesStep<SumOverTime>>},
      {"ts_of_first_over_time", {kM}, Windows<TimeStep<Never>>, {3, 7}, kPrometheus},
      {"ts_of_last_over_time", {kM}, Windows<TimeStep<Always>>, {3, 5}, kPrometheus},
      {"ts_of_max_over_time", {kM}, Windows<TimeStep<AsGreat>>, {3, 5}, kPrometheus},
      {"ts_of_min_over_time", {kM}, Windows<TimeStep<AsLittle>>, {3, 5}, kPrometheus},
  };
}

}  // namespace schedlens::promql
