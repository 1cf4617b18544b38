#pragma once

// How to reach an HTTP server and who we are to it: the values of promtool's `--http.config.file`.
// Secrets live in here; nothing in here is ever printed.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedlens {

/// File members are paths, the others are the PEM text itself. Empty = not set.
struct TlsConfig {
  std::string ca, ca_file;
  std::string cert, cert_file;
  std::string key, key_file;
  std::string server_name;
  bool insecure_skip_verify = false;
  std::string min_version, max_version;  ///< "TLS10" ... "TLS13"
};

struct ProxyConfig {
  std::string url;
  std::string no_proxy;  ///< comma separated hosts, domains, networks
  bool from_environment = false;
  std::vector<std::pair<std::string, std::string>> connect_headers;
};

struct BasicAuth {
  std::string username, password;
};

/// Client credentials grant (RFC 6749, 4.4).
struct OAuth2Config {
  std::string client_id, client_secret;
  std::vector<std::string> scopes;
  std::string token_url;
  std::vector<std::pair<std::string, std::string>> endpoint_params;
  TlsConfig tls;
  ProxyConfig proxy;
};

struct HttpConfig {
  std::optional<BasicAuth> basic_auth;
  std::string authorization;  ///< whole value of the header: `Bearer abc`
  std::optional<OAuth2Config> oauth2;
  TlsConfig tls;
  ProxyConfig proxy{.url = {}, .no_proxy = {}, .from_environment = true, .connect_headers = {}};
  bool follow_redirects = true;  ///< secrets go to the same scheme, host and port only
  bool enable_http2 = true;
  std::vector<std::pair<std::string, std::string>> headers;  ///< one entry a value
  /// Where the credentials come from, for messages; empty: --http.config.file.
  std::string origin;
};

/// Reads promtool's format whole. Relative paths are relative to the file; password, credential and
/// header files are read here. Throws Error(kUsage) with file, line and the nearest known key for
/// an unknown key, for two ways to authenticate, for `*_ref` (no secret store is supported) and
/// for tokens whose request is signed as JWT, for a wrong type; Error(kFailed) when a file cannot
/// be read.
HttpConfig ReadHttpConfig(const std::string& path);

/// The same from text; `name` is used in messages, `directory` is where relative paths start.
HttpConfig ParseHttpConfig(std::string_view text, const std::string& name,
                           const std::string& directory);

// How a server of ours is reached: the values of Prometheus' `--web.config.file`.

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
