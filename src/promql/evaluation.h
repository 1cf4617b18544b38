#pragma once

// What the parts of the evaluator share. Inside the promql layer only.

#include <bit>

#include "base/work_budget.h"
#include "promql/evaluate.h"
#include "schedlens/histogram.h"
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
inline NativePtr MakeNative(NativeValue value) {
  return std::make_shared<NativeValue>(std::move(value));
}

/// Instant vectors at all steps of a query at once: one row of values a label set, in the order in
/// which a server would list them at an instant. Where a value is absent a native histogram can
/// stand; every row has one of them somewhere.
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
    std::ranges::copy(values, Append(std::move(labels)).begin());
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
/// Error(kFailed) in the server's words when two do (with `strict`, when two rows are equal).
StepVector JoinEqualRows(StepVector vector, bool strict);

/// Rows without a value are taken out; the others stay in order.
StepVector WithoutEmptyRows(const StepVector& vector);

/// Remarks a server adds to an answer, in its words, which differ by version. Before 2.48 there are
/// none; before 2.54 all are warnings.
class Annotations {
 public:
  Annotations(std::string_view text, const Semantics& semantics)
      : text_(text), semantics_(semantics) {}

  /// Warns of each that is not within [0, 1].
  void CheckQuantiles(std::span<const double> quantiles, const Expr& at);
  void BadBucketLabel(std::string_view metric, std::string_view le, const Expr& at);
  /// `metric` as the version still knows it there; from 3.7 on it is not shown.
  void ForcedMonotonicity(const ClassicQuantile& quantile, std::string_view metric, TimeMs t,
                          const Expr& at);
  void Inform(const std::string& words, const Expr& at) {
    if (!Silent()) infos_["PromQL info: " + words] = at.begin;
  }
  void Warn(const std::string& words, const Expr& at) {
    if (!Silent()) warnings_["PromQL warning: " + words] = at.begin;
  }
  /// A remark no server makes, among the infos.
  void Note(const std::string& words, const Expr& at) { infos_["schedlens: " + words] = at.begin; }

  /// Appends what was collected, sorted, each message once: as in a server, the same words at two
  /// places of the expression are one remark, shown with the place that came last.
  void MoveTo(Answer* answer) const;

 private:
  using Places = std::map<std::string, std::size_t>;  // words and offset in the expression

  /// Forced monotonicity of one metric, over all steps and groups.
  struct Forced {
    std::size_t offset = 0;
    double low = 0, high = 0, drop = 0;
    std::size_t samples = 0;
    TimeMs first = 0, last = 0;
  };

  bool Silent() const { return !semantics_.AtLeast(2, 48); }
  std::string ForcedText(const std::string& metric, const Forced& forced) const;
  std::vector<std::string> Texts(const Places& places) const;

  std::string_view text_;
  Semantics semantics_;
  Places warnings_, infos_;
  std::map<std::string, Forced> forced_;  // by metric name
};

/// Go's `%g`: shortest digits, exponent form below 1e-4 and from 1e6 on. With `digits` > 0: `%.Ng`.
std::string FormatG(double value, int digits = 0);

/// One evaluation: constant but for the annotations collected.
struct Evaluation {
  const SeriesStore& store;
  Semantics semantics;
  Steps steps;
  TimeMs query_start = 0, query_end = 0;  ///< of the whole query, for `@ start()`
  bool instant = true;                    ///< the whole query asks for one time
  std::string_view text;                  ///< of the expression, for error positions
  Annotations* annotations = nullptr;

  /// True when windows and lookback leave out their left edge.
  bool left_open() const { return semantics.IsVictoriaMetrics() || semantics.AtLeast(3, 0); }
  /// The time a selector looks at in step i.
  TimeMs Shifted(std::size_t i, const TimeShift& shift) const;
};

/// Scalars and instant vectors; strings and range vectors are read by their callers.
StepValue EvaluateSteps(const Evaluation& evaluation, const Expr& expr);
/// A vector of floats. Throws Error(kUsage) when the expression gives native histograms.
StepVector EvaluateVector(const Evaluation& evaluation, const Expr& expr);
/// A vector of floats and native histograms.
StepVector EvaluateMixed(const Evaluation& evaluation, const Expr& expr);
ScalarSteps EvaluateScalar(const Evaluation& evaluation, const Expr& expr);

/// Instant selector: the last sample of each series in the lookback before each step. With
/// `timestamps` the value is that sample's time in seconds.
StepVector EvaluateSelector(const Evaluation& evaluation, const Selector& selector,
                            bool timestamps);

/// A range vector: series whose samples are looked at through a moving window.
struct RangeSeries {
  const Labels* labels = nullptr;
  std::span<const TimeMs> times;
  std::span<const double> values;
  std::span<const std::uint32_t> drops;
  std::span<const NativeSample> natives;
};
/// Samples, and at which of them the value is less than before.
struct SampleColumns {
  std::vector<TimeMs> times;
  std::vector<double> values;
  std::vector<std::uint32_t> drops;

  void Add(TimeMs t, double v) {
    if (!values.empty() && v < values.back()) {
      drops.push_back(static_cast<std::uint32_t>(values.size()));
    }
    times.push_back(t);
    values.push_back(v);
  }
};
/// What a subquery produced.
struct ProducedSeries : SampleColumns {
  Labels labels;
};
struct RangeVector {
  std::vector<RangeSeries> series;
  std::int64_t range_ms = 0;
  std::vector<TimeMs> ends;  ///< of the window at each step, shifts applied; never decreasing
  Edges edges = Edges::kPlain;
  std::deque<ProducedSeries> owned;
};
RangeVector EvaluateRange(const Evaluation& evaluation, const Expr& expr);

/// Half-open index range [first, end) of the samples inside the window of one step. Windows move
/// forward only, so the cursor does too. In the header because it is the innermost loop of `rate`.
class WindowCursor {
 public:
  WindowCursor(const Evaluation& evaluation, const RangeVector& range, const RangeSeries& series)
      : range_(range),
        series_(series),
        reach_before_(range.range_ms + (range.edges == Edges::kPlain ? 0 : kLookbackMs) -
                      (evaluation.left_open() ? 1 : 0)),
        reach_after_(range.edges == Edges::kSmoothed ? kLookbackMs : 0) {
    const TimeMs from = range.ends.front() - reach_before_;
    first_ = static_cast<std::size_t>(std::ranges::lower_bound(series.times, from) -
                                      series.times.begin());
    end_ = first_;
  }

  /// Moves to step i. Steps must not decrease.
  void Move(std::size_t i) {
    stop_ = range_.ends[i];
    const TimeMs from = stop_ - reach_before_, to = stop_ + reach_after_;
    const std::size_t size = series_.times.size();
    while (first_ < size && series_.times[first_] < from) ++first_;
    end_ = std::max(end_, first_);
    while (end_ < size && series_.times[end_] <= to) ++end_;
  }

  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }
  TimeMs start() const { return stop_ - range_.range_ms; }  ///< edges of the window as asked
  TimeMs stop() const { return stop_; }

  /// Drops inside the window, as indexes into the whole series.
  std::span<const std::uint32_t> Drops() {
    const std::size_t size = series_.drops.size();
    while (first_drop_ < size && series_.drops[first_drop_] <= first_) ++first_drop_;
    end_drop_ = std::max(end_drop_, first_drop_);
    while (end_drop_ < size && series_.drops[end_drop_] < end_) ++end_drop_;
    return series_.drops.subspan(first_drop_, end_drop_ - first_drop_);
  }

 private:
  const RangeVector& range_;
  const RangeSeries& series_;
  std::int64_t reach_before_;  // of the samples looked at, from the window's end
  std::int64_t reach_after_;   // beyond it (smoothed)
  std::size_t first_ = 0, end_ = 0, first_drop_ = 0, end_drop_ = 0;
  TimeMs stop_ = 0;
};

StepVector EvaluateAggregation(const Evaluation& evaluation, const Aggregation& aggregation);
StepValue EvaluateBinary(const Evaluation& evaluation, const Binary& binary, const Expr& expr);
StepValue EvaluateCall(const Evaluation& evaluation, const Call& call, const Expr& expr);

/// The functions of range vectors, and those of histograms.
std::vector<Function> RangeFunctions();
std::vector<Function> HistogramFunctions();

/// The labels without the metric's name, and without its type and unit, which Prometheus 3.4 and
/// newer can keep as labels and drop with the name.
Labels WithoutName(const Evaluation& evaluation, const Labels& labels);

/// In VictoriaMetrics a NaN result is dropped.
void DropNaNs(const Evaluation& evaluation, StepVector* vector);

/// Throws Error(kUsage): `at` gives native histograms where only floats are evaluated here.
[[noreturn]] void RefuseNatives(const Evaluation& evaluation, const Expr& at);

/// Throws Error(kUsage) unless the server is of the first version whose servers do the operation
/// with native histograms as written here, or newer.
void NeedNative(const Evaluation& evaluation, int major, int minor, std::string_view operation,
                const Expr& at);

/// Throws Error(kUsage) for what no answer of a server shows: a schema that is unknown, and
/// from 3.8 on mismatched custom bounds.
void RefuseMix(const Evaluation& evaluation, NativeMix mix, const Expr& at);
/// The same, and remarks of aggregations and range functions on histograms that do not fit
/// together.
void RemarkOnMix(const Evaluation& evaluation, NativeMix mix, std::string_view metric,
                 const Expr& at);

/// The histograms of a series inside the window of a step.
std::span<const NativeSample> NativesInWindow(const Evaluation& evaluation,
                                              const RangeVector& range, const RangeSeries& series,
                                              std::size_t step);

}  // namespace schedlens::promql
