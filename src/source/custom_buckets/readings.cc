#include "source/custom_buckets/readings.h"

#include <algorithm>

#include "promql/ast.h"

namespace schedlens {
namespace {

using promql::Expr;
using promql::Selector;
using promql::Subquery;
using promql::TimeShift;

class Reader {
 public:
  Reader(const Query& query, std::int64_t lookback_ms) : query_(query), lookback_ms_(lookback_ms) {}

  void Read(const Expr& expr, const TimeRange& range) {
    if (const auto* selector = expr.As<Selector>()) {
      TimeRange times = Shifted(range, selector->shift);
      // A modifier of a window's edges looks past them, no farther than an instant selector does.
      times.start -= selector->range_ms + lookback_ms_;
      if (selector->edges == promql::Edges::kSmoothed) times.end += lookback_ms_;
      Selector plain;
      plain.name = selector->name;
      plain.matchers = selector->matchers;
      readings_.push_back({std::move(plain), times});
    } else if (const auto* subquery = expr.As<Subquery>()) {
      TimeRange times = Shifted(range, subquery->shift);
      times.start -= subquery->range_ms;
      Read(*subquery->expr, times);
    } else {
      for (const Expr* child : promql::Children(expr)) Read(*child, range);
    }
  }

  std::vector<RawReading> Take() { return std::move(readings_); }

 private:
  TimeRange Shifted(TimeRange range, const TimeShift& shift) const {
    if (shift.at == TimeShift::At::kTime) range = {shift.at_time, shift.at_time};
    if (shift.at == TimeShift::At::kStart) range = {query_.start, query_.start};
    if (shift.at == TimeShift::At::kEnd) range = {query_.end, query_.end};
    return {range.start - shift.offset_ms, range.end - shift.offset_ms};
  }

  const Query& query_;
  std::int64_t lookback_ms_;
  std::vector<RawReading> readings_;
};

}  // namespace

std::vector<RawReading> ReadingsOf(const Expr& expr, const Query& query, std::int64_t lookback_ms) {
  Reader reader(query, lookback_ms);
  reader.Read(expr, {query.start, query.end});
  return reader.Take();
}

Query RawQuestion(const RawReading& reading) {
  Selector ranged = reading.selector;
  ranged.range_ms = std::max<std::int64_t>(reading.range.end - reading.range.start, 1);
  return {.promql = promql::ToString(*promql::MakeExpr(ranged, ValueKind::kMatrix)),
          .start = reading.range.end,
          .end = reading.range.end,
          .step_ms = 0};
}

}  // namespace schedlens
