#include "report/json/flaws.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace schedlens {
namespace {

constexpr double kLongestSeconds = 1e10;

bool Rises(const auto& values) {
  return std::adjacent_find(values.begin(), values.end(),
                            [](auto a, auto b) { return !(a < b); }) == values.end();
}

bool AreBounds(const std::vector<double>& bounds) {
  return Rises(bounds) && (bounds.empty() || !std::isnan(bounds[0]));
}

bool Ordered(const std::optional<double>& low, const std::optional<double>& high) {
  return !low || !high || *low <= *high;
}

bool IsDuration(const std::optional<double>& seconds) {
  return !seconds || (*seconds >= 0 && *seconds <= kLongestSeconds);
}

}  // namespace

std::string_view FlawOf(const Measured& x) {
  const bool fine = Ordered(x.low, x.value) && Ordered(x.value, x.high) && Ordered(x.low, x.high);
  return fine ? "" : "rise from low over value to high";
}

std::string_view FlawOf(const Interval& x) {
  return Ordered(x.low, x.high) ? "" : "rise from low to high";
}

std::string_view FlawOf(const TimeRange& x) {
  return x.start <= x.end ? "" : "end no sooner than it starts";
}

std::string_view FlawOf(const ClusterChange& x) {
  return x.earliest <= x.at && x.at <= x.latest ? ""
                                                : "be between its earliest and its latest time";
}

std::string_view FlawOf(const AlertVerdict& x) {
  return IsDuration(x.for_seconds) ? "" : "have a for_seconds that is a duration";
}

std::string_view FlawOf(const Impact& x) {
  return IsDuration(x.above_seconds) ? "" : "have an above_seconds that is a duration";
}

std::string_view FlawOf(const CdfPair& x) {
  if (!AreBounds(x.bounds)) return "have bounds that rise; null is +Inf";
  return x.lower.size() == x.bounds.size() && x.upper.size() == x.bounds.size()
             ? ""
             : "have as many numbers in lower and upper as bounds";
}

std::string_view FlawOf(const CrossCheck& x) {
  std::vector<double> bounds;
  for (const CdfPoint& point : x.cdf) bounds.push_back(point.bound);
  return AreBounds(bounds) ? "" : "have bounds in cdf that rise; null is +Inf";
}

std::string_view FlawOf(const Timeline& x) {
  if (!Rises(x.times)) return "have times that rise";
  if (!AreBounds(x.bounds)) return "have bounds that rise; null is +Inf";
  for (const auto* list : {&x.shown, &x.low, &x.high, &x.scheduled, &x.failed, &x.pending_active,
                           &x.pending_backoff, &x.pending_unschedulable, &x.binding}) {
    if (list->size() != x.times.size()) return "have as many numbers in every list as times";
  }
  if (x.e2e.size() != (x.bounds.empty() ? 0 : x.times.size())) {
    return "have as many columns in e2e as times; none without bounds";
  }
  const bool whole = std::all_of(x.e2e.begin(), x.e2e.end(), [&](const auto& column) {
    return column.size() == x.bounds.size();
  });
  return whole ? "" : "have as many numbers in every column of e2e as bounds";
}

std::string_view FlawOf(const std::vector<StageTime>& stages) {
  constexpr int kDeepest = 20;
  std::map<std::string_view, std::string_view> parents;
  for (const StageTime& stage : stages) {
    if (!parents.emplace(stage.id, stage.parent).second) return "have every stage once";
  }
  for (const StageTime& stage : stages) {
    int depth = 0;
    for (auto at = parents.find(stage.parent); at != parents.end(); at = parents.find(at->second)) {
      if (++depth > kDeepest) return "have no stage that is its own ancestor";
    }
  }
  return "";
}

}  // namespace schedlens
