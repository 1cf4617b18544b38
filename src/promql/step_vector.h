#ifndef SCHEDLENS_PROMQL_STEP_VECTOR_H_
#define SCHEDLENS_PROMQL_STEP_VECTOR_H_

// Instant vectors at all steps of a query at once: one row of values a label set.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "contract/series.h"
#include "model/work_budget.h"
#include "stats/native_value.h"

namespace schedlens::promql {

/// "No value at this step": the stale marker's bits. It is a signalling NaN, which no arithmetic
/// can produce and which selectors never let through.
inline constexpr std::uint64_t kAbsentBits = 0x7ff0000000000002ULL;
inline double Absent() { return std::bit_cast<double>(kAbsentBits); }
inline bool IsAbsent(double v) { return std::bit_cast<std::uint64_t>(v) == kAbsentBits; }

/// Evaluation times start, start + step, ...
struct Steps {
  TimeMs start = 0;
  std::int64_t step_ms = 1;
  std::size_t count = 1;
  TimeMs At(std::size_t i) const { return start + static_cast<TimeMs>(i) * step_ms; }
};

using NativePtr = std::shared_ptr<const NativeValue>;

/// Rows of `steps` values; where a value is absent a native histogram can stand. Every row has a
/// value somewhere. The order of rows is the order in which a server would list them at an instant.
class StepVector {
 public:
  explicit StepVector(std::size_t steps) : steps_(steps) {}

  std::size_t steps() const { return steps_; }
  std::size_t rows() const { return labels_.size(); }
  const Labels& labels(std::size_t row) const { return labels_[row]; }
  void set_labels(std::size_t row, Labels labels) { labels_[row] = std::move(labels); }
  std::span<const double> Row(std::size_t row) const {
    return {values_.data() + row * steps_, steps_};
  }
  std::span<double> Row(std::size_t row) { return {values_.data() + row * steps_, steps_}; }

  /// Appends a row without values; call DropIfEmpty when it is filled.
  std::span<double> Append(Labels labels) {
    CheckBudget();
    labels_.push_back(std::move(labels));
    values_.resize(values_.size() + steps_, Absent());
    return Row(rows() - 1);
  }
  void Append(Labels labels, std::span<const double> values) {
    std::copy(values.begin(), values.end(), Append(std::move(labels)).begin());
  }
  /// Removes the last row when it has neither value nor histogram at any step.
  void DropIfEmpty() {
    if (!Empty(rows() - 1)) return;
    labels_.pop_back();
    values_.resize(labels_.size() * steps_);
  }
  bool Empty(std::size_t row) const;

  /// The histogram of a row at a step; null when there is none.
  NativePtr Native(std::size_t row, std::size_t i) const {
    if (natives_.empty()) return nullptr;
    const auto found = natives_.find(row * steps_ + i);
    return found == natives_.end() ? nullptr : found->second;
  }
  /// Puts a histogram in the place of a value; null takes one away.
  void SetNative(std::size_t row, std::size_t i, NativePtr native);
  bool HasNatives() const { return !natives_.empty(); }
  bool Has(std::size_t row, std::size_t i) const {
    return !IsAbsent(Row(row)[i]) || Native(row, i) != nullptr;
  }
  /// Values and histograms of another vector's row, over what `row` has.
  void CopyRow(const StepVector& from, std::size_t from_row, std::size_t row);
  void Reserve(std::size_t rows) {
    AskMemory(sizeof(double) * static_cast<double>(rows) * static_cast<double>(steps_),
              "a query of many series at many steps");
    labels_.reserve(rows);
    values_.reserve(rows * steps_);
  }

 private:
  std::size_t steps_;
  std::vector<Labels> labels_;
  std::vector<double> values_;
  std::map<std::size_t, NativePtr> natives_;  // by row * steps + step
};

/// Joins rows of equal labels that never have a value at the same step, first row first. Throws
/// Error(kFailed), worded as the server's, when two do (or, with `strict`, when two rows are
/// equal).
StepVector JoinEqualRows(StepVector vector, bool strict);

/// Rows without a value are taken out; the others stay in order.
StepVector WithoutEmptyRows(const StepVector& vector);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_STEP_VECTOR_H_
