#include <algorithm>
#include <cstdint>
#include <utility>

#include "reference/fit.h"

namespace schedlens {
namespace {

/// Ends of intervals with their counts, in order of time, of the baseline or of the window.
std::vector<std::pair<sim::Nanos, double>> Ends(const Fitted& fitted, bool window) {
  std::vector<std::pair<sim::Nanos, double>> ends;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    const bool inside = arrivals.start >= fitted.scenario.incident_start;
    if (inside == window && !arrivals.failing) ends.emplace_back(arrivals.end, arrivals.count);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

/// At least one.
sim::Nanos WholeMs(double nanos) {
  const auto ms = static_cast<std::int64_t>(nanos / static_cast<double>(sim::kMillisecond));
  return std::max<sim::Nanos>(1, ms) * sim::kMillisecond;
}

}  // namespace

Fitted StartOf(const Fitted& fitted, double attempts) {
  Fitted out = fitted;
  sim::Scenario& scenario = out.scenario;
  sim::Nanos reached = scenario.incident_start;
  for (const auto& [end, count] : Ends(fitted, true)) {
    if (count >= attempts) {
      const double part = attempts / count * static_cast<double>(end - reached);
      scenario.incident_end = std::min(scenario.incident_end, reached + WholeMs(part));
      break;
    }
    attempts -= count;
    reached = end;
  }
  const sim::Nanos cut = scenario.incident_end;
  scenario.duration = cut + 5 * sim::kSecond;
  out.window.end = out.window.start + (cut - scenario.incident_start) / sim::kMillisecond;
  std::erase_if(out.arrivals,
                [&](const CountedArrivals& arrivals) { return arrivals.start >= cut; });
  for (CountedArrivals& arrivals : out.arrivals) {
    if (arrivals.end <= cut) continue;
    const double share = static_cast<double>(cut - arrivals.start) /
                         static_cast<double>(arrivals.end - arrivals.start);
    arrivals.end = cut;
    arrivals.count *= share;
    arrivals.at_once *= share;
  }
  return out;
}

Fitted WithoutBaseline(const Fitted& fitted, double but) {
  Fitted out = fitted;
  sim::Nanos from = fitted.scenario.incident_start;
  const auto ends = Ends(fitted, false);
  for (auto it = ends.rbegin(); it != ends.rend() && but > 0; ++it) {
    but -= it->second;
    from = it->first;
  }
  std::erase_if(out.arrivals, [&](const CountedArrivals& arrivals) { return arrivals.end < from; });
  return out;
}

}  // namespace schedlens
