// sum, avg, topk, ... over the rows of an instant vector.

#include "base/hash_index.h"
#include "base/not_finite.h"
#include "promql/evaluation.h"
#include "promql/parser.h"
#include "stats/range_functions.h"

namespace schedlens::promql {
namespace {

struct Group {
  Labels labels;
  std::vector<std::size_t> rows;  // in order
};

/// Groups in order of first appearance.
std::vector<Group> GroupRows(const StepVector& vector, const Aggregation& aggregation) {
  std::vector<Group> groups;
  HashIndex by_labels;
  std::vector<std::string> dropped = aggregation.labels;
  dropped.emplace_back(kMetricName);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    Labels key;
    if (aggregation.grouping == Grouping::kBy) {
      key = vector.labels(row).Only(aggregation.labels);
    } else if (aggregation.grouping == Grouping::kWithout) {
      key = vector.labels(row).Without(dropped);
    }
    const std::size_t hash = key.Hash();
    std::uint32_t group =
        by_labels.Find(hash, [&](std::uint32_t i) { return groups[i].labels == key; });
    if (group == HashIndex::kNone) {
      group = static_cast<std::uint32_t>(groups.size());
      groups.push_back({std::move(key), {}});
      by_labels.Add(hash, group);
    }
    groups[group].rows.push_back(row);
  }
  return groups;
}

/// Folds the present values of a group at one step; false when there are none.
class Folder {
 public:
  Folder(AggregateOp op, const Semantics& semantics)
      : op_(op),
        compensated_(semantics.AtLeast(2, 54)),
        mean_(semantics),
        nan_squares_(semantics.AtLeast(3, 0)) {}

  void Start(double v) {
    count_ = 1;
    value_ = v;
    squares_ = 0;
    sum_ = {v, 0};
    if (op_ == AggregateOp::kAvg) mean_.Start(v);
    // From 3.0 on a first value that is not finite does not count as a deviation of zero.
    if (nan_squares_ && !std::isfinite(v)) squares_ = kNaN;
  }

  void Add(double v) {
    using enum AggregateOp;
    ++count_;
    if (op_ == kSum && compensated_) {
      sum_.Add(v, true);
    } else if (op_ == kSum) {
      sum_.value += v;
    } else if (op_ == kAvg) {
      mean_.Add(v);
    } else if (op_ == kMin) {
      if (value_ > v || std::isnan(value_)) value_ = v;
    } else if (op_ == kMax) {
      if (value_ < v || std::isnan(value_)) value_ = v;
    } else if (op_ == kStddev || op_ == kStdvar) {
      const double delta = v - value_;
      value_ += delta / count_;
      squares_ += delta * (v - value_);
    }
  }

  double Result() const {
    using enum AggregateOp;
    if (op_ == kSum) return compensated_ ? sum_.Total() : sum_.value;
    if (op_ == kAvg) return mean_.Result();
    if (op_ == kCount) return count_;
    if (op_ == kGroup) return 1;
    if (op_ == kStddev) return std::sqrt(squares_ / count_);
    return op_ == kStdvar ? squares_ / count_ : value_;
  }

 private:
  AggregateOp op_;
  bool compensated_;    // sum: plain from left to right up to 2.53 (and in VictoriaMetrics)
  CompensatedSum sum_;  // starts with the first element, not zero plus it: -0 stays -0
  GroupMean mean_;
  bool nan_squares_;
  double count_ = 0, value_ = 0, squares_ = 0;
};

/// sum and avg of the histograms in a group, of which `floats` floats are more; remarks are added.
/// Null: no element.
NativePtr FoldNatives(const Evaluation& evaluation, const Aggregation& aggregation,
                      const std::vector<NativePtr>& group, std::size_t floats,
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
  if (!average) return MakeNative(sum.Result());
  if (!compensated) return MakeNative(std::move(mean));
  NativeValue result = sum.Result();
  DivideNative(&result, number);
  return MakeNative(std::move(result));
}

/// What the histograms of a group make of the last row at one step.
void AddNatives(const Evaluation& evaluation, const Aggregation& aggregation,
                const StepVector& vector, const std::vector<std::size_t>& rows, std::size_t i,
                StepVector* result) {
  std::vector<NativePtr> natives;
  std::size_t floats = 0;
  std::string_view metric;
  for (const std::size_t row : rows) {
    if (NativePtr native = vector.Native(row, i)) {
      natives.push_back(std::move(native));
      metric = vector.labels(row).Get(kMetricName);
    } else if (vector.Has(row, i)) {
      ++floats;
    }
  }
  if (natives.empty()) return;
  double& out = result->Row(result->rows() - 1)[i];
  if (aggregation.op == AggregateOp::kCount) {
    out = static_cast<double>(natives.size() + floats);
  } else if (aggregation.op == AggregateOp::kGroup) {
    out = 1;
  } else {
    out = Absent();
    result->SetNative(result->rows() - 1, i,
                      FoldNatives(evaluation, aggregation, natives, floats, metric));
  }
}

StepVector Fold(const Evaluation& evaluation, const Aggregation& aggregation,
                const StepVector& vector) {
  StepVector result(vector.steps());
  for (Group& group : GroupRows(vector, aggregation)) {
    const std::span<double> out = result.Append(std::move(group.labels));
    std::vector<const double*> rows;
    for (const std::size_t row : group.rows) rows.push_back(vector.Row(row).data());
    Folder folder(aggregation.op, evaluation.semantics);
    for (std::size_t i = 0; i < out.size(); ++i) {
      bool started = false;
      for (const double* row : rows) {
        if (IsAbsent(row[i])) continue;
        if (std::exchange(started, true)) {
          folder.Add(row[i]);
        } else {
          folder.Start(row[i]);
        }
      }
      if (started) out[i] = folder.Result();
      if (vector.HasNatives()) AddNatives(evaluation, aggregation, vector, group.rows, i, &result);
    }
    result.DropIfEmpty();
  }
  return result;
}

StepVector QuantileOfGroups(const Evaluation& evaluation, const Aggregation& aggregation,
                            const StepVector& vector) {
  const ScalarSteps q = EvaluateScalar(evaluation, *aggregation.param);
  StepVector result(vector.steps());
  std::vector<double> values;
  for (Group& group : GroupRows(vector, aggregation)) {
    const std::span<double> out = result.Append(std::move(group.labels));
    for (std::size_t i = 0; i < out.size(); ++i) {
      values.clear();
      for (const std::size_t row : group.rows) {
        if (!IsAbsent(vector.Row(row)[i])) values.push_back(vector.Row(row)[i]);
      }
      if (values.empty()) continue;
      out[i] = QuantileOfValues(q[i], values);
      evaluation.annotations->CheckQuantiles({&q[i], 1}, *aggregation.param);
    }
    result.DropIfEmpty();
  }
  return result;
}

/// The k largest (or smallest) of a group, kept in a heap as Go's container/heap keeps it: which of
/// equal values stays, and in which order they come out, follows from that.
class TopHeap {
 public:
  TopHeap(std::size_t k, bool largest) : k_(k), largest_(largest) {}

  void Offer(std::size_t row, double v) {
    if (items_.size() < k_) {
      items_.push_back({row, v});
      std::ranges::push_heap(
          items_, [this](const Item& a, const Item& b) { return Less(b.value, a.value); });
    } else if (Less(items_[0].value, v)) {
      items_[0] = {row, v};
      if (k_ > 1) Down(0);
    }
  }

  /// Best first.
  std::vector<std::size_t> Rows() {
    std::ranges::stable_sort(
        items_, [this](const Item& a, const Item& b) { return Less(b.value, a.value); });
    std::vector<std::size_t> rows;
    for (const Item& item : items_) rows.push_back(item.row);
    return rows;
  }

 private:
  struct Item {
    std::size_t row;
    double value;
  };

  bool Less(double a, double b) const {
    if (std::isnan(a)) return !std::isnan(b);
    return largest_ ? a < b : a > b;
  }
  void Down(std::size_t i) {
    while (true) {
      std::size_t j = 2 * i + 1;
      if (j >= items_.size()) break;
      if (j + 1 < items_.size() && Less(items_[j + 1].value, items_[j].value)) ++j;
      if (!Less(items_[j].value, items_[i].value)) break;
      std::swap(items_[i], items_[j]);
      i = j;
    }
  }

  std::size_t k_;
  bool largest_;
  std::vector<Item> items_;
};

StepVector Top(const Evaluation& evaluation, const Aggregation& aggregation,
               const StepVector& vector) {
  const ScalarSteps limits = EvaluateScalar(evaluation, *aggregation.param);
  const bool largest = aggregation.op == AggregateOp::kTopk;
  StepVector kept(vector.steps());
  kept.Reserve(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) kept.Append(vector.labels(row));
  std::vector<std::size_t> order;
  const std::vector<Group> groups = GroupRows(vector, aggregation);
  for (std::size_t i = 0; i < vector.steps(); ++i) {
    CheckBudget();
    const double limit = limits[i];
    if (std::isnan(limit) || std::fabs(limit) >= 9.2e18) {
      ThrowAt(evaluation.text, aggregation.param->begin,
              "Scalar value " + FormatG(limit) + " overflows int64");
    }
    if (limit < 1) continue;
    const auto k = static_cast<std::size_t>(std::min(limit, static_cast<double>(vector.rows())));
    for (const Group& group : groups) {
      TopHeap heap(k, largest);
      for (const std::size_t row : group.rows) {
        const double v = vector.Row(row)[i];
        if (!IsAbsent(v)) heap.Offer(row, v);
      }
      for (const std::size_t row : heap.Rows()) {
        kept.Row(row)[i] = vector.Row(row)[i];
        if (vector.steps() == 1) order.push_back(row);
      }
    }
  }
  if (vector.steps() != 1) return WithoutEmptyRows(kept);
  StepVector sorted(1);
  for (const std::size_t row : order) sorted.Append(kept.labels(row))[0] = kept.Row(row)[0];
  return sorted;
}

/// count_values: how many series have each value, the value as a label.
StepVector CountValues(const Aggregation& aggregation, const StepVector& vector) {
  const std::string& name = WithoutParens(*aggregation.param).As<StringLiteral>()->value;
  std::vector<std::string> kept = aggregation.labels;
  kept.push_back(name);
  std::vector<std::string> dropped = aggregation.labels;
  dropped.emplace_back(kMetricName);
  // A server lists them in random order; here they are in label order.
  std::map<Labels, std::vector<double>> counts;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<const double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (IsAbsent(values[i])) continue;
      const Labels labels = vector.labels(row).With(name, PlainNumber(values[i]));
      const Labels key =
          aggregation.grouping == Grouping::kWithout ? labels.Without(dropped) : labels.Only(kept);
      std::vector<double>& row_counts = counts[key];
      row_counts.resize(values.size(), Absent());
      row_counts[i] = IsAbsent(row_counts[i]) ? 1 : row_counts[i] + 1;
    }
  }
  StepVector result(vector.steps());
  for (const auto& [labels, values] : counts) result.Append(labels, values);
  return result;
}

}  // namespace

StepVector EvaluateAggregation(const Evaluation& evaluation, const Aggregation& aggregation) {
  using enum AggregateOp;
  const AggregateOp op = aggregation.op;
  const bool mixed = op == kSum || op == kAvg || op == kCount || op == kGroup;
  const StepVector vector = mixed ? EvaluateMixed(evaluation, *aggregation.expr)
                                  : EvaluateVector(evaluation, *aggregation.expr);
  if (op == kTopk || op == kBottomk) return Top(evaluation, aggregation, vector);
  if (op == kQuantile) return QuantileOfGroups(evaluation, aggregation, vector);
  if (op == kCountValues) return CountValues(aggregation, vector);
  return Fold(evaluation, aggregation, vector);
}

}  // namespace schedlens::promql
