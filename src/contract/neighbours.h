#ifndef SCHEDLENS_CONTRACT_NEIGHBOURS_H_
#define SCHEDLENS_CONTRACT_NEIGHBOURS_H_

// What of the scheduler's neighbours the source has. Part of a Diagnosis.

#include <optional>
#include <string>
#include <vector>

#include "contract/message.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// What one API server answered of the scheduler's bindings in the window.
struct ApiServerSeen {
  std::string instance;
  Measured bindings;
  Measured seconds;  ///< of them, inside the server
};

/// The processes of one kind.
struct NeighbourSeen {
  Measured instances;                  ///< that there are: those that were seen at least
  double seen = 0;                     ///< that were scraped in the window
  std::optional<Measured> bindings;    ///< that all API servers answered; of others absent
  std::optional<Measured> covered;     ///< of what the scheduler counted; absent where not compared
  std::vector<ApiServerSeen> servers;  ///< those that answered bindings, busiest first
  std::vector<Message> missing;        ///< what is not there, and what it would add
};

struct NeighboursSeen {
  NeighbourSeen apiserver, etcd, kube_state_metrics;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_NEIGHBOURS_H_
