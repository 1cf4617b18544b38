// The extenders' part of an attempt: filter, one call after the other, and prioritize, all at once.

#include <algorithm>

#include "sim/engine/scheduling_loop.h"

namespace schedlens::sim {

// One after the other. False: a call failed and the extender is not ignorable.
bool SchedulingLoop::FilterByExtenders(int nodes) {
  Random& random = run_.random.extender;
  Nanos total = 0;
  bool ok = true;
  for (const Extender& extender : run_.scenario.extenders) {
    if (!extender.filter || !extender.IsInterested(world_.TemplateOf(cycle_.record.pod))) continue;
    const Nanos timeout = FromSeconds(extender.timeout);
    const Nanos d = run_.Sample(Cost::kExtFilter, TemplateIndex(), random);
    const bool failed = d > timeout || random.Chance(run_.conditions->costs.ext_filter_error);
    const Spent own = costs_.TakeExtender(
        Cost::kExtFilter,
        ExtenderFilterUs(run_.conditions->units, nodes, images_, extender.names_only));
    Charge(own);
    total += std::min(d, timeout) + own.elapsed;
    ok = !failed || extender.ignorable;
    if (!ok) break;
  }
  cycle_.record[AttemptStage::kExtFilter] = total;
  cycle_.time += total;
  return ok;
}

// All at once; a call that fails only loses its scores.
void SchedulingLoop::PrioritizeByExtenders() {
  Nanos longest = 0;
  for (const Extender& extender : run_.scenario.extenders) {
    if (!extender.IsInterested(world_.TemplateOf(cycle_.record.pod))) continue;
    replicas_.leader().prioritized = true;
    if (!extender.prioritize) continue;
    const Nanos d = run_.Sample(Cost::kExtPrioritize, TemplateIndex(), run_.random.extender);
    const Spent own = costs_.TakeExtender(
        Cost::kExtPrioritize, ExtenderPrioritizeUs(run_.conditions->units, cycle_.record.feasible,
                                                   images_, extender.names_only));
    Charge(own);
    longest = std::max(longest, std::min(d, FromSeconds(extender.timeout)) + own.elapsed);
  }
  cycle_.record[AttemptStage::kExtPrioritize] = longest;
  cycle_.time += longest;
}

}  // namespace schedlens::sim
