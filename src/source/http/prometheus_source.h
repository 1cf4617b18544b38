#pragma once

#include "source/open_source.h"

namespace schedlens {

/// AskEach of a server that limits how much one query may load or answer. A question for raw
/// samples, or over a range, that fails as `too_much` says is halved in time and asked again, down
/// to a minute or a single step; then the failure stands. All other errors pass.
void AskEachHalving(Source& server, const std::vector<Query>& queries,
                    const std::function<bool(const Error&)>& too_much,
                    const std::function<void(std::size_t, Answer)>& take);

/// A source that does so where the server says that it has a limit (TellsALimit).
std::unique_ptr<Source> NewHalvingSource(std::unique_ptr<Source> server);

/// A Prometheus-compatible server: Prometheus, Thanos, Mimir, Cortex, VictoriaMetrics. Nothing is
/// contacted before the first question. Describe() asks who answers: the version by buildinfo, the
/// processor's way of rounding by a histogram_quantile of constants; bits are claimed only for a
/// Prometheus of known version whose rounding showed.
/// Throws Error(kUsage) for a malformed URL, header or HTTP configuration. Questions throw Error
/// with the server's own words: kAuth, kTimeout (ours or the server's), kFailed.
std::unique_ptr<Source> NewPrometheusSource(const SourceOptions& options);

/// `/api/v1/rules` as the server sends it (JSON text): what an alert's name stands for. Throws as
/// questions do.
std::string FetchRules(const SourceOptions& options);

/// The server's clock as its answers tell it (to the second); nothing when they do not.
std::optional<TimeMs> ServerClock(const SourceOptions& options);

/// A page of text, GET of `url` with the options' credentials and limits: a scheduler's `/metrics`.
/// Throws as questions do, for every status but 200 too.
std::string FetchPage(const SourceOptions& options, const std::string& url);

// What is behind a Kubernetes API server: services through its proxy, and ConfigMaps.

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

/// The services, as `--service` takes them, that by their labels are a Prometheus, Thanos Querier
/// or VictoriaMetrics of the kubeconfig's cluster: of the first of those kinds that there is, by
/// namespace and name; none where there is none. Throws as questions to a server do.
std::vector<std::string> FindServers(const SourceOptions& options);

/// The names of the contexts that the kubeconfig has; none where it cannot be read.
std::vector<std::string> ContextNames(const std::string& kubeconfig);

}  // namespace schedlens
