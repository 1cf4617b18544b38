#include <fmt/ranges.h>
#include <re2/re2.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/suggestion.h"
#include "base/work_budget.h"
#include "source/http/client.h"
#include "source/http/json_stream.h"
#include "source/http/kubeconfig.h"
#include "source/http/prometheus_source.h"

namespace schedlens {

struct ApiServerCache {
  std::mutex mutex;
  std::string server;
  std::shared_ptr<const HttpConfig> access;
  std::chrono::system_clock::time_point until;
};

namespace {

using nlohmann::json;

/// The server's flag behind a limit, where its words tell which; else just "limit".
std::string FlagOf(std::string_view text) {
  if (text.find("too many samples") != std::string_view::npos) return "--query.max-samples";
  static const RE2 kFlag("(-(?:search|querier|store)\\.max[[:alnum:].-]*)", RE2::Latin1);
  std::string flag;
  return RE2::PartialMatch(text, kFlag, &flag) ? flag : "limit";
}

std::string Advice(int status, const std::string& type, const std::string& text) {
  const auto says = [&text](const char* words) { return text.find(words) != std::string::npos; };
  // `limitk` and `limit_ratio` are functions.
  static const RE2 kLimit("\\blimit\\b", RE2::Latin1);
  if (TellsALimit(text) || says("exceeds") || RE2::PartialMatch(text, kLimit)) {
    return fmt::format(
        ": ask for a shorter --window, narrow it with --selector, or raise the server's {}",
        FlagOf(text));
  }
  if (type == "timeout" || type == "canceled") {
    return ": ask for a shorter --window or raise the server's query timeout";
  }
  if (says("to an HTTPS server")) return ": try https:// in the URL";
  if (status / 100 == 3) return ": give the URL behind the redirect, or allow follow_redirects";
  if (status == 404) return ": is the URL's path prefix right?";
  if (status == 429 || status >= 502) return ": the server is overloaded or down, try later";
  return "";
}

/// What VictoriaMetrics answers, so that Grafana takes it for a Prometheus.
constexpr const char* kVictoriaMetricsVersion = "2.24.0";

std::pair<std::string, std::string> ReadHeader(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const bool good_name =
      !name.empty() && std::ranges::all_of(name, [](char c) { return c > ' ' && c < 127; });
  if (colon == std::string::npos || !good_name || text.find_first_of("\r\n") != std::string::npos) {
    // The value may be a secret, so nothing of a malformed header is shown but a good name.
    Raise(ErrorKind::kUsage, "--header {}: expected 'NAME: VALUE' on one line",
          good_name && colon != std::string::npos ? name : "");
  }
  const auto value = text.find_first_not_of(' ', colon + 1);
  return {name, value == std::string::npos ? "" : text.substr(value)};
}

std::optional<Semantics> SemanticsOf(const std::string& version) {
  // "2.42.0+ds", "v3.5.1": major and minor decide.
  static const RE2 kRelease("(?s)v?([^.]*\\.\\d*).*", RE2::Latin1);
  std::string release;
  if (!RE2::FullMatch(version, kRelease, &release)) return std::nullopt;
  try {
    return ParseSemantics(release);
  } catch (const Error&) {
    return std::nullopt;
  }
}

constexpr std::chrono::seconds kKept{60};
/// Keys under which installers keep a scheduler's configuration.
constexpr const char* kUsualKeys[] = {"config.yaml", "kube-scheduler-config.yaml",
                                      "scheduler-config.yaml"};

bool IsName(const std::string& text) {
  static const RE2 kForm("[a-z0-9-][a-z0-9.-]*", RE2::Latin1);
  return RE2::FullMatch(text, kForm);
}

/// The namespace, what follows its slash and, where there is another, all behind that. Empty for
/// what is no path in the API.
std::vector<std::string> SplitPath(const std::string& text) {
  std::vector<std::string> parts = {text};
  while (parts.size() < 3 && parts.back().find('/') != std::string::npos) {
    const std::size_t slash = parts.back().find('/');
    parts.push_back(parts.back().substr(slash + 1));
    parts[parts.size() - 2].resize(slash);
  }
  const bool good_path = parts.size() < 3 || parts[2].find("..") == std::string::npos;
  if (parts.size() < 2 || !good_path || !IsName(parts[0])) parts.clear();
  return parts;
}

/// The API server as the kubeconfig has it, as if it were the server of the questions.
SourceOptions ApiServerOf(const SourceOptions& options) {
  ApiServerCache& cache = *options.api_server;
  const std::lock_guard lock(cache.mutex);
  const auto now = std::chrono::system_clock::now();
  if (!cache.access || now >= cache.until) {
    ClusterAccess found = AccessOf(ReadKubeconfig(options.kubeconfig), options.context,
                                   std::min(options.total_timeout_seconds, SecondsLeft()));
    cache.server = found.server;
    cache.access = std::make_shared<const HttpConfig>(std::move(found.http));
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

std::vector<std::string> KeysOf(const nlohmann::json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

std::string ChooseKey(const std::string& name, const nlohmann::json& data) {
  if (data.size() == 1) return data.begin().key();
  for (const char* key : kUsualKeys) {
    if (data.contains(key)) return key;
  }
  Raise(ErrorKind::kUsage, "configmap:{}: {}", name,
        data.empty()
            ? std::string("it has no data")
            : fmt::format("which key? It has {}: add /KEY", fmt::join(KeysOf(data), ", ")));
}

std::string LineOf(const std::string& what, const std::string& url, const std::string& text) {
  std::string line = fmt::format("{} ({}): {}", what, PrintableUrl(url), text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace

bool TellsALimit(std::string_view text) {
  // Prometheus and Thanos; VictoriaMetrics, whose limits are flags; Mimir and Cortex.
  static const RE2 kWords(
      "too many samples|-search\\.max|maximum resolution|err-mimir-max|the query hit the max",
      RE2::Latin1);
  return RE2::PartialMatch(text, kWords);
}

void ThrowOf(const std::string& what, const std::string& url, ErrorKind kind,
             const std::string& text) {
  throw Error(kind, LineOf(what, url, text));
}

void ThrowOf(const HttpRequest& request, ErrorKind kind, const std::string& text) {
  ThrowOf(request.what, request.url, kind, text);
}

std::string KubernetesMessage(const std::string& body) {
  const auto document = ReadJson(body);
  return TextAt(document, "kind") == "Status" ? TextAt(document, "message") : "";
}

void ThrowStatus(const HttpRequest& request, const HttpAnswer& answer) {
  ApiAnswer api;
  try {
    api = ReadApiAnswer(answer.body);
  } catch (const Error&) {
    // No JSON: a proxy or another program answered, perhaps in one line of plain words.
    const bool marked = answer.body.starts_with("<") || answer.body.starts_with("{");
    if (!marked)
      api.error = answer.body.substr(0, std::min<std::size_t>(answer.body.find('\n'), 120));
  }
  const std::string refusal = KubernetesMessage(answer.body);
  if (!refusal.empty()) {
    ThrowOf(request, ErrorKind::kFailed,
            fmt::format("the API server answers {}: {}", answer.status, refusal));
  }
  const std::string said = api.error.empty() ? "" : ": " + api.error;
  // VictoriaMetrics gives the status as the type.
  const bool told = api.error_type.empty() || api.error_type == std::to_string(answer.status);
  const std::string type = told ? "" : " " + api.error_type;
  const ErrorKind kind = api.error_type == "timeout" || answer.status == 504 ? ErrorKind::kTimeout
                                                                             : ErrorKind::kFailed;
  const std::string text = fmt::format("the server answers {}{}{}{}", answer.status, type, said,
                                       Advice(answer.status, api.error_type, api.error));
  constexpr int kUnprocessable = 422;  // what was understood, and failed when it was evaluated
  if (answer.status == kUnprocessable) throw RefusedQuery(LineOf(request.what, request.url, text));
  ThrowOf(request, kind, text);
}

HttpOptions HttpOptionsOf(const SourceOptions& options) {
  HttpOptions http;
  static_cast<RequestLimits&>(http) = options;
  if (!options.http_config_file.empty()) http.access = ReadHttpConfig(options.http_config_file);
  if (options.access) http.access = *options.access;
  for (const std::string& header : options.headers) http.headers.push_back(ReadHeader(header));
  if (!options.tenant.empty()) {
    // Of Mimir and Cortex; of Thanos. Each server passes over the other's.
    for (const char* name : {"X-Scope-OrgID: ", "THANOS-TENANT: "}) {
      http.headers.push_back(ReadHeader(name + options.tenant));
    }
  }
  for (const auto& [name, value] : http.headers) RegisterHeader(name, value);
  RegisterSecretsOfUrl(options.prometheus);
  http.query_timeout_seconds = std::min(http.query_timeout_seconds, http.total_timeout_seconds);
  return http;
}

std::string ApiUrl(const std::string& url, std::string_view path) {
  auto parsed = ParseUrl(url);
  if (!parsed) {
    throw Error(ErrorKind::kUsage,
                "--prometheus: not an http, https or unix URL such as http://localhost:9090");
  }
  CheckCredentials(*parsed, "--prometheus");
  std::string& prefix = parsed->path;
  const auto drop = [&prefix](std::string_view end) {
    if (prefix.ends_with(end)) prefix.resize(prefix.size() - end.size());
  };
  drop("/");
  // What browsers show of Prometheus and of VictoriaMetrics, whose API is beside its pages.
  for (const char* end : {"/graph", "/query", "/api/v1", "/vmui"}) drop(end);
  drop("/");
  std::string credentials;
  if (!parsed->user.empty() || !parsed->password.empty()) {
    credentials = PercentEncode(parsed->user) + ":" + PercentEncode(parsed->password) + "@";
  }
  if (!parsed->unix_socket.empty()) {
    return fmt::format("unix:{}:{}{}", parsed->unix_socket, prefix, path);
  }
  return fmt::format("{}://{}{}:{}{}{}", parsed->scheme, credentials, parsed->host,
                     parsed->PortOrDefault(), prefix, path);
}

SourceInfo ReadBuildInfo(std::string_view body) {
  SourceInfo server;
  server.kind = "unknown";
  server.exact = false;
  const json document = ReadJson(body);
  const json& data = MemberAt(document, "data");
  if (!data.is_object()) return server;
  server.version = TextAt(data, "version");
  const std::string application = TextAt(data, "application");
  const bool has_origin = !TextAt(data, "goVersion").empty() || !TextAt(data, "revision").empty();
  if (application.find("Mimir") != std::string::npos) {
    server.kind = "mimir";
  } else if (application.find("Cortex") != std::string::npos) {
    server.kind = "cortex";
  } else if (server.version == kVictoriaMetricsVersion && !has_origin) {
    server.kind = "victoriametrics";
    server.version.clear();  // not its own
    server.semantics = ParseSemantics("victoriametrics");
  } else if (server.version.starts_with("0.")) {
    server.kind = "thanos";  // the only one of them that has not reached 1.0
  } else if (has_origin && application.empty()) {
    if (const auto semantics = SemanticsOf(server.version)) {
      server.kind = "prometheus";
      server.semantics = *semantics;
      server.exact = true;
    }
  }
  return server;
}

std::shared_ptr<ApiServerCache> NewApiServerCache() { return std::make_shared<ApiServerCache>(); }

std::string ServiceProxyPath(const std::string& service) {
  const std::vector<std::string> parts = SplitPath(service);
  const std::string place = parts.empty() ? "" : parts[1];
  std::string name = place;
  for (const char* scheme : {"https:", "http:"}) {
    if (name.starts_with(scheme)) name.erase(0, std::string(scheme).size());
  }
  const std::size_t colon = name.find(':');
  const bool good_port = colon == std::string::npos || IsName(name.substr(colon + 1));
  if (parts.empty() || !IsName(name.substr(0, colon)) || !good_port) {
    Raise(ErrorKind::kUsage,
          "--service {}: expected NAMESPACE/NAME:PORT, such as monitoring/prometheus-k8s:9090; "
          "https:NAME:PORT for a service that speaks TLS",
          service);
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

namespace {

/// The object that a GET of the API server answers.
nlohmann::json AskApiServer(const SourceOptions& options, const std::string& path,
                            const std::string& what) {
  SourceOptions reached = ApiServerOf(options);
  reached.headers.clear();  // those are Prometheus's
  reached.tenant.clear();
  HttpClient client(HttpOptionsOf(reached));
  HttpRequest request;
  request.url = JoinUrl(reached.prometheus, path);
  request.what = what;
  const HttpAnswer answer = client.Fetch(request);
  if (answer.status != 200) ThrowStatus(request, answer);
  auto document = ReadJson(answer.body);
  if (!document.is_object()) ThrowOf(request, ErrorKind::kFailed, "the answer is no JSON object");
  return document;
}

/// The labels of what answers a whole cluster's questions, those that charts and operators set; the
/// first that any service has decides.
constexpr const char* kServerLabels[] = {
    "app.kubernetes.io/name in (thanos-query,thanos-querier)",
    "app.kubernetes.io/name=prometheus,"
    "app.kubernetes.io/component notin (alertmanager,pushgateway,thanos-sidecar)",
    "app in (prometheus,kube-prometheus-stack-prometheus,prometheus-k8s),"
    "component notin (alertmanager,pushgateway,node-exporter,kube-state-metrics)",
    "app.kubernetes.io/name in (vmsingle,victoria-metrics-single)",
    "operated-prometheus=true",
};

/// As --service takes it: with the port that such servers answer at, by its name, else the first.
std::string ServiceText(const nlohmann::json& service) {
  const nlohmann::json& metadata = MemberAt(service, "metadata");
  const nlohmann::json& ports = ListAt(MemberAt(service, "spec"), "ports");
  nlohmann::json chosen = ports.empty() ? nlohmann::json() : ports.front();
  for (const char* name : {"http", "http-web", "web", "https", "https-web"}) {
    for (const nlohmann::json& port : ports) {
      if (TextAt(port, "name") == name) chosen = port;
    }
  }
  const nlohmann::json& number = MemberAt(chosen, "port");
  if (!number.is_number_unsigned()) return "";
  const bool tls = TextAt(chosen, "name").starts_with("https");
  return fmt::format("{}/{}{}:{}", TextAt(metadata, "namespace"), tls ? "https:" : "",
                     TextAt(metadata, "name"), number.get<std::uint64_t>());
}

}  // namespace

std::vector<std::string> FindServers(const SourceOptions& options) {
  std::vector<std::string> found;
  for (const char* labels : kServerLabels) {
    const auto services = AskApiServer(
        options, fmt::format("/api/v1/services?limit=100&labelSelector={}", PercentEncode(labels)),
        "finding Prometheus among the services of all namespaces");
    for (const nlohmann::json& service : ListAt(services, "items")) {
      const std::string text = ServiceText(service);
      if (!text.empty()) found.push_back(text);
    }
    if (!found.empty()) break;
  }
  std::ranges::sort(found);
  return found;
}

std::string FetchConfigMap(const SourceOptions& options, const std::string& name) {
  const std::vector<std::string> parts = SplitPath(name);
  if (parts.empty() || !IsName(parts[1])) {
    Raise(ErrorKind::kUsage,
          "configmap:{}: expected configmap:NAMESPACE/NAME or configmap:NAMESPACE/NAME/KEY", name);
  }
  const auto document =
      AskApiServer(options, fmt::format("/api/v1/namespaces/{}/configmaps/{}", parts[0], parts[1]),
                   "configmap " + name);
  const nlohmann::json& data = MemberAt(document, "data");
  const std::string key = parts.size() > 2 ? parts[2] : ChooseKey(name, data);
  const auto found = data.find(key);
  if (found != data.end() && found->is_string()) return found->get<std::string>();
  Raise(ErrorKind::kUsage, "configmap:{}: no such key{}", name, Suggestion(key, KeysOf(data)));
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
