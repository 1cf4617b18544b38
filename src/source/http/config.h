#pragma once

// How to reach an HTTP server and who we are to it: the values of promtool's `--http.config.file`.
// Secrets live in here; nothing in here is ever printed. The mappings of the YAML file are read
// strictly: every key is known and each value is of its kind, or an Error(kUsage) names the file
// and the line.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace YAML {
class Node;
}

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
  std::string username;
  std::string password;
};

/// Client credentials grant (RFC 6749, 4.4).
struct OAuth2Config {
  std::string client_id;
  std::string client_secret;
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

using ConfigKeys = std::vector<std::string>;

struct ConfigFile {
  std::string name;       ///< as messages call it
  std::string directory;  ///< where relative paths start
};

[[noreturn]] void FailConfig(const ConfigFile& file, const YAML::Node& at, const std::string& text);

/// A file's content without surrounding blanks. Throws Error(kFailed) when it cannot be read.
std::string ReadTrimmed(const std::string& path);

/// A YAML mapping. An absent one has no keys.
class ConfigMapping {
 public:
  /// `where` names it in messages; any key may stand in it where none is known. `file` must outlive
  /// this object.
  ConfigMapping(const ConfigFile& file, const YAML::Node& node, std::string where,
                const ConfigKeys& known);

  bool given() const;
  const YAML::Node& node() const { return *node_; }
  /// Undefined where there is none.
  YAML::Node At(const std::string& key) const;
  bool Has(const std::string& key) const;
  /// Empty where there is none.
  std::string Text(const std::string& key) const;
  std::string Path(const std::string& key) const;
  bool Flag(const std::string& key, bool fallback) const;
  std::vector<std::string> List(const std::string& key) const;
  /// The secret itself, or what its file holds without surrounding blanks.
  std::string Secret(const std::string& key) const;

 private:
  void CheckKey(const YAML::Node& at, const std::string& key, const ConfigKeys& known) const;
  std::string Scalar(const YAML::Node& value, const std::string& key) const;

  const ConfigFile& file_;
  std::shared_ptr<const YAML::Node> node_;
  std::string where_;
};

}  // namespace schedlens
