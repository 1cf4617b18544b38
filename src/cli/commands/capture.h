#pragma once

#include <string>
#include <vector>

#include "base/source.h"

namespace schedlens {

/// Matchers, without braces, of what a diagnosis asks of API servers, etcd and kube-state-metrics,
/// also to take its own next steps: chosen by label at the source, since all of their metrics would
/// be a hundred times as much. None chooses only what another one does. `selector` is the
/// schedulers', whose own series are recorded anyway. Throws what the source throws.
std::vector<std::string> NeighbourSelectors(Source& source, const std::string& selector,
                                            const TimeRange& range);

}  // namespace schedlens
