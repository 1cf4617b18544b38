#pragma once

// What is behind a Kubernetes API server: services through its proxy, and ConfigMaps.

#include <string>

#include "source/open_source.h"

namespace schedlens {

/// How SourceOptions::prometheus begins for a service behind an API server.
inline constexpr const char* kServiceScheme = "kubernetes:";

/// `/api/v1/namespaces/NAMESPACE/services/NAME:PORT/proxy` of `NAMESPACE/[https:]NAME:PORT[/PATH]`;
/// the port is a number or a name, and may lack where the service has one only. Throws
/// Error(kUsage) for anything else.
std::string ServiceProxyPath(const std::string& service);

/// The options with the server's own URL and the kubeconfig's credentials where they name a service
/// behind an API server, else as they are. Throws what reading the kubeconfig throws, and its
/// plugins; what they told is used again for a minute, or until it expires.
SourceOptions ThroughApiServer(const SourceOptions& options);

/// The text of a ConfigMap's key, `NAMESPACE/NAME[/KEY]`, from the kubeconfig's API server. Without
/// a key the only one, else one that a scheduler's configuration usually has. Throws Error(kUsage)
/// for a malformed name and for a key that is not there, and as questions to a server do.
std::string FetchConfigMap(const SourceOptions& options, const std::string& name);

/// The names of the contexts that the kubeconfig has; none where it cannot be read.
std::vector<std::string> ContextNames(const std::string& kubeconfig);

}  // namespace schedlens
