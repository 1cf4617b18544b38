#include <algorithm>
#include <numeric>

#include "promql/evaluation.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

/// For each row the first row with the same labels; true when some row is not its own first.
bool FirstEqualRows(const StepVector& vector, std::vector<std::size_t>* first) {
  std::vector<std::size_t> order(vector.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return vector.labels(a) < vector.labels(b);
  });
  first->resize(vector.rows());
  bool repeated = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && vector.labels(order[i]) == vector.labels(order[i - 1]);
    (*first)[order[i]] = same ? (*first)[order[i - 1]] : order[i];
    repeated = repeated || same;
  }
  return repeated;
}

[[noreturn]] void ThrowSameLabels() {
  throw Error(ErrorKind::kFailed, "vector cannot contain metrics with the same labelset");
}

}  // namespace

bool StepVector::Empty(std::size_t row) const {
  const std::span<const double> values = Row(row);
  if (!std::all_of(values.begin(), values.end(), IsAbsent)) return false;
  const auto first = natives_.lower_bound(row * steps_);
  return first == natives_.end() || first->first >= (row + 1) * steps_;
}

void StepVector::SetNative(std::size_t row, std::size_t i, NativePtr native) {
  if (native == nullptr) {
    natives_.erase(row * steps_ + i);
    return;
  }
  Row(row)[i] = Absent();
  natives_[row * steps_ + i] = std::move(native);
}

void StepVector::CopyRow(const StepVector& from, std::size_t from_row, std::size_t row) {
  const std::span<const double> values = from.Row(from_row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!IsAbsent(values[i])) Row(row)[i] = values[i];
    if (NativePtr native = from.Native(from_row, i)) SetNative(row, i, std::move(native));
  }
}

StepVector JoinEqualRows(StepVector vector, bool strict) {
  std::vector<std::size_t> first;
  if (!FirstEqualRows(vector, &first)) return vector;
  if (strict) ThrowSameLabels();
  StepVector joined(vector.steps());
  std::vector<std::size_t> place(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    if (first[row] == row) {
      place[row] = joined.rows();
      joined.Append(vector.labels(row));
    }
    const std::size_t target = place[first[row]];
    for (std::size_t i = 0; i < vector.steps(); ++i) {
      if (vector.Has(row, i) && joined.Has(target, i)) ThrowSameLabels();
    }
    joined.CopyRow(vector, row, target);
  }
  return joined;
}

StepVector WithoutEmptyRows(const StepVector& vector) {
  StepVector kept(vector.steps());
  kept.Reserve(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    if (vector.Empty(row)) continue;
    kept.Append(vector.labels(row));
    kept.CopyRow(vector, row, kept.rows() - 1);
  }
  return kept;
}

}  // namespace schedlens::promql
