#include "analysis/diagnose/step_answer.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace schedlens {
namespace {

/// The rest is counted.
constexpr std::size_t kMostShown = 5;

Message InUnit(double value, StepUnit unit) {
  const std::vector<Argument> number = {{"value", arg::Number(value)}};
  switch (unit) {
    case StepUnit::kSeconds:
      return Message("answered.seconds", number);
    case StepUnit::kPerSecond:
      return Message("answered.per_second", number);
    case StepUnit::kCpuSeconds:
      return Message("answered.cpu", number);
    case StepUnit::kSeatSeconds:
      return Message("answered.seats", number);
    case StepUnit::kRatio:
      return Message("answered.ratio", number);
    case StepUnit::kCount:
      return Message("answered.count", number);
  }
  return {};
}

}  // namespace

StepAnswer ToStepAnswer(const Answer& answer, StepUnit unit) {
  if (answer.series.empty()) return {{}, Message("answered.empty")};
  std::vector<std::pair<double, Labels>> values;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    values.emplace_back(series.samples.back().v, series.labels);
  }
  if (values.empty()) return {{}, Message("answered.none_counted")};
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<Message> shown;
  for (std::size_t i = 0; i < std::min(values.size(), kMostShown); ++i) {
    const auto& [value, labels] = values[i];
    Message what = InUnit(value, unit);
    if (!labels.empty()) {
      what = Message("answered.of", {{"labels", labels.ToString()}, {"what", std::move(what)}});
    }
    shown.push_back(std::move(what));
  }
  if (values.size() > kMostShown) {
    shown.push_back(Message("answered.more", {{"count", arg::Count(values.size() - kMostShown)}}));
  }
  StepAnswer out{{}, Message("answered.values", {{"values", std::move(shown)}})};
  if (std::isfinite(values.front().first)) out.value = values.front().first;
  return out;
}

}  // namespace schedlens
