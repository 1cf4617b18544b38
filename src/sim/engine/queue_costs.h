#ifndef SCHEDLENS_SIM_ENGINE_QUEUE_COSTS_H_
#define SCHEDLENS_SIM_ENGINE_QUEUE_COSTS_H_

// CPU time of what an event makes the scheduling queue do, in microseconds. It is nobody's latency,
// but it shows in process_cpu_seconds_total.

#include <cstddef>

#include "sim/cost/unit_costs.h"
#include "sim/engine/scheduling_queue.h"

namespace schedlens::sim {

/// One call of the plugin's queueing hint about the event. 0 for plugins that were not measured or
/// have no function to call.
double HintUs(const cost::UnitCosts& units, Rejection plugin, PodEvent event);

/// Looking through `waiting` unschedulable pods, of which `stayed` are not moved; hints are on top.
double MoveUs(const cost::UnitCosts& units, std::size_t waiting, std::size_t stayed);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_QUEUE_COSTS_H_
