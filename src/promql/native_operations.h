#ifndef SCHEDLENS_PROMQL_NATIVE_OPERATIONS_H_
#define SCHEDLENS_PROMQL_NATIVE_OPERATIONS_H_

// What operators, aggregations and range functions do with native histograms, by server version. A
// version whose rule is not known here refuses in one line.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "promql/evaluation.h"
#include "stats/native_value.h"

namespace schedlens::promql {

/// Throws Error(kUsage): `at` gives native histograms where only floats are evaluated here.
[[noreturn]] void RefuseNatives(const Evaluation& evaluation, const Expr& at);

/// First version whose servers do an operation with native histograms as written here.
struct NativeSince {
  int major = 2;
  int minor = 40;
};

/// Throws Error(kUsage) unless the server is that version or newer.
void NeedNative(const Evaluation& evaluation, NativeSince since, std::string_view operation,
                const Expr& at);

/// Multiplies every histogram of the vector.
void ScaleNatives(double factor, StepVector* vector);

/// An operand: a float, or a histogram when `native` is not null.
struct Operand {
  double value = 0;
  NativePtr native;
};

/// Result of a binary operator of which at least one side is a histogram.
struct NativeResult {
  bool keep = false;  ///< false: no element
  Operand value;      ///< of a filter, the left side
};
NativeResult ApplyNative(const Evaluation& evaluation, const Binary& binary, const Operand& lhs,
                         const Operand& rhs, const Expr& expr);

/// sum and avg of the histograms in `group`, of which `floats` floats are more; remarks are added.
/// Null: no element.
NativePtr FoldNatives(const Evaluation& evaluation, const Aggregation& aggregation,
                      std::span<const NativePtr> group, std::size_t floats,
                      std::string_view metric);

/// The histograms of a series inside the window of a step.
std::span<const NativeSample> NativesInWindow(const Evaluation& evaluation,
                                              const RangeVector& range, const RangeSeries& series,
                                              std::size_t step);

/// Puts a range function of the histograms in the window of a step into the last row of `result`;
/// without histograms there nothing changes.
void NativeRangeStep(const Evaluation& evaluation, const Call& call, const RangeVector& range,
                     const RangeSeries& series, std::size_t step, const Expr& arg,
                     StepVector* result);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_NATIVE_OPERATIONS_H_
