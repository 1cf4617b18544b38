#include "promql/step_vector.h"

#include <algorithm>
#include <numeric>

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
    const std::span<double> target = joined.Row(place[first[row]]);
    const std::span<const double> source = std::as_const(vector).Row(row);
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (IsAbsent(source[i])) continue;
      if (!IsAbsent(target[i])) ThrowSameLabels();
      target[i] = source[i];
    }
  }
  return joined;
}

StepVector WithoutEmptyRows(const StepVector& vector) {
  StepVector kept(vector.steps());
  kept.Reserve(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<const double> source = vector.Row(row);
    if (std::all_of(source.begin(), source.end(), IsAbsent)) continue;
    std::copy(source.begin(), source.end(), kept.Append(vector.labels(row)).begin());
  }
  return kept;
}

}  // namespace schedlens::promql
