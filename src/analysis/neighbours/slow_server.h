#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_SLOW_SERVER_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_SLOW_SERVER_H_

#include <optional>
#include <string>
#include <vector>

#include "analysis/neighbours/meter.h"

namespace schedlens {

/// One API server against the others, by the requests on pods that it and they answered alike: each
/// verb is compared with itself. Webhooks and storage that all of them share make all of them slow.
struct ServerAgainstOthers {
  std::string instance;
  double others = 0;    ///< API servers that it is compared with
  double requests = 0;  ///< of it that are compared, between its scrapes inside the window
  double seconds = 0;   ///< that these took
  double expected = 0;  ///< that they would have taken if each verb took as long as on the others
};

/// Every API server that answered enough requests of a kind that others answered too, slowest
/// against the others first. Empty with one API server.
std::vector<ServerAgainstOthers> CompareServers(const NeighbourFacts& facts,
                                                const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_SLOW_SERVER_H_
