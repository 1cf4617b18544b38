#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_FIRST_USES_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_FIRST_USES_H_

#include "analysis/collect/facts.h"
#include "analysis/neighbours/change_log.h"
#include "analysis/neighbours/neighbour_facts.h"

namespace schedlens {

/// What was there for the first time: webhooks that no API server had called before, profiles that
/// no scheduler had scheduled with. Only what was idle while twenty bindings, or attempts, passed
/// by: what is merely seen late is no news.
void NoteFirstUses(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_FIRST_USES_H_
