#include "reference/roll_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "model/seconds.h"

namespace schedlens {
namespace {

constexpr std::size_t kLeastValues = 8;
constexpr double kLeastAtOnce = 10;
/// Values of at least this part of the largest belong to the period; nearly all of them ...
constexpr double kNearTop = 0.5;
/// ... lie within this part of it. A backlog that grows or drains passes all values between.
constexpr double kLevel = 0.75;
constexpr double kRolledOut = 0.9;

}  // namespace

std::optional<RollOut> FindRollOut(const Investigation& investigation, const Fitted& fitted) {
  const Timeline& timeline = investigation.diagnosis.timeline;
  const TimeRange& window = investigation.evidence->now.breakdown.window;
  std::vector<std::pair<TimeMs, double>> near_top;
  double most = 0;
  for (const bool collect : {false, true}) {
    for (std::size_t i = 0; i < timeline.binding.size(); ++i) {
      const TimeMs t = timeline.times[i];
      const double n = timeline.binding[i];
      if (t <= window.start || t > window.end || std::isnan(n)) continue;
      if (!collect) most = std::max(most, n);
      if (collect && n >= kNearTop * most) near_top.emplace_back(t, n);
    }
  }
  if (near_top.size() < kLeastValues || most < kLeastAtOnce) return std::nullopt;
  const auto level = std::count_if(near_top.begin(), near_top.end(), [&](const auto& value) {
    return value.second >= kLevel * most;
  });
  if (static_cast<double>(level) < kRolledOut * static_cast<double>(near_top.size())) {
    return std::nullopt;
  }
  RollOut out;
  const auto at = [&](TimeMs t) {
    return fitted.scenario.incident_start + (t - window.start) * sim::kMillisecond;
  };
  out.start = at(near_top.front().first);
  out.end = at(near_top.back().first);
  std::nth_element(
      near_top.begin(), near_top.begin() + static_cast<std::ptrdiff_t>(near_top.size() / 2),
      near_top.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  out.surge = CutTo<int>(std::round(near_top[near_top.size() / 2].second));
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    if (arrivals.start >= out.start && arrivals.end <= out.end) out.pods += arrivals.count;
  }
  if (out.pods < 2 * most) return std::nullopt;
  return out;
}

void PlayRollOut(const RollOut& roll_out, Fitted* fitted) {
  fitted->rolls_out = true;
  fitted->counted = fitted->arrivals;
  std::erase_if(fitted->arrivals, [&](const CountedArrivals& arrivals) {
    return arrivals.start >= roll_out.start && arrivals.end <= roll_out.end;
  });
  const std::vector<double>& weights = fitted->scenario.segments.back().conditions.weights;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sim::Action action;
    action.kind = sim::ActionKind::kRollOut;
    action.at = roll_out.start;
    action.pod_template = i;
    action.count = CutTo<int>(std::round(roll_out.pods * weights[i] / all));
    action.surge = std::max(1, CutTo<int>(std::round(roll_out.surge * weights[i] / all)));
    if (action.count > 0) fitted->scenario.actions.push_back(action);
  }
}

bool FollowRollOut(const Investigation& investigation, Changed* changed) {
  if (changed->rolls_out) return true;
  if (!changed->likely.limited) return false;
  // A reading that follows it already: at the extreme it does not.
  Fitted& extreme = changed->extreme;
  if (extreme.rolls_out) {
    extreme.arrivals = extreme.counted;
    extreme.rolls_out = false;
    std::erase_if(extreme.scenario.actions, [](const sim::Action& action) {
      return action.kind == sim::ActionKind::kRollOut;
    });
  }
  const auto roll_out = FindRollOut(investigation, extreme);
  if (!roll_out) return false;
  if (!changed->likely.rolls_out) PlayRollOut(*roll_out, &changed->likely);
  changed->rolls_out = changed->differ = true;
  changed->assumptions.push_back(
      Message("whatif.roll_out",
              {{"surge", arg::Count(roll_out->surge)}, {"pods", arg::Count(roll_out->pods)}}));
  return true;
}

}  // namespace schedlens
