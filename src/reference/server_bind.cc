#include "reference/server_bind.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/neighbours/meter.h"
#include "analysis/neighbours/request_seconds.h"
#include "kube/metrics.h"
#include "model/text.h"

namespace schedlens {

using kube::Neighbour;

LatencyShape ServerBinds(const Investigation& investigation, const TimeRange& window) {
  const NeighbourFacts& facts = investigation.neighbours;
  LatencyShape shape;
  const Meter count = MeterOf(facts, "bindings", CountOf(Neighbour::kApiserverRequestDuration));
  if (count.empty()) return shape;
  shape.count = count.Increase(window).value;
  shape.seconds = RequestSeconds(facts, "bindings").Increase(window).value;
  std::map<double, Meter> below;
  for (const Series& series : facts.Of("bindings")) {
    if (series.labels.Get("__name__") != BucketOf(Neighbour::kApiserverRequestDuration)) continue;
    const auto bound = ParseNumber(series.labels.Get("le"));
    if (!bound || !std::isfinite(*bound)) continue;
    below.try_emplace(*bound, facts).first->second.Add(series);
  }
  double reached = 0;
  for (const auto& [bound, meter] : below) {
    if (!meter.Covers(count)) continue;
    const double now = std::clamp(meter.Increase(window).value, reached, shape.count);
    shape.buckets.emplace_back(bound, now - reached);
    reached = now;
  }
  shape.open = shape.count - reached;
  return shape;
}

}  // namespace schedlens
