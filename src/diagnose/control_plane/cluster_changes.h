#pragma once

// Changes of objects and of processes that the scrapes show.

#include "diagnose/collect/facts.h"
#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/neighbour_facts.h"

namespace schedlens {

/// What kube-state-metrics shows to have changed: workloads, nodes, webhooks, admission policies.
void NoteObjectChanges(const NeighbourFacts& facts, ChangeLog* log);

/// What changed of the processes: schedulers, API servers, etcd that started again, other releases
/// and feature gates of schedulers and API servers, leaders, targets that are scraped no longer.
void NoteProcessChanges(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log);

}  // namespace schedlens
