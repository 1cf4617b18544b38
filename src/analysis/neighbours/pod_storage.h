#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_POD_STORAGE_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_POD_STORAGE_H_

#include <optional>

#include "analysis/neighbours/meter.h"

namespace schedlens {

/// Seconds that bindings waited for etcd, of `inside`, all that they took without webhooks. Nothing
/// without the API servers' metric of etcd's requests.
///
/// A binding updates its pod, and may have to read it first. So it has at most all updates and
/// reads of pods, and at least all updates, deletions and reads less the whole duration of every
/// other request that may cause one: of all requests on pods but their creation. Creation reads a
/// pod only where one of that name exists: unless the count of such conflicts is there and is zero,
/// creations are taken off with their own operation. `shared`: others bind too, and nothing is the
/// scheduler's for sure.
std::optional<Between> StorageOfBindings(const NeighbourFacts& facts, const TimeRange& window,
                                         const Between& inside, bool shared);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_POD_STORAGE_H_
