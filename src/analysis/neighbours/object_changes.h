#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_OBJECT_CHANGES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_OBJECT_CHANGES_H_

#include "analysis/neighbours/change_log.h"
#include "analysis/neighbours/neighbour_facts.h"

namespace schedlens {

/// What kube-state-metrics shows to have changed: workloads, nodes, webhooks, admission policies.
void NoteObjectChanges(const NeighbourFacts& facts, ChangeLog* log);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_OBJECT_CHANGES_H_
