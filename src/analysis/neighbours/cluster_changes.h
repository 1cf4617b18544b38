#pragma once

// Changes of objects and of processes that the scrapes show.

#include "analysis/collect/facts.h"
#include "analysis/neighbours/changes.h"
#include "analysis/neighbours/neighbour_facts.h"

namespace schedlens {

/// What kube-state-metrics shows to have changed: workloads, nodes, webhooks, admission policies.
void NoteObjectChanges(const NeighbourFacts& facts, ChangeLog* log);

/// What changed of the processes: schedulers, API servers, etcd that started again, other releases
/// and feature gates of schedulers and API servers, leaders, targets that are scraped no longer.
void NoteProcessChanges(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log);

}  // namespace schedlens
