#ifndef SCHEDLENS_SIM_SCENARIO_REQUEST_PATH_H_
#define SCHEDLENS_SIM_SCENARIO_REQUEST_PATH_H_

// What a binding's request meets past the scheduler's door: the network, the API server's queues
// and webhooks, etcd. Read from `apiserver` and `network` of a scenario and of its faults.

#include <string>
#include <vector>

#include "sim/base/distribution.h"
#include "sim/scenario/section.h"

namespace schedlens::sim {

/// An admission webhook, called when something is created.
struct Webhook {
  std::string name;
  std::string resource = "pods/binding";  ///< as in its rule: also `pods`, `pods/*`, `*/*`
  bool mutating = false;                  ///< those run one after another, the others all at once
  Distribution cost = Distribution::LogNormal(0.004, 0.4);
  double fail = 0;      ///< how often it answers 500
  bool ignore = false;  ///< failurePolicy Ignore: a failure lets the request through
  double timeout = 10;  ///< seconds; a later answer is a failure

  /// Whether its rule matches `pods`, or with `subresource` pods/binding.
  bool Matches(bool subresource) const;
};

struct RequestPath {
  bool on = false;
  int instances = 1;       ///< API servers; the scheduler talks to the first
  bool spread = false;     ///< its bindings go round all of them instead
  int slow_instance = 0;   ///< the number of the one that takes longer; 0: none does
  Distribution slow_cost;  ///< by so much a request
  std::vector<Webhook> webhooks;
  Distribution admission = Distribution::LogNormal(0.0003, 0.3);  ///< what is built in
  // Priority and fairness: the scheduler's level.
  int seats = 0;               ///< 0: more than ever wanted
  double neighbours_rate = 0;  ///< requests a second of others on that level
  Distribution neighbours_cost = Distribution::LogNormal(0.02, 0.5);
  // etcd: one member.
  Distribution fsync = Distribution::LogNormal(0.002, 0.4);
  Distribution etcd_network = Distribution::Constant(0.0005);  ///< to etcd and back
  // The API server's processors, shared by all that runs.
  int cores = 0;              ///< 0: more than ever wanted
  Distribution request_cost;  ///< CPU seconds of one of our requests
  double readers_rate = 0;    ///< lists by others, a second
  Distribution readers_cost;  ///< CPU seconds of one
  // Audit backend.
  Distribution audit;           ///< of one event
  bool audit_blocking = false;  ///< the answer waits for it
  // Between scheduler and API server, both ways together.
  Distribution network;
};

/// Reads `apiserver` and `network` of a mapping; what is absent stays. Webhooks merge by name.
/// Throws like Section.
void ReadRequestPath(Section& section, RequestPath* path);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_SCENARIO_REQUEST_PATH_H_
