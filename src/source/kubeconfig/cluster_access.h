#ifndef SCHEDLENS_SOURCE_KUBECONFIG_CLUSTER_ACCESS_H_
#define SCHEDLENS_SOURCE_KUBECONFIG_CLUSTER_ACCESS_H_

// What a context of a kubeconfig comes to: an API server and one way to show who we are.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/series.h"
#include "source/kubeconfig/kubeconfig.h"

namespace schedlens {

struct ClusterAccess {
  std::string origin;   ///< "user alice of context prod in FILE", for messages
  KubeCluster cluster;  ///< its server is an http or https URL
  std::string token;
  std::string username, password;
  std::string cert, cert_file, key, key_file;
  std::vector<std::pair<std::string, std::string>> headers;  ///< impersonation
  std::optional<TimeMs> expires;                             ///< of what an exec plugin printed
};

/// The context's cluster with its user's credentials, in kubectl's order: a token file before a
/// token, an exec plugin only where there is neither token nor password. Runs the plugin, for at
/// most `limit_seconds`. An empty `context` is the current one. A server
/// without a scheme is asked by https where it has an authority, a client certificate or
/// insecure-skip-tls-verify, else by http; nothing of the user but whom it acts for goes over http,
/// as in kubectl. Throws Error(kUsage) for a context, cluster or user that is not there and for an
/// auth-provider, Error(kFailed) for a file that cannot be read, and what RunExecPlugin throws.
ClusterAccess AccessOf(const Kubeconfig& config, const std::string& context, double limit_seconds);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_KUBECONFIG_CLUSTER_ACCESS_H_
