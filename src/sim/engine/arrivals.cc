#include "sim/engine/arrivals.h"

#include <algorithm>

namespace schedlens::sim {

void Arrivals::Start() {
  ++starts_;
  const Conditions& c = *run_.conditions;
  double pods = 0;
  double weights = 0;
  for (std::size_t i = 0; i < c.weights.size(); ++i) {
    pods += c.weights[i] * std::max(1, run_.scenario.templates[i].gang);
    weights += c.weights[i];
  }
  if (c.rate <= 0 || weights <= 0) return;
  const double per_arrival = pods / weights * c.burst;
  run_.heap.Push(run_.now + FromSeconds(run_.random.arrivals.Exponential() * per_arrival / c.rate),
                 EventKind::kArrival, starts_);
}

std::size_t Arrivals::PickTemplate() {
  const std::vector<double>& weights = run_.conditions->weights;
  double total = 0;
  for (double weight : weights) total += weight;
  double left = run_.random.arrivals.Uniform() * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.size() - 1;
}

void Arrivals::Arrive(std::uint32_t start) {
  if (start != starts_) return;
  for (int i = 0; i < run_.conditions->burst; ++i) world_.CreatePods(PickTemplate());
  Start();
}

}  // namespace schedlens::sim
