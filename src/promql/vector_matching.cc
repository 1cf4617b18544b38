#include "promql/vector_matching.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "promql/binary_operators.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// What two series must share to belong together.
Labels MatchLabels(const Labels& labels, const VectorMatching& matching) {
  if (matching.on) return labels.Only(matching.labels);
  std::vector<std::string> dropped = matching.labels;
  dropped.emplace_back(kMetricName);
  return labels.Without(dropped);
}

/// Match groups of both sides, numbered together.
struct Groups {
  std::vector<std::size_t> lhs;  // group of each row
  std::vector<std::size_t> rhs;
  std::size_t count = 0;
};

Groups NumberGroups(const StepVector& lhs, const StepVector& rhs, const VectorMatching& matching) {
  Groups groups;
  std::map<Labels, std::size_t> numbers;
  const auto number = [&](const StepVector& side, std::vector<std::size_t>* out) {
    for (std::size_t row = 0; row < side.rows(); ++row) {
      out->push_back(numbers.try_emplace(MatchLabels(side.labels(row), matching), numbers.size())
                         .first->second);
    }
  };
  number(lhs, &groups.lhs);
  number(rhs, &groups.rhs);
  groups.count = numbers.size();
  return groups;
}

/// `{a="b"}` as error texts show label sets.
std::string Show(const Labels& labels) {
  return labels.Has(kMetricName) || !labels.empty() ? labels.ToString() : "{}";
}

class VectorMatch {
 public:
  VectorMatch(const Semantics& semantics, const Binary& binary, const StepVector& lhs,
              const StepVector& rhs)
      : semantics_(semantics),
        binary_(binary),
        swapped_(binary.matching.side == VectorMatching::Side::kOneToMany),
        many_(swapped_ ? rhs : lhs),
        one_(swapped_ ? lhs : rhs),
        groups_(NumberGroups(many_, one_, binary.matching)),
        result_(lhs.steps()) {}

  StepVector Run() {
    std::vector<std::size_t> one_of(groups_.count);
    for (std::size_t i = 0; i < many_.steps(); ++i) {
      FindOnes(i, &one_of);
      MatchStep(i, one_of);
    }
    return WithoutEmptyRows(result_);
  }

 private:
  bool one_to_one() const { return binary_.matching.side == VectorMatching::Side::kOneToOne; }

  /// The row of the "one" side of each group at step i.
  void FindOnes(std::size_t i, std::vector<std::size_t>* one_of) const {
    std::fill(one_of->begin(), one_of->end(), kNone);
    for (std::size_t row = 0; row < one_.rows(); ++row) {
      if (IsAbsent(one_.Row(row)[i])) continue;
      std::size_t& place = (*one_of)[groups_.rhs[row]];
      if (place != kNone) ThrowDuplicate(row, place);
      place = row;
    }
  }

  [[noreturn]] void ThrowDuplicate(std::size_t row, std::size_t before) const {
    throw Error(ErrorKind::kFailed,
                fmt::format("found duplicate series for the match group {} on the {} hand-side of "
                            "the operation: [{}, {}];many-to-many matching not allowed: matching "
                            "labels must be unique on one side",
                            Show(MatchLabels(one_.labels(row), binary_.matching)),
                            swapped_ ? "left" : "right", Show(one_.labels(row)),
                            Show(one_.labels(before))));
  }

  void MatchStep(std::size_t i, const std::vector<std::size_t>& one_of) {
    std::vector<bool> matched(one_to_one() ? groups_.count : 0);
    for (std::size_t row = 0; row < many_.rows(); ++row) {
      const double many_value = many_.Row(row)[i];
      if (IsAbsent(many_value)) continue;
      const std::size_t group = groups_.lhs[row];
      const std::size_t one = one_of[group];
      if (one == kNone) continue;
      const double one_value = one_.Row(one)[i];
      const double left = swapped_ ? one_value : many_value;
      const double right = swapped_ ? many_value : one_value;
      double value = ApplyBinary(binary_.op, left, right);
      bool keep = true;
      if (IsComparison(binary_.op) && !binary_.return_bool) {
        keep = value != 0;
        value = left;
      }
      // From 3.9 on what a filter drops counts as a match too.
      if (!keep && !semantics_.AtLeast(3, 9)) continue;
      if (one_to_one() && matched[group]) {
        throw Error(ErrorKind::kFailed,
                    "multiple matches for labels: many-to-one matching must be explicit "
                    "(group_left/group_right)");
      }
      if (one_to_one()) matched[group] = true;
      const std::size_t result_row = ResultRow(row, one);
      if (!one_to_one() && std::exchange(taken_[result_row], i + 1) == i + 1) {
        throw Error(ErrorKind::kFailed,
                    "multiple matches for labels: grouping labels must ensure unique matches");
      }
      if (!keep) continue;
      double& target = result_.Row(result_row)[i];
      if (!IsAbsent(target)) {
        throw Error(ErrorKind::kFailed, "vector cannot contain metrics with the same labelset");
      }
      target = value;
    }
  }

  std::size_t ResultRow(std::size_t many, std::size_t one) {
    const auto [pair, added] = pairs_.try_emplace({many, one}, kNone);
    if (!added) return pair->second;
    Labels labels = ResultLabels(many_.labels(many), one_.labels(one));
    const auto [place, new_labels] = rows_.try_emplace(labels, result_.rows());
    if (new_labels) {
      result_.Append(std::move(labels));
      taken_.push_back(0);
    }
    pair->second = place->second;
    return pair->second;
  }

  Labels ResultLabels(const Labels& many, const Labels& one) const {
    const VectorMatching& matching = binary_.matching;
    // 2.20 kept the name beside `bool`.
    const bool drops_name =
        !IsComparison(binary_.op) ||
        (binary_.return_bool && (semantics_.AtLeast(2, 21) || semantics_.IsVictoriaMetrics()));
    Labels labels = drops_name ? many.Without(kMetricName) : many;
    if (one_to_one()) {
      return matching.on ? labels.Only(matching.labels) : labels.Without(matching.labels);
    }
    for (const std::string& name : matching.include) labels = labels.With(name, one.Get(name));
    return labels;
  }

  const Semantics& semantics_;
  const Binary& binary_;
  bool swapped_;  // group_right: the "many" side is the right one
  const StepVector& many_;
  const StepVector& one_;
  Groups groups_;  // lhs: of the many side, rhs: of the one side
  StepVector result_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> pairs_;
  std::map<Labels, std::size_t> rows_;
  std::vector<std::size_t> taken_;  // for each row of the result the last step (from 1) it matched
};

/// Which groups have a row at step i.
std::vector<bool> Present(const StepVector& side, const std::vector<std::size_t>& group,
                          std::size_t count, std::size_t i) {
  std::vector<bool> present(count);
  for (std::size_t row = 0; row < side.rows(); ++row) {
    if (!IsAbsent(side.Row(row)[i])) present[group[row]] = true;
  }
  return present;
}

/// Takes out the values of `side` whose group is (or, with `keep_if` true, is not) present.
void Filter(StepVector* side, const std::vector<std::size_t>& group,
            const std::vector<bool>& present, std::size_t i, bool keep_if) {
  for (std::size_t row = 0; row < side->rows(); ++row) {
    if (present[group[row]] != keep_if) side->Row(row)[i] = Absent();
  }
}

}  // namespace

StepVector MatchVectors(const Semantics& semantics, const Binary& binary, const StepVector& lhs,
                        const StepVector& rhs) {
  return VectorMatch(semantics, binary, lhs, rhs).Run();
}

StepVector CombineSets(const Binary& binary, const StepVector& lhs, const StepVector& rhs) {
  const Groups groups = NumberGroups(lhs, rhs, binary.matching);
  StepVector left = lhs;
  StepVector right = rhs;
  for (std::size_t i = 0; i < lhs.steps(); ++i) {
    if (binary.op == BinaryOp::kOr) {
      Filter(&right, groups.rhs, Present(lhs, groups.lhs, groups.count, i), i, false);
    } else {
      Filter(&left, groups.lhs, Present(rhs, groups.rhs, groups.count, i), i,
             binary.op == BinaryOp::kAnd);
    }
  }
  if (binary.op != BinaryOp::kOr) return WithoutEmptyRows(left);
  for (std::size_t row = 0; row < right.rows(); ++row) {
    const std::span<const double> source = std::as_const(right).Row(row);
    const std::vector<double> copy(source.begin(), source.end());
    std::copy(copy.begin(), copy.end(), left.Append(right.labels(row)).begin());
  }
  return JoinEqualRows(WithoutEmptyRows(left), false);
}

}  // namespace schedlens::promql
