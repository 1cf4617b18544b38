#include "source/http/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/secrets.h"
#include "base/url.h"
#include "schedlens/error.h"
#include "source/http/client_transfer.h"

namespace schedlens {
namespace {

using nlohmann::json;

/// What VictoriaMetrics answers, so that Grafana takes it for a Prometheus.
constexpr const char* kVictoriaMetricsVersion = "2.24.0";

std::pair<std::string, std::string> ReadHeader(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const bool good_name = !name.empty() && std::all_of(name.begin(), name.end(),
                                                      [](char c) { return c > ' ' && c < 127; });
  if (colon == std::string::npos || !good_name || text.find_first_of("\r\n") != std::string::npos) {
    // The value may be a secret, so nothing of a malformed header is shown but a good name.
    throw Error(ErrorKind::kUsage,
                fmt::format("--header {}: expected 'NAME: VALUE' on one line",
                            good_name && colon != std::string::npos ? name : ""));
  }
  const auto value = text.find_first_not_of(' ', colon + 1);
  return {name, value == std::string::npos ? "" : text.substr(value)};
}

std::optional<Semantics> SemanticsOf(const std::string& version) {
  // "2.42.0+ds", "v3.5.1": major and minor decide.
  const std::size_t start = version.starts_with('v') ? 1 : 0;
  const auto first = version.find('.');
  if (first == std::string::npos) return std::nullopt;
  const auto second = version.find_first_not_of("0123456789", first + 1);
  try {
    return ParseSemantics(version.substr(start, second - start));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

HttpOptions HttpOptionsOf(const SourceOptions& options) {
  HttpOptions http;
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
  http.unix_socket = options.unix_socket;
  http.query_timeout_seconds =
      std::min(options.query_timeout_seconds, options.total_timeout_seconds);
  http.total_timeout_seconds = options.total_timeout_seconds;
  http.first_backoff_seconds = options.first_backoff_seconds;
  http.concurrency = options.concurrency;
  http.max_answer_bytes = options.max_answer_bytes;
  http.log = options.log;
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

ServerKind ReadBuildInfo(std::string_view body) {
  ServerKind server{.kind = "unknown", .version = {}, .semantics = {}, .known = false};
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
      server = {
          .kind = "prometheus", .version = server.version, .semantics = *semantics, .known = true};
    }
  }
  return server;
}

}  // namespace schedlens
