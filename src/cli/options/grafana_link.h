#ifndef SCHEDLENS_CLI_OPTIONS_GRAFANA_LINK_H_
#define SCHEDLENS_CLI_OPTIONS_GRAFANA_LINK_H_

// Addresses of Grafana's pages in place of an alert or a server, and which of the servers may get
// whose credentials.

#include <string>

#include "analysis/alert/alert.h"
#include "source/open_source.h"

namespace schedlens {

/// Whether two URLs have the same scheme, host and port; not where one is no URL or a socket.
bool SameServer(const std::string& one, const std::string& other);

/// A server that is the address of an Explore page is replaced by Grafana's proxy of the data
/// source. Throws Error(kUsage) for the address of a dashboard, which names no data source.
void FollowExplore(SourceOptions* source);

/// FollowExplore, and: an alert that is the address of a rule's page is asked from Grafana, with
/// the credentials of `source` that were typed for it, and replaced by the rule's expression or
/// name; where no source is given, Grafana's proxy of the rule's data source becomes it. Throws
/// Error(kUsage) for the address of a dashboard, rather than send the credentials for another
/// server to Grafana, and what fetching throws.
void FollowGrafana(AlertRequest* request, SourceOptions* source);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_GRAFANA_LINK_H_
