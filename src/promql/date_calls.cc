// hour, day_of_week and their like: parts of a time given in seconds, in UTC.

#include <chrono>
#include <cmath>
#include <limits>

#include "promql/evaluation.h"

namespace schedlens::promql {
namespace {

double Part(FunctionId id, double seconds) {
  using std::chrono::days;
  constexpr double kReach = 1e11;  // years of four digits
  if (!(std::fabs(seconds) < kReach)) return std::numeric_limits<double>::quiet_NaN();
  const std::chrono::sys_seconds time(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const auto in_day = (time - day).count();
  switch (id) {
    case FunctionId::kMinute:
      return static_cast<double>(in_day / 60 % 60);
    case FunctionId::kHour:
      return static_cast<double>(in_day / 3600);
    case FunctionId::kDayOfWeek:
      return std::chrono::weekday(day).c_encoding();
    case FunctionId::kDayOfMonth:
      return static_cast<unsigned>(date.day());
    case FunctionId::kDayOfYear: {
      const std::chrono::sys_days first = date.year() / std::chrono::January / 1;
      return static_cast<double>((day - first).count() + 1);
    }
    case FunctionId::kDaysInMonth: {
      const std::chrono::year_month_day last = date.year() / date.month() / std::chrono::last;
      return static_cast<unsigned>(last.day());
    }
    case FunctionId::kMonth:
      return static_cast<unsigned>(date.month());
    default:
      return static_cast<int>(date.year());
  }
}

}  // namespace

StepVector EvaluateDateCall(const Evaluation& evaluation, const Call& call) {
  const FunctionId id = call.function->id;
  if (call.args.empty()) {
    StepVector now(evaluation.steps.count);
    const std::span<double> row = now.Append(Labels());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = Part(id, static_cast<double>(evaluation.steps.At(i) / 1000));
    }
    return now;
  }
  StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    for (double& v : vector.Row(row)) {
      if (!IsAbsent(v)) v = Part(id, v);
    }
    vector.set_labels(row, WithoutName(evaluation, vector.labels(row)));
  }
  return JoinEqualRows(std::move(vector), false);
}

}  // namespace schedlens::promql
