#include "analysis/tail/in_flight.h"

#include <algorithm>

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

double LifetimeCount(const HistogramFacts& histogram, std::size_t target, TimeMs t,
                     std::string_view label, std::string_view value) {
  double count = 0;
  for (const std::size_t i : histogram.Of(target)) {
    const HistogramSeries& child = histogram.children[i];
    if (!label.empty() && child.labels.Get(label) != value) continue;
    const auto it = std::upper_bound(child.times.begin(), child.times.end(), t);
    if (it == child.times.begin()) continue;
    count += child.Row(static_cast<std::size_t>(it - child.times.begin()) - 1).back();
  }
  return count;
}

}  // namespace

double GapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
             TimeMs t, std::optional<ExtensionPoint> point) {
  const auto count = [&](const HistogramFacts& histogram, std::string_view label,
                         std::string_view value) {
    return LifetimeCount(histogram, target, t, label, value);
  };
  const auto count_point = [&](ExtensionPoint one) {
    return count(histograms.extension_point, "extension_point", ToString(one));
  };
  const double passed = point ? count_point(*point) : count(histograms.algorithm, "", "");
  double ended = 0;
  if (breakdown.algorithm_has_failures && !point) {
    ended = count(histograms.attempt, "", "");
  } else if (breakdown.by_result.contains(AttemptResult::kScheduled) || breakdown.failed() > 0) {
    ended = count(histograms.attempt, "result", ToString(AttemptResult::kScheduled)) +
            count_point(ExtensionPoint::kUnreserve);
  } else {
    return 0;
  }
  return std::max(0.0, passed - ended);
}

double GapAt(const Histograms& histograms, std::span<const Target> targets,
             const TimeBreakdown& breakdown, TimeMs t, std::optional<ExtensionPoint> point) {
  double gap = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    gap += GapOf(histograms, i, breakdown, t, point);
  }
  return gap;
}

double BindGapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
                 TimeMs t) {
  if (!breakdown.has_binding) {
    return GapOf(histograms, target, breakdown, t, ExtensionPoint::kBind);
  }
  const double ended =
      LifetimeCount(histograms.attempt, target, t, "result", ToString(AttemptResult::kScheduled));
  return std::max(0.0, LifetimeCount(histograms.binding, target, t, "", "") - ended);
}

WindowIncreases History(const Histograms& histograms, std::span<const Target> targets,
                        TimeMs until) {
  std::vector<Target> from_birth(targets.begin(), targets.end());
  TimeMs start = until;
  for (Target& target : from_birth) {
    target.scrapes.insert(target.scrapes.begin(), target.scrapes.front() - 1);
    start = std::min(start, target.scrapes.front());
  }
  return CutWindow(histograms, from_birth, {start, until});
}

}  // namespace schedlens
