// What an attempt's steps take: its clock, and the CPU time of the process.

#include <algorithm>

#include "sim/engine/scheduling_loop.h"

namespace schedlens::sim {

Nanos SchedulingLoop::Advance(const Spent& spent, int workers) {
  if (spent.elapsed == 0 && spent.cpu_seconds == 0) return 0;
  SchedulerProcess& process = replicas_.leader();
  process.work.segments.push_back({cycle_.time, cycle_.time + spent.elapsed, workers});
  process.cpu_seconds += spent.cpu_seconds;
  cycle_.record.cpu += FromSeconds(spent.cpu_seconds);
  cycle_.time += spent.elapsed;
  return spent.elapsed;
}

// A step that is nothing but its share of what every attempt costs.
Nanos SchedulingLoop::SpendFixed(Cost cost, cost::FixedStep step, int nodes) {
  return Spend(cost, nodes, 1, [&] {
    return cost::Labour{FixedUs(step, run_.conditions->units), 0, 0};
  });
}

// Waiting on the loop for somebody else.
Nanos SchedulingLoop::Wait(Cost cost) {
  const Nanos d = run_.Sample(cost, TemplateIndex(), run_.random.loop);
  cycle_.time += d;
  return d;
}

void SchedulingLoop::Charge(const Spent& spent) {
  replicas_.leader().cpu_seconds += spent.cpu_seconds;
  cycle_.record.cpu += FromSeconds(spent.cpu_seconds);
}

// What the loop starts and does not wait for: binding, or the failure's event.
void SchedulingLoop::ChargeRest(std::initializer_list<cost::FixedStep> steps) {
  double us = 0;
  for (const cost::FixedStep step : steps) us += FixedUs(step, run_.conditions->units);
  cycle_.record.cpu += FromSeconds(us * 1e-6);
}

// What the attempt looked at is known: the rest of its costs, its garbage, and what recording its
// plugins takes.
void SchedulingLoop::NoteWork(const PlacementDecision& decision) {
  cost::AttemptWork& work = costs_.work();
  work.searched = decision.searched;
  work.seen = decision.evaluated;
  work.passed = decision.passed;
  work.feasible = decision.feasible;
  work.enough = decision.enough;
  work.rejected = decision.rejected;
  cycle_.time += costs_.Collect();
  replicas_.leader().cpu_seconds += costs_.TakeCollected();  // no single attempt's
  if (!cycle_.sampled || !costs_.Computed(Cost::kFilter)) return;
  cycle_.record[AttemptStage::kRecording] = Spend(
      Cost::kFilter, work.seen, costs_.Workers(work.seen),
      [&] { return costs_.steps().Recording(work, static_cast<int>(PluginRecorder::kCapacity)); });
}

}  // namespace schedlens::sim
