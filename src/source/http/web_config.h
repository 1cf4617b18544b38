#pragma once

// How a server of ours is reached: the values of Prometheus' `--web.config.file`.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace schedlens {

struct WebTls {
  std::string cert_file, key_file;
  std::string client_ca_file;  ///< empty: the system's
  /// Go's words: NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven or
  /// RequireAndVerifyClientCert.
  std::string client_auth = "NoClientCert";
  std::string min_version = "TLS12", max_version = "TLS13";  ///< "TLS10" ... "TLS13"
};

struct WebConfig {
  std::optional<WebTls> tls;                                 ///< none: plain HTTP
  std::map<std::string, std::string> users;                  ///< bcrypt hashes; empty: anybody
  std::vector<std::pair<std::string, std::string>> headers;  ///< of every answer
};

/// Paths are relative to the file. Throws Error(kUsage) with file, line and the nearest known key
/// for what the format does not know, for a hash that is no bcrypt, and for what is not supported
/// here (cipher suites, curves, HTTP/2's switch is ignored); Error(kFailed) when it cannot be read.
WebConfig ReadWebConfig(const std::string& path);

}  // namespace schedlens
