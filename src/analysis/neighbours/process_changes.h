#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_PROCESS_CHANGES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_PROCESS_CHANGES_H_

#include "analysis/collect/facts.h"
#include "analysis/neighbours/change_log.h"
#include "analysis/neighbours/neighbour_facts.h"

namespace schedlens {

/// What changed of the processes: schedulers, API servers, etcd that started again, other releases
/// and feature gates of schedulers and API servers, leaders, targets that are scraped no longer.
void NoteProcessChanges(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_PROCESS_CHANGES_H_
