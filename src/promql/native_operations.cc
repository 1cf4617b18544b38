#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "stats/native_value.h"

namespace schedlens::promql {
namespace {

NativePtr Keep(NativeValue value) { return std::make_shared<NativeValue>(std::move(value)); }

/// Mismatched custom bounds from 3.8 on, and what no answer of a server shows.
void RefuseMix(const Evaluation& evaluation, NativeMix mix, const Expr& at) {
  if (mix == NativeMix::kUnclear) {
    ThrowAt(evaluation.text, at.begin,
            "a native histogram shows only buckets cut by its zero bucket, so its schema is "
            "unknown; ask its server");
  }
  if (mix == NativeMix::kBounds && evaluation.semantics.AtLeast(3, 8)) {
    ThrowAt(evaluation.text, at.begin,
            "from 3.8 on servers bring differing custom bounds together, but their answers do not "
            "show all bounds; ask the server");
  }
}

/// Remarks of aggregations and range functions on histograms that do not fit together.
void RemarkOnMix(const Evaluation& evaluation, NativeMix mix, std::string_view metric,
                 const Expr& at) {
  RefuseMix(evaluation, mix, at);
  if (mix != NativeMix::kSchemas && mix != NativeMix::kBounds) return;
  const char* what = mix == NativeMix::kSchemas
                         ? "a mix of histograms with exponential and custom buckets schemas"
                         : "histograms with incompatible custom buckets";
  evaluation.annotations->Warn(
      fmt::format("vector contains {} for metric name {}", what, QuotePromql(metric)), at);
}

NativeResult OfTwo(const Evaluation& evaluation, const Binary& binary, const Operand& lhs,
                   const Operand& rhs, const Expr& expr) {
  const BinaryOp op = binary.op;
  if (op == BinaryOp::kEqual || op == BinaryOp::kNotEqual) {
    NeedNative(evaluation, 3, 0, "comparison", expr);
    const bool holds = EqualNative(*lhs.native, *rhs.native) == (op == BinaryOp::kEqual);
    if (binary.return_bool) return {true, {holds ? 1.0 : 0.0, nullptr}};
    return {holds, lhs};
  }
  const bool add = op == BinaryOp::kAdd;
  NeedNative(evaluation, 2, add ? 40 : 48, add ? "addition" : "subtraction", expr);
  NativeValue value = *lhs.native;
  const NativeMix mix = AddNative(&value, *rhs.native, add ? 1 : -1);
  if (mix == NativeMix::kFits) return {true, {0, Keep(std::move(value))}};
  RefuseMix(evaluation, mix, expr);
  // Up to 2.55 the words are those of an aggregation, with a name that is not known here.
  NeedNative(evaluation, 3, 0, "addition of different layouts", expr);
  evaluation.annotations->Warn(
      fmt::format("incompatible bucket layout encountered for binary operator {}", ToString(op)),
      expr);
  return {};
}

/// The versions from which a range function's result is known here.
void CheckFunction(const Evaluation& evaluation, const Call& call, const RangeVector& range,
                   const Expr& arg) {
  const Function& function = *call.function;
  const auto need = [&](int major, int minor) {
    NeedNative(evaluation, major, minor, function.name, arg);
  };
  if (range.edges != Edges::kPlain) RefuseNatives(evaluation, arg);
  if (function.Is({"rate", "increase", "delta", "count_over_time", "present_over_time"})) {
    return need(2, 40);
  }
  if (function.Is({"resets"})) return need(2, 48);
  if (function.Is({"changes"})) return need(3, 0);
  if (function.Is({"irate", "idelta"})) return need(3, 2);
  RefuseNatives(evaluation, arg);
}

}  // namespace

void RefuseNatives(const Evaluation& evaluation, const Expr& at) {
  ThrowAt(evaluation.text, at.begin,
          "native histograms are evaluated here only as themselves, in histogram_*(), rate() and "
          "its relatives, sum, avg, count and group, and by + - * / == !=; ask their server");
}

void NeedNative(const Evaluation& evaluation, int major, int minor, std::string_view operation,
                const Expr& at) {
  const Semantics& semantics = evaluation.semantics;
  if (!semantics.IsVictoriaMetrics() && semantics.AtLeast(major, minor)) return;
  ThrowAt(evaluation.text, at.begin,
          fmt::format("{} of native histograms is known here for --semantics {}.{} and newer, not "
                      "for {}; ask their server",
                      operation, major, minor, schedlens::ToString(semantics)));
}

void ScaleNatives(double factor, StepVector* vector) {
  for (std::size_t row = 0; row < vector->rows(); ++row) {
    for (std::size_t i = 0; i < vector->steps(); ++i) {
      const NativePtr native = vector->Native(row, i);
      if (!native) continue;
      NativeValue value = *native;
      MultiplyNative(&value, factor);
      vector->SetNative(row, i, Keep(std::move(value)));
    }
  }
}

NativeResult ApplyNative(const Evaluation& evaluation, const Binary& binary, const Operand& lhs,
                         const Operand& rhs, const Expr& expr) {
  const BinaryOp op = binary.op;
  const bool both = lhs.native && rhs.native;
  if (both && (op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kEqual ||
               op == BinaryOp::kNotEqual)) {
    return OfTwo(evaluation, binary, lhs, rhs, expr);
  }
  if (!both && (op == BinaryOp::kMul || (op == BinaryOp::kDiv && lhs.native))) {
    NeedNative(evaluation, 2, 48, "scaling", expr);
    NativeValue value = lhs.native ? *lhs.native : *rhs.native;
    const double number = lhs.native ? rhs.value : lhs.value;
    if (op == BinaryOp::kMul) {
      MultiplyNative(&value, number);
    } else {
      if (number == 0) NeedNative(evaluation, 3, 0, "division by zero", expr);
      DivideNative(&value, number);
    }
    return {true, {0, Keep(std::move(value))}};
  }
  NeedNative(evaluation, 3, 1, fmt::format("operator {}", ToString(op)), expr);
  const auto kind = [](const Operand& side) { return side.native ? "histogram" : "float"; };
  evaluation.annotations->Inform(
      fmt::format("incompatible sample types encountered for binary operator \"{}\": {} {} {}",
                  ToString(op), kind(lhs), ToString(op), kind(rhs)),
      expr);
  return {};
}

NativePtr FoldNatives(const Evaluation& evaluation, const Aggregation& aggregation,
                      std::span<const NativePtr> group, std::size_t floats,
                      std::string_view metric) {
  const Expr& at = *aggregation.expr;
  const Semantics& semantics = evaluation.semantics;
  const bool average = aggregation.op == AggregateOp::kAvg;
  NeedNative(evaluation, 2, average ? 48 : 40, average ? "avg" : "sum", at);
  if (floats > 0) {
    // Up to 2.49 the words named a metric, which an aggregation has none of.
    evaluation.annotations->Warn(semantics.AtLeast(2, 50)
                                     ? "encountered a mix of histograms and floats for aggregation"
                                     : "encountered a mix of histograms and floats for metric name "
                                       "\"\"",
                                 at);
    return nullptr;
  }
  // Compensated sums came with 3.10, and with them an average that divides once.
  const bool compensated = semantics.AtLeast(3, 10);
  NativeSum sum(compensated);
  NativeValue mean = *group.front();
  NativeMix mix = NativeMix::kFits;
  double number = 0;
  for (const NativePtr& each : group) {
    ++number;
    if (!average || compensated) {
      mix = sum.Add(*each);
    } else if (number > 1) {
      NativeValue change = *each;
      NativeValue share = mean;
      DivideNative(&change, number);
      DivideNative(&share, number);
      mix = AddNative(&change, share, -1);
      if (mix == NativeMix::kFits) mix = AddNative(&mean, change, 1);
    }
    if (mix == NativeMix::kFits) continue;
    RemarkOnMix(evaluation, mix, metric, at);
    return nullptr;
  }
  if (!average) return Keep(sum.Result());
  if (!compensated) return Keep(std::move(mean));
  NativeValue result = sum.Result();
  DivideNative(&result, number);
  return Keep(std::move(result));
}

std::span<const NativeSample> NativesInWindow(const Evaluation& evaluation,
                                              const RangeVector& range, const RangeSeries& series,
                                              std::size_t step) {
  const TimeMs end = range.ends[step];
  const TimeMs from = end - range.range_ms + (evaluation.left_open() ? 1 : 0);
  const auto earlier = [](const NativeSample& sample, TimeMs time) { return sample.t < time; };
  const auto first = std::lower_bound(series.natives.begin(), series.natives.end(), from, earlier);
  const auto last = std::lower_bound(first, series.natives.end(), end + 1, earlier);
  return {first, last};
}

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
  const auto floats = std::upper_bound(series.times.begin(), series.times.end(), end) -
                      std::lower_bound(series.times.begin(), series.times.end(), from);
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
    result->SetNative(row, step, Keep(std::move(value)));
  } else {
    RemarkOnMix(evaluation, mix, metric, arg);
  }
}

}  // namespace schedlens::promql
