#include "reference/arrivals.h"

#include <algorithm>
#include <cmath>

#include "model/seconds.h"
#include "model/work_budget.h"
#include "sim/base/random.h"

namespace schedlens {
namespace {

/// With fewer in an interval, one that has none is no outage.
constexpr double kLeastUsual = 20;
/// A stream of its own: the scheduler's draws do not depend on where a pod falls in its interval.
constexpr std::uint64_t kStream = 101;

std::size_t SegmentAt(const sim::Scenario& scenario, sim::Nanos t) {
  std::size_t at = 0;
  while (at + 1 < scenario.segments.size() && scenario.segments[at + 1].start <= t) ++at;
  return at;
}

std::size_t Pick(const std::vector<double>& weights, double uniform) {
  double left = 0;
  for (const double weight : weights) left += weight;
  left *= uniform;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return 0;
}

/// The median rate of the intervals that have any, observations a second.
double UsualRate(const ScrapeIncreases& child) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < child.cells(); ++i) {
    const double seconds = MsToSeconds(child.edges[i + 1] - child.edges[i]);
    if (child.Count(i) > 0 && seconds > 0) rates.push_back(child.Count(i) / seconds);
  }
  if (rates.empty()) return 0;
  std::nth_element(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2),
                   rates.end());
  return rates[rates.size() / 2];
}

}  // namespace

std::vector<CountedArrivals> CountArrivals(const Measurement& window, TimeMs window_start,
                                           sim::Nanos at, sim::Nanos length) {
  std::vector<const ScrapeIncreases*> children =
      SelectPoint(window.cells.extension_point, kube::ExtensionPoint::kReserve);
  if (children.empty())
    children = Select(window.cells.attempt, "result", ToString(kube::AttemptResult::kScheduled));
  if (children.empty()) children = Select(window.cells.attempt, "", "");
  std::vector<CountedArrivals> out;
  for (const ScrapeIncreases* child : children) {
    const double usual = UsualRate(*child);
    for (std::size_t i = 0; i < child->cells(); ++i) {
      const double count = child->Count(i);
      if (!(count > 0)) continue;
      const sim::Nanos start = at + (child->edges[i] - window_start) * sim::kMillisecond;
      const sim::Nanos end = at + (child->edges[i + 1] - window_start) * sim::kMillisecond;
      const sim::Nanos from = std::max(start, at), to = std::min(end, at + length);
      if (to <= from) continue;
      const double share = static_cast<double>(to - from) / static_cast<double>(end - start);
      const bool born = i == 0 && child->edges[0] > window.breakdown.window.start;
      const bool back = child->reset[i] || born || (i > 0 && child->Count(i - 1) <= 0);
      const double expected = usual * sim::ToSeconds(end - start);
      const bool waited = back && expected > kLeastUsual && count > 1.5 * expected;
      out.push_back({from, to, count * share, waited ? (count - expected) * share : 0});
    }
  }
  return out;
}

sim::Scenario WithArrivals(const sim::Scenario& scenario,
                           const std::vector<CountedArrivals>& arrivals,
                           const std::vector<double>& factors, std::uint64_t seed, int group) {
  sim::Scenario out = scenario;
  for (sim::Segment& segment : out.segments) segment.conditions.rate = 0;
  sim::Random random(seed, kStream);
  for (const CountedArrivals& interval : arrivals) {
    const std::size_t segment = SegmentAt(scenario, interval.start);
    const double factor = factors[segment];
    const double length = static_cast<double>(interval.end - interval.start);
    const auto sometime = [&] {
      const auto at = interval.start + static_cast<sim::Nanos>(random.Uniform() * length);
      return interval.flushed ? at - at % sim::kSecond + sim::kSecond : at;
    };
    const auto add = [&](double wanted, bool together) {
      const double whole =
          std::floor(wanted) + (random.Chance(wanted - std::floor(wanted)) ? 1 : 0);
      const double at_once = together ? whole : interval.failing ? 1 : group;
      sim::Nanos moment = 0;
      double left = 0;
      for (double i = 0; i < whole; ++i, --left) {
        CheckBudget();
        if (left <= 0) {
          moment = sometime();
          left = at_once;
        }
        sim::Action pod;
        pod.kind = sim::ActionKind::kBurst;
        pod.count = 1;
        pod.at = moment;
        pod.pod_template = interval.failing.value_or(
            Pick(scenario.segments[segment].conditions.weights, random.Uniform()));
        out.actions.push_back(pod);
      }
    };
    add((interval.count - interval.at_once) * factor, false);
    if (interval.at_once > 0) add(interval.at_once * factor, true);
  }
  InOrder(&out.actions);
  return out;
}

}  // namespace schedlens
