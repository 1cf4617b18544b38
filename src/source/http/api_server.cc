#include "source/http/api_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "base/work_budget.h"
#include "schedlens/error.h"
#include "source/http/client.h"
#include "source/http/server.h"
#include "source/kubeconfig/kubeconfig.h"

namespace schedlens {

struct ApiServerCache {
  std::mutex mutex;
  std::string server;
  std::shared_ptr<const HttpConfig> access;
  std::chrono::system_clock::time_point until;
};

std::shared_ptr<ApiServerCache> NewApiServerCache() { return std::make_shared<ApiServerCache>(); }

namespace {

constexpr std::chrono::seconds kKept{60};
/// Keys under which installers keep a scheduler's configuration.
constexpr const char* kUsualKeys[] = {"config.yaml", "kube-scheduler-config.yaml",
                                      "scheduler-config.yaml"};

bool IsName(const std::string& text) {
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

/// The parts between the first slashes; the last takes the rest.
std::vector<std::string> SplitPath(const std::string& text, std::size_t most) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (parts.size() + 1 < most && text.find('/', at) != std::string::npos) {
    const std::size_t slash = text.find('/', at);
    parts.push_back(text.substr(at, slash - at));
    at = slash + 1;
  }
  parts.push_back(text.substr(at));
  return parts;
}

HttpConfig ConfigOf(const ClusterAccess& from) {
  HttpConfig config;
  const KubeCluster& cluster = from.cluster;
  config.origin = from.origin;
  config.tls.ca = cluster.ca;
  if (cluster.ca.empty()) config.tls.ca_file = cluster.ca_file;
  config.tls.cert = from.cert;
  config.tls.cert_file = from.cert_file;
  config.tls.key = from.key;
  config.tls.key_file = from.key_file;
  config.tls.server_name = cluster.tls_server_name;
  config.tls.insecure_skip_verify = cluster.insecure;
  if (!cluster.proxy_url.empty()) {
    config.proxy.url = cluster.proxy_url;
    config.proxy.from_environment = false;
  }
  if (!from.token.empty()) config.authorization = "Bearer " + from.token;
  if (from.token.empty() && !from.username.empty()) {
    config.basic_auth = BasicAuth{from.username, from.password};
  }
  config.headers = from.headers;
  config.follow_redirects = false;  // nobody else gets these credentials
  return config;
}

/// The API server as the kubeconfig has it, as if it were the server of the questions.
SourceOptions ApiServerOf(const SourceOptions& options) {
  ApiServerCache& cache = *options.api_server;
  const std::lock_guard lock(cache.mutex);
  const auto now = std::chrono::system_clock::now();
  if (!cache.access || now >= cache.until) {
    const ClusterAccess found = AccessOf(ReadKubeconfig(options.kubeconfig), options.context,
                                         std::min(options.total_timeout_seconds, SecondsLeft()));
    cache.server = found.cluster.server;
    cache.access = std::make_shared<const HttpConfig>(ConfigOf(found));
    cache.until = now + kKept;
    if (found.expires) {
      cache.until = std::min(cache.until, std::chrono::system_clock::time_point(
                                              std::chrono::milliseconds(*found.expires)));
    }
  }
  SourceOptions reached = options;
  reached.prometheus = cache.server;
  reached.access = cache.access;
  return reached;
}

std::string JoinUrl(std::string server, const std::string& path) {
  if (server.ends_with('/')) server.pop_back();
  return server + path;
}

std::string ChooseKey(const std::string& name, const nlohmann::json& data) {
  if (data.size() == 1) return data.begin().key();
  for (const char* key : kUsualKeys) {
    if (data.contains(key)) return key;
  }
  std::vector<std::string> keys;
  for (const auto& [key, value] : data.items()) keys.push_back(key);
  throw Error(ErrorKind::kUsage,
              fmt::format("configmap:{}: {}", name,
                          keys.empty() ? std::string("it has no data")
                                       : fmt::format("which key? It has {}: add /KEY",
                                                     fmt::join(keys, ", "))));
}

std::string ValueAt(const std::string& name, const nlohmann::json& data, const std::string& key) {
  const auto found = data.find(key);
  if (found != data.end() && found->is_string()) return found->get<std::string>();
  std::vector<std::string> keys;
  for (const auto& [known, value] : data.items()) keys.push_back(known);
  throw Error(ErrorKind::kUsage,
              fmt::format("configmap:{}: no such key; did you mean {}?", name, Nearest(key, keys)));
}

}  // namespace

std::string ServiceProxyPath(const std::string& service) {
  const std::vector<std::string> parts = SplitPath(service, 3);
  const std::string place = parts.size() > 1 ? parts[1] : "";
  std::string name = place;
  for (const char* scheme : {"https:", "http:"}) {
    if (name.starts_with(scheme)) name.erase(0, std::string(scheme).size());
  }
  const std::size_t colon = name.find(':');
  const bool good_port = colon == std::string::npos || IsName(name.substr(colon + 1));
  const bool good_path = parts.size() < 3 || parts[2].find("..") == std::string::npos;
  if (parts.size() < 2 || !good_path || !IsName(parts[0]) || !IsName(name.substr(0, colon)) ||
      !good_port) {
    throw Error(ErrorKind::kUsage, fmt::format("--service {}: expected NAMESPACE/NAME:PORT, such "
                                               "as monitoring/prometheus-k8s:9090; https:NAME:PORT "
                                               "for a service that speaks TLS",
                                               service));
  }
  // With a scheme both colons stand, also where there is no port.
  const std::string port = place != name && colon == std::string::npos ? ":" : "";
  std::string path =
      fmt::format("/api/v1/namespaces/{}/services/{}{}/proxy", parts[0], place, port);
  if (parts.size() > 2 && !parts[2].empty()) path += "/" + parts[2];
  return path;
}

SourceOptions ThroughApiServer(const SourceOptions& options) {
  if (!options.prometheus.starts_with(kServiceScheme)) return options;
  const std::string path =
      ServiceProxyPath(options.prometheus.substr(std::string(kServiceScheme).size()));
  SourceOptions reached = ApiServerOf(options);
  reached.prometheus = JoinUrl(reached.prometheus, path);
  return reached;
}

std::string FetchConfigMap(const SourceOptions& options, const std::string& name) {
  const std::vector<std::string> parts = SplitPath(name, 3);
  const bool good_path = parts.size() < 3 || parts[2].find("..") == std::string::npos;
  if (parts.size() < 2 || !good_path || !IsName(parts[0]) || !IsName(parts[1])) {
    throw Error(ErrorKind::kUsage, fmt::format("configmap:{}: expected configmap:NAMESPACE/NAME or "
                                               "configmap:NAMESPACE/NAME/KEY",
                                               name));
  }
  SourceOptions reached = ApiServerOf(options);
  reached.headers.clear();  // those are Prometheus's
  reached.tenant.clear();
  HttpClient client(HttpOptionsOf(reached));
  HttpRequest request;
  request.url = JoinUrl(reached.prometheus,
                        fmt::format("/api/v1/namespaces/{}/configmaps/{}", parts[0], parts[1]));
  request.what = "configmap " + name;
  const HttpAnswer answer = client.Fetch(request);
  if (answer.status != 200) ThrowStatus(request, answer);
  const auto document = ReadJson(answer.body);
  if (!document.is_object()) ThrowOf(request, ErrorKind::kFailed, "the answer is no JSON object");
  const nlohmann::json& data = MemberAt(document, "data");
  return ValueAt(name, data, parts.size() > 2 ? parts[2] : ChooseKey(name, data));
}

std::vector<std::string> ContextNames(const std::string& kubeconfig) {
  std::vector<std::string> names;
  try {
    for (const auto& [name, context] : ReadKubeconfig(kubeconfig).contexts) names.push_back(name);
  } catch (const Error&) {
    return {};
  }
  return names;
}

}  // namespace schedlens
