#ifndef SCHEDLENS_PROMQL_EVALUATION_H_
#define SCHEDLENS_PROMQL_EVALUATION_H_

// What the parts of the evaluator share. Inside the promql layer only.

#include <deque>
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
StepVector EvaluateVector(const Evaluation& evaluation, const Expr& expr);
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
};
struct RangeVector {
  std::vector<RangeSeries> series;
  std::int64_t range_ms = 0;
  TimeShift shift;
  Edges edges = Edges::kPlain;
  std::deque<StoredSeries> owned;  ///< what a subquery produced
};
RangeVector EvaluateRange(const Evaluation& evaluation, const Expr& expr);

/// Half-open index range [first, end) of the samples inside the window of one step. Windows move
/// forward only, so the cursor does too.
class WindowCursor {
 public:
  WindowCursor(const Evaluation& evaluation, const RangeVector& range, const RangeSeries& series);
  /// Moves to step i. Steps must not decrease.
  void Move(std::size_t i);
  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }
  TimeMs start() const { return start_; }  ///< edges of the window as asked
  TimeMs stop() const { return stop_; }
  /// Drops inside the window, as indexes into the whole series.
  std::span<const std::uint32_t> drops() const;

 private:
  const Evaluation& evaluation_;
  const RangeVector& range_;
  const RangeSeries& series_;
  std::int64_t before_ms_;  // how far the samples reach beyond the window (anchored, smoothed)
  std::int64_t after_ms_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  mutable std::size_t first_drop_ = 0;
  mutable std::size_t end_drop_ = 0;
  TimeMs start_ = 0;
  TimeMs stop_ = 0;
};

StepVector EvaluateAggregation(const Evaluation& evaluation, const Aggregation& aggregation,
                               const Expr& expr);
StepValue EvaluateBinary(const Evaluation& evaluation, const Binary& binary, const Expr& expr);
StepValue EvaluateCall(const Evaluation& evaluation, const Call& call, const Expr& expr);
StepVector EvaluateRangeCall(const Evaluation& evaluation, const Call& call, const Expr& expr);
StepVector EvaluateHistogramCall(const Evaluation& evaluation, const Call& call);
StepVector EvaluateLabelCall(const Evaluation& evaluation, const Call& call);
StepVector EvaluateAbsent(const Evaluation& evaluation, const Call& call);

/// In VictoriaMetrics a NaN result is no result.
void DropNaNs(const Evaluation& evaluation, StepVector* vector);

/// Go's sort.Sort(sort.Reverse(...)) of a vector by value, descending or ascending, NaN last.
std::vector<std::size_t> OrderByValue(const StepVector& vector, bool descending);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_EVALUATION_H_
