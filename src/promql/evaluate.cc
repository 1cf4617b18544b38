#include "promql/evaluate.h"

#include <iterator>

#include "promql/evaluation.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens::promql {
namespace {

// Keeps a mistyped step from asking for all memory; servers stop at 11,000.
constexpr std::int64_t kMostSteps = 1'000'000;

/// The subquery's own steps: multiples of its step, from just inside the first window to the end
/// of the last.
Evaluation InnerEvaluation(const Evaluation& evaluation, const Subquery& subquery) {
  constexpr std::int64_t kDefaultStep = 60 * 1000;
  constexpr std::int64_t kSilence = 5 * 60 * 1000;
  Evaluation inner = evaluation;
  const std::int64_t step = subquery.step_ms == 0 ? kDefaultStep : subquery.step_ms;
  const std::size_t last = evaluation.steps.count - 1;
  const TimeMs a = evaluation.Shifted(0, subquery.shift);
  const TimeMs b = evaluation.Shifted(last, subquery.shift);
  TimeMs from = std::min(a, b) - subquery.range_ms;
  // VictoriaMetrics looks at the sample before the window, there too.
  if (evaluation.semantics.IsVictoriaMetrics()) from -= step + kSilence;
  TimeMs start = step * (from / step);
  if (start < from || (start == from && evaluation.left_open())) start += step;
  const TimeMs stop = std::max(a, b);
  inner.steps.start = start;
  inner.steps.step_ms = step;
  inner.steps.count = stop < start ? 0 : static_cast<std::size_t>((stop - start) / step) + 1;
  return inner;
}

std::vector<TimeMs> WindowEnds(const Evaluation& evaluation, const TimeShift& shift) {
  std::vector<TimeMs> ends(evaluation.steps.count);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = evaluation.Shifted(i, shift);
  return ends;
}

RangeVector EvaluateSubquery(const Evaluation& evaluation, const Subquery& subquery,
                             const Expr& expr) {
  RangeVector range;
  range.range_ms = subquery.range_ms;
  range.ends = WindowEnds(evaluation, subquery.shift);
  const Evaluation inner = InnerEvaluation(evaluation, subquery);
  if (inner.steps.count == 0) return range;
  if (inner.steps.count > static_cast<std::size_t>(kMostSteps)) {
    ThrowAt(evaluation.text, expr.begin, "the subquery has more than a million steps");
  }
  const StepVector vector = EvaluateVector(inner, *subquery.expr);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    ProducedSeries& series = range.owned.emplace_back();
    series.labels = vector.labels(row);
    const std::span<const double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsAbsent(values[i])) series.Add(inner.steps.At(i), values[i]);
    }
    range.series.push_back({&series.labels, series.times, series.values, series.drops, {}});
  }
  return range;
}

constexpr const char* kTypeLabel = "__type__";
constexpr const char* kUnitLabel = "__unit__";

StepValue EvaluateUnary(const Evaluation& evaluation, const Unary& unary) {
  StepValue value = EvaluateSteps(evaluation, *unary.expr);
  if (!unary.minus) return value;
  if (auto* scalar = std::get_if<ScalarSteps>(&value)) {
    for (double& v : *scalar) v = -v;
    return value;
  }
  auto& vector = std::get<StepVector>(value);
  if (vector.HasNatives()) NeedNative(evaluation, 3, 0, "-", *unary.expr);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    for (std::size_t i = 0; i < vector.steps(); ++i) {
      double& v = vector.Row(row)[i];
      if (!IsAbsent(v)) v = -v;
      const NativePtr native = vector.Native(row, i);
      if (!native) continue;
      NativeValue negated = *native;
      MultiplyNative(&negated, -1);
      vector.SetNative(row, i, MakeNative(std::move(negated)));
    }
    vector.set_labels(row, WithoutName(evaluation, vector.labels(row)));
  }
  return JoinEqualRows(std::move(vector), !evaluation.semantics.AtLeast(3, 9));
}

Steps StepsOf(const Query& query) {
  if (query.instant()) return {query.start, 1, 1};
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::kUsage, why); };
  if (query.step_ms <= 0) refuse("a range query needs a step longer than zero");
  if (query.end < query.start) refuse("a range query's end lies before its start");
  const std::int64_t count = (query.end - query.start) / query.step_ms + 1;
  if (count > kMostSteps) {
    refuse(fmt::format("the range query has {} steps, more than {}: take a longer step", count,
                       kMostSteps));
  }
  return {query.start, query.step_ms, static_cast<std::size_t>(count)};
}

/// Keeps the order of equals. What was selected or recorded mostly is in order already.
template <typename All, typename Member>
void SortBy(Member member, All* all) {
  if (!std::ranges::is_sorted(*all, {}, member)) std::ranges::stable_sort(*all, {}, member);
}

std::vector<Series> ToSeries(const StepVector& vector, const Steps& steps) {
  std::vector<Series> series;
  series.reserve(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    Series& each = series.emplace_back();
    each.labels = vector.labels(row);
    const std::span<const double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsAbsent(values[i])) each.samples.push_back({steps.At(i), values[i]});
      const NativePtr native = vector.Native(row, i);
      if (native) each.histograms.push_back({steps.At(i), NativeHistogramOf(*native)});
    }
  }
  return series;
}

/// A range selector or subquery by itself: the samples as they are.
void AnswerMatrix(const Evaluation& evaluation, const Expr& expr, Answer* answer) {
  answer->kind = ValueKind::kMatrix;
  const RangeVector range = EvaluateRange(evaluation, expr);
  if (range.edges != Edges::kPlain) {
    ThrowAt(evaluation.text, expr.begin,
            "anchored and smoothed are only allowed inside a function");
  }
  answer->series.reserve(range.series.size());
  for (const RangeSeries& each : range.series) {
    WindowCursor cursor(evaluation, range, each);
    cursor.Move(0);
    const std::span<const NativeSample> natives = NativesInWindow(evaluation, range, each, 0);
    if (cursor.first() == cursor.end() && natives.empty()) continue;
    Series& series = answer->series.emplace_back();
    series.labels = *each.labels;
    series.samples.reserve(cursor.end() - cursor.first());
    for (std::size_t i = cursor.first(); i < cursor.end(); ++i) {
      series.samples.push_back({each.times[i], each.values[i]});
    }
    series.histograms.assign(natives.begin(), natives.end());
  }
  SortBy(&Series::labels, &answer->series);
}

void AnswerSteps(const Evaluation& evaluation, const Expr& expr, Answer* answer) {
  StepValue value = EvaluateSteps(evaluation, expr);
  const auto* scalar = std::get_if<ScalarSteps>(&value);
  if (scalar != nullptr && evaluation.semantics.IsVictoriaMetrics()) {
    // It knows no scalars: a number is a series without labels, NaN is nothing.
    StepVector vector(scalar->size());
    vector.Append(Labels(), *scalar);
    DropNaNs(evaluation, &vector);
    value = std::move(vector);
  } else if (scalar != nullptr) {
    answer->kind = evaluation.instant ? ValueKind::kScalar : ValueKind::kMatrix;
    Series& series = answer->series.emplace_back();
    for (std::size_t i = 0; i < scalar->size(); ++i) {
      series.samples.push_back({evaluation.steps.At(i), (*scalar)[i]});
    }
    return;
  }
  answer->kind = evaluation.instant ? ValueKind::kVector : ValueKind::kMatrix;
  answer->series = ToSeries(std::get<StepVector>(value), evaluation.steps);
  if (!evaluation.instant) SortBy(&Series::labels, &answer->series);
}

/// A copy that stays where it is as long as what it is kept in.
template <class T>
std::span<const T> Keep(std::deque<std::vector<T>>& all, const std::vector<T>& values) {
  if (values.empty()) return {};
  return all.emplace_back(values);
}

bool AllAccept(std::vector<CompiledMatcher>& matchers, const auto& tested) {
  return std::ranges::all_of(matchers,
                             [&](CompiledMatcher& matcher) { return matcher.Accepts(tested); });
}

/// Takes stale markers and second samples of one time out of sorted samples.
void Split(const std::vector<Sample>& samples, auto* parts) {
  parts->times.clear();
  parts->stale.clear();
  parts->values.clear();
  parts->drops.clear();
  const Sample* before = nullptr;
  for (const Sample& sample : samples) {
    if (before != nullptr && sample.t == before->t) continue;
    before = &sample;
    if (IsStaleMarker(sample.v)) {
      parts->stale.push_back(sample.t);
      continue;
    }
    parts->Add(sample.t, sample.v);
  }
}

}  // namespace

TimeMs Evaluation::Shifted(std::size_t i, const TimeShift& shift) const {
  using enum TimeShift::At;
  TimeMs t = steps.At(i);
  if (shift.at == kTime) t = shift.at_time;
  if (shift.at == kStart) t = query_start;
  if (shift.at == kEnd) t = query_end;
  return t - shift.offset_ms;
}

StepVector EvaluateSelector(const Evaluation& evaluation, const Selector& selector,
                            bool timestamps) {
  const std::vector<const StoredSeries*> selected = evaluation.store.Select(selector.matchers);
  StepVector result(evaluation.steps.count);
  result.Reserve(selected.size());
  for (const StoredSeries* series : selected) {
    const std::vector<NativeSample>& histograms = series->extras->histograms;
    if (series->times.empty() && histograms.empty()) continue;
    const std::span<double> row = result.Append(series->labels);
    const std::span<const TimeMs> times = series->times, stale_times = series->extras->stale;
    // Of each kind the first one after the step.
    std::size_t next = 0, stale = 0, next_native = 0;
    NativePtr native;  // the last one, read once however many steps see it
    bool some = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const TimeMs t = evaluation.Shifted(i, selector.shift);
      if (i == 0) {
        next = static_cast<std::size_t>(std::ranges::upper_bound(times, t) - times.begin());
      }
      while (next < times.size() && times[next] <= t) ++next;
      while (stale < stale_times.size() && stale_times[stale] <= t) ++stale;
      while (next_native < histograms.size() && histograms[next_native].t <= t) {
        ++next_native;
        native = nullptr;
      }
      // The step sees the later of both, of one time the float.
      const NativeSample* histogram = next_native == 0 ? nullptr : &histograms[next_native - 1];
      if (histogram && next > 0 && times[next - 1] >= histogram->t) histogram = nullptr;
      if (next == 0 && !histogram) continue;
      const TimeMs at = histogram ? histogram->t : times[next - 1];
      const TimeMs oldest = t - kLookbackMs;
      if (at < oldest || (at == oldest && evaluation.left_open())) continue;
      if (stale > 0 && stale_times[stale - 1] > at) continue;
      some = true;
      if (timestamps) {
        row[i] = MsToSeconds(at);
      } else if (!histogram) {
        row[i] = series->values[next - 1];
      } else {
        if (!native) native = MakeNative(NativeValueOf(histogram->h));
        result.SetNative(result.rows() - 1, i, native);
      }
    }
    if (!some) result.DropIfEmpty();
  }
  return result;
}

RangeVector EvaluateRange(const Evaluation& evaluation, const Expr& expr) {
  const Expr& inner = WithoutParens(expr);
  if (const auto* subquery = inner.As<Subquery>()) {
    return EvaluateSubquery(evaluation, *subquery, inner);
  }
  const Selector& selector = *inner.As<Selector>();
  RangeVector range;
  // The window of VictoriaMetrics' `rate(x)` is the step, which is five minutes by default.
  const std::int64_t implied = evaluation.instant ? 5 * 60 * 1000 : evaluation.steps.step_ms;
  range.range_ms = selector.range_ms == 0 ? implied : selector.range_ms;
  range.ends = WindowEnds(evaluation, selector.shift);
  range.edges = selector.edges;
  if (range.edges != Edges::kPlain && !evaluation.semantics.AtLeast(3, 7)) {
    ThrowAt(evaluation.text, inner.begin,
            "anchored and smoothed need --semantics 3.7 or newer; " +
                schedlens::ToString(evaluation.semantics) + " does not know them");
  }
  for (const StoredSeries* series : evaluation.store.Select(selector.matchers)) {
    if (series->times.empty() && series->extras->histograms.empty()) continue;
    range.series.push_back({&series->labels, series->times, series->values, series->extras->drops,
                            series->extras->histograms});
  }
  return range;
}

std::span<const NativeSample> NativesInWindow(const Evaluation& evaluation,
                                              const RangeVector& range, const RangeSeries& series,
                                              std::size_t step) {
  const TimeMs end = range.ends[step];
  const TimeMs from = end - range.range_ms + (evaluation.left_open() ? 1 : 0);
  const auto first = std::ranges::lower_bound(series.natives, from, {}, &NativeSample::t);
  const auto last =
      std::ranges::upper_bound(first, series.natives.end(), end, {}, &NativeSample::t);
  return {first, last};
}

void DropNaNs(const Evaluation& evaluation, StepVector* vector) {
  if (!evaluation.semantics.IsVictoriaMetrics()) return;
  for (std::size_t row = 0; row < vector->rows(); ++row) {
    for (double& v : vector->Row(row)) {
      if (std::isnan(v)) v = Absent();
    }
  }
  *vector = WithoutEmptyRows(*vector);
}

Labels WithoutName(const Evaluation& evaluation, const Labels& labels) {
  // Few series have them: a look is cheaper than a copy without them.
  const bool typed =
      evaluation.semantics.AtLeast(3, 4) && (labels.Has(kTypeLabel) || labels.Has(kUnitLabel));
  if (!typed) return labels.Without(kMetricName);
  return labels.Without({std::string(kMetricName), kTypeLabel, kUnitLabel});
}

StepVector EvaluateMixed(const Evaluation& evaluation, const Expr& expr) {
  return std::get<StepVector>(EvaluateSteps(evaluation, expr));
}

StepVector EvaluateVector(const Evaluation& evaluation, const Expr& expr) {
  StepVector vector = EvaluateMixed(evaluation, expr);
  if (vector.HasNatives()) RefuseNatives(evaluation, expr);
  return vector;
}

ScalarSteps EvaluateScalar(const Evaluation& evaluation, const Expr& expr) {
  return std::get<ScalarSteps>(EvaluateSteps(evaluation, expr));
}

StepValue EvaluateSteps(const Evaluation& evaluation, const Expr& expr) {
  CheckBudget();
  if (const auto* number = expr.As<NumberLiteral>()) {
    return ScalarSteps(evaluation.steps.count, number->value);
  }
  if (const auto* paren = expr.As<Paren>()) return EvaluateSteps(evaluation, *paren->expr);
  if (const auto* unary = expr.As<Unary>()) return EvaluateUnary(evaluation, *unary);
  if (const auto* call = expr.As<Call>()) return EvaluateCall(evaluation, *call, expr);
  if (const auto* binary = expr.As<Binary>()) return EvaluateBinary(evaluation, *binary, expr);
  if (expr.kind != ValueKind::kVector) {
    ThrowAt(evaluation.text, expr.begin,
            fmt::format("a {} has no value at a step", KindName(expr.kind)));
  }
  const auto* aggregation = expr.As<Aggregation>();
  StepVector vector = aggregation != nullptr
                          ? EvaluateAggregation(evaluation, *aggregation)
                          : EvaluateSelector(evaluation, *expr.As<Selector>(), false);
  DropNaNs(evaluation, &vector);
  return vector;
}

Answer Evaluate(const SeriesStore& store, const Query& query, const EvaluateOptions& options) {
  const std::int64_t range = query.end - query.start;
  const ExprPtr tree = Parse(query.promql, {query.instant() ? 0 : query.step_ms, range});
  RefuseForeign(*tree, query.promql, options.semantics);
  Annotations annotations(query.promql, options.semantics);
  Evaluation evaluation{store,     options.semantics, StepsOf(query), query.start,
                        query.end, query.instant(),   query.promql,   &annotations};
  const bool steppable = tree->kind == ValueKind::kScalar || tree->kind == ValueKind::kVector;
  if (!evaluation.instant && !steppable) {
    Raise(ErrorKind::kUsage,
          "invalid expression type \"{}\" for range query, must be Scalar or instant Vector",
          KindName(tree->kind));
  }
  Answer answer;
  if (tree->kind == ValueKind::kString && options.semantics.IsVictoriaMetrics()) {
    answer.kind = ValueKind::kVector;  // a text is nothing there
  } else if (tree->kind == ValueKind::kString) {
    answer.kind = ValueKind::kString;
    answer.text = WithoutParens(*tree).As<StringLiteral>()->value;
    answer.series.emplace_back().samples.push_back({query.start, 0});
  } else if (tree->kind == ValueKind::kMatrix) {
    AnswerMatrix(evaluation, *tree, &answer);
  } else {
    AnswerSteps(evaluation, *tree, &answer);
  }
  annotations.MoveTo(&answer);
  return answer;
}

/// The samples of one series on their way into the store.
struct SeriesStore::Parts : SampleColumns {
  std::vector<TimeMs> stale;
};

void SeriesStore::Add(Series&& series, Parts* room) {
  Parts& parts = *room;
  std::vector<Sample>& samples = series.samples;
  SortBy(&Sample::t, &samples);
  Split(samples, &parts);
  samples = {};  // both forms of all series would take twice the memory
  // What one process shows is mostly of the same times.
  const bool same_times = !series_.empty() && std::ranges::equal(parts.times, series_.back().times);
  const std::span<const TimeMs> times =
      same_times ? series_.back().times : Keep(times_, parts.times);
  static const SeriesExtras kNone;
  const SeriesExtras* extras = &kNone;
  if (!parts.drops.empty() || !parts.stale.empty() || !series.histograms.empty()) {
    extras = &extras_.emplace_back(SeriesExtras{
        Keep(drops_, parts.drops), Keep(times_, parts.stale), std::move(series.histograms)});
  }
  series_.push_back({std::move(series.labels), times, Keep(values_, parts.values), extras});
}

SeriesStore::SeriesStore(std::vector<Series> series)
    : SeriesStore(std::deque<Series>(std::move_iterator(series.begin()),
                                     std::move_iterator(series.end()))) {}

SeriesStore::SeriesStore(std::deque<Series> series) {
  SortBy(&Series::labels, &series);
  Parts parts;
  while (!series.empty()) {
    Series merged = std::move(series.front());
    std::vector<NativeSample>& natives = merged.histograms;
    // What is in the store is let go of at once.
    series.pop_front();
    for (; !series.empty() && series.front().labels == merged.labels; series.pop_front()) {
      const Series& other = series.front();
      merged.samples.insert(merged.samples.end(), other.samples.begin(), other.samples.end());
      natives.insert(natives.end(), other.histograms.begin(), other.histograms.end());
    }
    OrderByTime(&natives);
    Add(std::move(merged), &parts);
  }
  Ids* ids = nullptr;
  std::string_view last;
  for (std::uint32_t id = 0; id < series_.size(); ++id) {
    const std::string_view name = series_[id].labels.Get(kMetricName);
    if (ids == nullptr || name != last) ids = &by_name_[std::string(name)];
    last = name;
    ids->push_back(id);
  }
}

const SeriesStore::Ids* SeriesStore::Having(const std::string& name, const Ids& ids,
                                            const Matcher& matcher) const {
  constexpr std::size_t kMany = 100, kOften = 4;
  static const Ids kNone;
  if (matcher.op != MatchOp::kEqual || matcher.value.empty() || ids.size() < kMany) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  ByValue& index = by_label_[{name, matcher.name}];
  if (++index.asked < kOften) return nullptr;
  if (index.asked == kOften) {
    for (const std::uint32_t id : ids) {
      index.ids[series_[id].labels.Get(matcher.name)].push_back(id);
    }
  }
  const auto found = index.ids.find(matcher.value);
  return found == index.ids.end() ? &kNone : &found->second;
}

std::vector<const StoredSeries*> SeriesStore::Select(const std::vector<Matcher>& matchers) const {
  std::vector<CompiledMatcher> of_name, others;
  std::vector<std::string> names;  // the only ones that can be accepted, if there are any
  for (const Matcher& matcher : matchers) {
    CompiledMatcher compiled(matcher);
    if (compiled.OfName() && matcher.op == MatchOp::kEqual) names = {matcher.value};
    if (compiled.OfName() && compiled.Accepted() != nullptr) names = *compiled.Accepted();
    (compiled.OfName() ? of_name : others).push_back(std::move(compiled));
  }
  Ids ids;
  const auto select = [&](const auto& entry) {
    CheckBudget();
    if (!AllAccept(of_name, std::string_view(entry.first))) return;
    const Ids* fewest = &entry.second;
    for (const Matcher& matcher : matchers) {
      if (matcher.name == kMetricName) continue;
      const Ids* having = Having(entry.first, entry.second, matcher);
      if (having != nullptr && having->size() < fewest->size()) fewest = having;
    }
    for (const std::uint32_t id : *fewest) {
      if (AllAccept(others, series_[id].labels)) ids.push_back(id);
    }
  };
  for (const std::string& name : names) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) select(*found);
  }
  if (names.empty()) {
    for (const auto& entry : by_name_) select(entry);
  }
  // Label order, and mostly that of the names.
  if (!std::ranges::is_sorted(ids)) std::ranges::sort(ids);
  std::vector<const StoredSeries*> selected;
  selected.reserve(ids.size());
  for (const std::uint32_t id : ids) selected.push_back(&series_[id]);
  return selected;
}

std::optional<TimeRange> SeriesStore::Extent() const {
  TimeRange extent{INT64_MAX, INT64_MIN};
  const auto widen = [&](TimeMs first, TimeMs last) {
    extent.start = std::min(extent.start, first);
    extent.end = std::max(extent.end, last);
  };
  for (const StoredSeries& series : series_) {
    if (!series.times.empty()) widen(series.times.front(), series.times.back());
    const std::vector<NativeSample>& histograms = series.extras->histograms;
    if (!histograms.empty()) widen(histograms.front().t, histograms.back().t);
  }
  return extent.start > extent.end ? std::nullopt : std::optional(extent);
}

}  // namespace schedlens::promql
