#ifndef SCHEDLENS_PROMQL_EVALUATION_H_
#define SCHEDLENS_PROMQL_EVALUATION_H_

// What the parts of the evaluator share. Inside the promql layer only.

#include <algorithm>
#include <deque>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "promql/annotations.h"
#include "promql/ast.h"
#include "promql/series_store.h"
#include "promql/step_vector.h"
#include "schedlens/semantics.h"

namespace schedlens::promql {

/// One evaluation: constant but for the annotations collected.
struct Evaluation {
  const SeriesStore& store;
  Semantics semantics;
  std::int64_t lookback_ms = 0;
  Steps steps;
  TimeMs query_start = 0;  ///< of the whole query, for `@ start()`
  TimeMs query_end = 0;
  bool instant = true;    ///< the whole query asks for one time
  std::string_view text;  ///< of the expression, for error positions
  Annotations* annotations = nullptr;

  /// True when windows and lookback leave out their left edge.
  bool left_open() const { return semantics.IsVictoriaMetrics() || semantics.AtLeast(3, 0); }
  /// The time a selector looks at in step i.
  TimeMs Shifted(std::size_t i, const TimeShift& shift) const;
};

using ScalarSteps = std::vector<double>;
using StepValue = std::variant<ScalarSteps, StepVector>;

/// Scalars and instant vectors; strings and range vectors are read by their callers.
StepValue EvaluateSteps(const Evaluation& evaluation, const Expr& expr);
/// A vector of floats. Throws Error(kUsage) when the expression gives native histograms: for
/// whoever would pass over them in silence.
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
/// What a subquery produced.
struct ProducedSeries {
  Labels labels;
  std::vector<TimeMs> times;
  std::vector<double> values;
  std::vector<std::uint32_t> drops;
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
        reach_before_(range.range_ms + (range.edges == Edges::kPlain ? 0 : evaluation.lookback_ms) -
                      (evaluation.left_open() ? 1 : 0)),
        reach_after_(range.edges == Edges::kSmoothed ? evaluation.lookback_ms : 0) {
    const TimeMs from = range.ends.front() - reach_before_;
    first_ = static_cast<std::size_t>(
        std::lower_bound(series.times.begin(), series.times.end(), from) - series.times.begin());
    end_ = first_;
  }

  /// Moves to step i. Steps must not decrease.
  void Move(std::size_t i) {
    stop_ = range_.ends[i];
    const TimeMs from = stop_ - reach_before_;
    const TimeMs to = stop_ + reach_after_;
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
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::size_t first_drop_ = 0;
  std::size_t end_drop_ = 0;
  TimeMs stop_ = 0;
};

StepVector EvaluateAggregation(const Evaluation& evaluation, const Aggregation& aggregation);
StepValue EvaluateBinary(const Evaluation& evaluation, const Binary& binary, const Expr& expr);
StepValue EvaluateCall(const Evaluation& evaluation, const Call& call, const Expr& expr);
StepVector EvaluateRangeCall(const Evaluation& evaluation, const Call& call);
StepVector EvaluateHistogramCall(const Evaluation& evaluation, const Call& call);

/// The labels without the metric's name, and without its type and unit, which Prometheus 3.4 and
/// newer can keep as labels and drop with the name.
Labels WithoutName(const Evaluation& evaluation, const Labels& labels);

/// In VictoriaMetrics a NaN result is dropped.
void DropNaNs(const Evaluation& evaluation, StepVector* vector);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_EVALUATION_H_
