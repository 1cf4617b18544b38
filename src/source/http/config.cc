#include "source/http/config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/url.h"
#include "base/yaml_load.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

const ConfigKeys kProxyKeys = {"proxy_url", "no_proxy", "proxy_from_environment",
                               "proxy_connect_header"};

/// Keys of the format that we cannot honour, with what they are.
struct Unsupported {
  std::string_view key, what;
};
constexpr std::string_view kSignedToken =
    "a token request signed as JWT (grant type jwt-bearer) is not supported: fetch the token by "
    "other means and give it in authorization, credentials_file";
constexpr std::string_view kRemoteWrite =
    "it belongs to Prometheus' remote_write, not to its HTTP configuration: give a token in "
    "authorization, credentials_file";
constexpr Unsupported kUnsupported[] = {
    {"client_certificate_key", kSignedToken},
    {"client_certificate_key_file", kSignedToken},
    {"client_certificate_key_id", kSignedToken},
    {"signature_algorithm", kSignedToken},
    {"iss", kSignedToken},
    {"audience", kSignedToken},
    {"claims", kSignedToken},
    {"sigv4", kRemoteWrite},
    {"azuread", kRemoteWrite},
    {"google_iam", kRemoteWrite},
};

/// Refuses keys that are valid in Prometheus but not supported here, each with its reason.
void CheckSupported(const ConfigFile& file, const YAML::Node& node) {
  if (!node.IsDefined() || !node.IsMap()) return;
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    for (const Unsupported& one : kUnsupported) {
      if (key == one.key) FailConfig(file, entry.first, fmt::format("{}: {}", key, one.what));
    }
  }
}

void CheckTlsVersion(const ConfigFile& file, const ConfigMapping& map, const std::string& key) {
  const std::string text = map.Text(key);
  const ConfigKeys versions = {"TLS10", "TLS11", "TLS12", "TLS13"};
  if (text.empty() || std::find(versions.begin(), versions.end(), text) != versions.end()) return;
  FailConfig(file, map.At(key), key + " must be TLS10, TLS11, TLS12 or TLS13");
}

TlsConfig ReadTls(const ConfigFile& file, const YAML::Node& node) {
  const ConfigMapping map(file, node, "tls_config",
                          {"ca", "ca_file", "cert", "cert_file", "key", "key_file", "server_name",
                           "insecure_skip_verify", "min_version", "max_version"});
  for (const char* key : {"ca", "cert", "key"}) {
    if (map.Has(key) && map.Has(std::string(key) + "_file")) {
      FailConfig(file, map.At(key), fmt::format("give {0} or {0}_file, not both", key));
    }
  }
  const bool cert = map.Has("cert") || map.Has("cert_file");
  if (cert != (map.Has("key") || map.Has("key_file"))) {
    FailConfig(file, map.node(), "a client certificate needs both cert and key");
  }
  CheckTlsVersion(file, map, "min_version");
  CheckTlsVersion(file, map, "max_version");
  return {.ca = map.Text("ca"),
          .ca_file = map.Path("ca_file"),
          .cert = map.Text("cert"),
          .cert_file = map.Path("cert_file"),
          .key = map.Text("key"),
          .key_file = map.Path("key_file"),
          .server_name = map.Text("server_name"),
          .insecure_skip_verify = map.Flag("insecure_skip_verify", false),
          .min_version = map.Text("min_version"),
          .max_version = map.Text("max_version")};
}

/// A line break in a header would start another header.
void CheckHeader(const ConfigFile& file, const YAML::Node& at, const std::string& name,
                 const std::string& value) {
  const auto is_token = [](char c) { return c > ' ' && c < 127 && c != ':'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_token)) {
    FailConfig(file, at, "a header's name is empty or holds blanks or colons");
  }
  if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
    FailConfig(file, at, fmt::format("the value of header {} spans lines", name));
  }
}

ProxyConfig ReadProxy(const ConfigFile& file, const ConfigMapping& map) {
  ProxyConfig proxy;
  proxy.url = map.Text("proxy_url");
  proxy.no_proxy = map.Text("no_proxy");
  proxy.from_environment = map.Flag("proxy_from_environment", false);
  if (!proxy.url.empty() && !ParseUrl(proxy.url)) {
    FailConfig(file, map.At("proxy_url"), "proxy_url is not an http or https URL");
  }
  if (proxy.from_environment && (!proxy.url.empty() || !proxy.no_proxy.empty())) {
    FailConfig(file, map.At("proxy_from_environment"),
               "proxy_from_environment excludes proxy_url and no_proxy");
  }
  if (!proxy.no_proxy.empty() && proxy.url.empty()) {
    FailConfig(file, map.At("no_proxy"), "no_proxy needs proxy_url");
  }
  const ConfigMapping headers(file, map.At("proxy_connect_header"), "proxy_connect_header", {});
  if (!headers.given()) return proxy;
  for (const auto& entry : headers.node()) {
    const std::string name = entry.first.Scalar();
    for (const std::string& value : headers.List(name)) {
      CheckHeader(file, entry.first, name, value);
      proxy.connect_headers.emplace_back(name, value);
    }
  }
  return proxy;
}

std::vector<std::pair<std::string, std::string>> ReadHeaders(const ConfigFile& file,
                                                             const YAML::Node& node) {
  std::vector<std::pair<std::string, std::string>> headers;
  const ConfigMapping map(file, node, "http_headers", {});
  if (!map.given()) return headers;
  for (const auto& entry : map.node()) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const ConfigMapping header(file, entry.second, "header " + name,
                               {"values", "secrets", "files"});
    std::vector<std::string> values = header.List("values");
    for (std::string& value : header.List("secrets")) values.push_back(std::move(value));
    for (const std::string& path : header.List("files")) {
      values.push_back(ReadTrimmed((std::filesystem::path(file.directory) / path).string()));
    }
    for (std::string& value : values) {
      CheckHeader(file, entry.first, name, value);
      headers.emplace_back(name, std::move(value));
    }
  }
  return headers;
}

/// Client credentials, the default, are the only way to ask for a token here.
void CheckGrantType(const ConfigFile& file, const ConfigMapping& map) {
  const std::string type = map.Text("grant_type");
  if (type.empty() || type == "client_credentials") return;
  const bool known = type == "urn:ietf:params:oauth:grant-type:jwt-bearer";
  FailConfig(file, map.At("grant_type"),
             known ? "grant_type: " + std::string(kSignedToken)
                   : "grant_type must be client_credentials or "
                     "urn:ietf:params:oauth:grant-type:jwt-bearer");
}

OAuth2Config ReadOAuth2(const ConfigFile& file, const YAML::Node& node) {
  ConfigKeys keys = {"client_id", "client_secret",   "client_secret_file", "scopes",
                     "token_url", "endpoint_params", "tls_config",         "grant_type"};
  keys.insert(keys.end(), kProxyKeys.begin(), kProxyKeys.end());
  CheckSupported(file, node);
  const ConfigMapping map(file, node, "oauth2", keys);
  CheckGrantType(file, map);
  OAuth2Config oauth2;
  oauth2.client_id = map.Text("client_id");
  oauth2.client_secret = map.Secret("client_secret");
  oauth2.scopes = map.List("scopes");
  oauth2.token_url = map.Text("token_url");
  if (oauth2.client_id.empty() || !ParseUrl(oauth2.token_url)) {
    FailConfig(file, node, "oauth2 needs client_id and token_url (an http or https URL)");
  }
  const ConfigMapping params(file, map.At("endpoint_params"), "endpoint_params", {});
  if (params.given()) {
    for (const auto& entry : params.node()) {
      const std::string name = entry.first.Scalar();
      oauth2.endpoint_params.emplace_back(name, params.Text(name));
    }
  }
  oauth2.tls = ReadTls(file, map.At("tls_config"));
  oauth2.proxy = ReadProxy(file, map);
  return oauth2;
}

std::string ReadAuthorization(const ConfigFile& file, const YAML::Node& node) {
  const ConfigMapping map(file, node, "authorization", {"type", "credentials", "credentials_file"});
  std::string type = map.Text("type");
  if (type.empty()) type = "Bearer";
  if (type == "Basic" || type == "basic") {
    FailConfig(file, map.At("type"), "authorization type Basic: use basic_auth");
  }
  std::string value = map.Secret("credentials");
  if (value.empty()) FailConfig(file, node, "authorization needs credentials or credentials_file");
  CheckHeader(file, node, "Authorization", type + value);
  return type + " " + value;
}

HttpConfig ReadConfig(const ConfigFile& file, const YAML::Node& root) {
  ConfigKeys keys = {"basic_auth",   "authorization", "oauth2",
                     "tls_config",   "http_headers",  "follow_redirects",
                     "enable_http2", "bearer_token",  "bearer_token_file"};
  keys.insert(keys.end(), kProxyKeys.begin(), kProxyKeys.end());
  CheckSupported(file, root);
  const ConfigMapping map(file, root, "the HTTP configuration", keys);
  const bool bearer = map.Has("bearer_token") || map.Has("bearer_token_file");
  if (int{map.Has("basic_auth")} + int{map.Has("authorization")} + int{map.Has("oauth2")} +
          int{bearer} >
      1) {
    FailConfig(file, root, "give one of basic_auth, authorization, oauth2 and bearer_token");
  }
  HttpConfig config;
  if (map.Has("basic_auth")) {
    const ConfigMapping basic(file, map.At("basic_auth"), "basic_auth",
                              {"username", "username_file", "password", "password_file"});
    config.basic_auth = BasicAuth{basic.Secret("username"), basic.Secret("password")};
  }
  if (map.Has("authorization")) {
    config.authorization = ReadAuthorization(file, map.At("authorization"));
  }
  if (bearer) {  // the older name of authorization
    const std::string token = map.Secret("bearer_token");
    CheckHeader(file, root, "Authorization", token);
    config.authorization = "Bearer " + token;
  }
  if (map.Has("oauth2")) config.oauth2 = ReadOAuth2(file, map.At("oauth2"));
  config.tls = ReadTls(file, map.At("tls_config"));
  config.proxy = ReadProxy(file, map);
  config.headers = ReadHeaders(file, map.At("http_headers"));
  config.follow_redirects = map.Flag("follow_redirects", true);
  config.enable_http2 = map.Flag("enable_http2", true);
  return config;
}

void RegisterProxy(const ProxyConfig& proxy) {
  RegisterSecretsOfUrl(proxy.url);
  for (const auto& [name, value] : proxy.connect_headers) RegisterHeader(name, value);
}

void Register(const HttpConfig& config) {
  if (config.basic_auth) {
    RegisterCredentials(config.basic_auth->username, config.basic_auth->password);
  }
  RegisterHeader("Authorization", config.authorization);
  RegisterSecret(config.tls.key);
  RegisterProxy(config.proxy);
  for (const auto& [name, value] : config.headers) RegisterHeader(name, value);
  if (!config.oauth2) return;
  RegisterCredentials(config.oauth2->client_id, config.oauth2->client_secret);
  RegisterSecret(config.oauth2->tls.key);
  RegisterSecretsOfUrl(config.oauth2->token_url);
  RegisterProxy(config.oauth2->proxy);
  for (const auto& [name, value] : config.oauth2->endpoint_params) {
    if (IsSecretName(name)) RegisterSecret(value);
  }
}

}  // namespace

void FailConfig(const ConfigFile& file, const YAML::Node& at, const std::string& text) {
  const YAML::Mark mark = at.Mark();
  const std::string line = mark.is_null() ? "" : fmt::format(":{}", mark.line + 1);
  throw Error(ErrorKind::kUsage, fmt::format("{}{}: {}", file.name, line, text));
}

std::string ReadTrimmed(const std::string& path) {
  std::string text = ReadFile(path, std::size_t{1} << 20);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

ConfigMapping::ConfigMapping(const ConfigFile& file, const YAML::Node& node, std::string where,
                             const ConfigKeys& known)
    : file_(file), node_(std::make_shared<const YAML::Node>(node)), where_(std::move(where)) {
  if (!given()) return;
  if (!node_->IsMap()) FailConfig(file_, *node_, where_ + " must be a mapping of keys to values");
  std::set<std::string> seen;
  for (const auto& entry : *node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    if (!known.empty()) CheckKey(entry.first, key, known);
    if (!seen.insert(key).second) {
      FailConfig(file_, entry.first, fmt::format("{} is given twice", key));
    }
  }
}

bool ConfigMapping::given() const { return node_->IsDefined() && !node_->IsNull(); }

YAML::Node ConfigMapping::At(const std::string& key) const {
  return given() ? (*node_)[key] : YAML::Node(YAML::NodeType::Undefined);
}

bool ConfigMapping::Has(const std::string& key) const {
  const YAML::Node value = At(key);
  return value.IsDefined() && !value.IsNull();
}

std::string ConfigMapping::Text(const std::string& key) const {
  return Has(key) ? Scalar(At(key), key) : "";
}

std::string ConfigMapping::Path(const std::string& key) const {
  const std::string text = Text(key);
  if (text.empty()) return text;
  return (std::filesystem::path(file_.directory) / text).lexically_normal().string();
}

bool ConfigMapping::Flag(const std::string& key, bool fallback) const {
  if (!Has(key)) return fallback;
  bool value = false;
  if (!At(key).IsScalar() || !YAML::convert<bool>::decode(At(key), value)) {
    FailConfig(file_, At(key), key + " must be true or false");
  }
  return value;
}

std::vector<std::string> ConfigMapping::List(const std::string& key) const {
  std::vector<std::string> values;
  if (!Has(key)) return values;
  if (!At(key).IsSequence()) FailConfig(file_, At(key), key + " must be a list");
  for (const auto& entry : At(key)) values.push_back(Scalar(entry, key));
  return values;
}

std::string ConfigMapping::Secret(const std::string& key) const {
  const std::string file_key = key + "_file";
  if (Has(key) && Has(file_key)) {
    FailConfig(file_, At(key), fmt::format("give {} or {}, not both", key, file_key));
  }
  return Has(file_key) ? ReadTrimmed(Path(file_key)) : Text(key);
}

void ConfigMapping::CheckKey(const YAML::Node& at, const std::string& key,
                             const ConfigKeys& known) const {
  if (std::find(known.begin(), known.end(), key) != known.end()) return;
  if (key.ends_with("_ref")) {
    FailConfig(file_, at,
               fmt::format("{}: secret stores are not supported, use the _file key", key));
  }
  FailConfig(
      file_, at,
      fmt::format("unknown key {} in {}: did you mean {}?", key, where_, Nearest(key, known)));
}

std::string ConfigMapping::Scalar(const YAML::Node& value, const std::string& key) const {
  if (!value.IsScalar()) FailConfig(file_, value, key + " must be plain text");
  return value.Scalar();
}

HttpConfig ParseHttpConfig(std::string_view text, const std::string& name,
                           const std::string& directory) {
  const ConfigFile file{name, directory};
  try {
    HttpConfig config = ReadConfig(file, LoadYaml(std::string(text)));
    Register(config);
    return config;
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: not valid YAML: {}", name, error.mark.line + 1, error.msg));
  }
}

HttpConfig ReadHttpConfig(const std::string& path) {
  return ParseHttpConfig(ReadFile(path, std::size_t{16} << 20), path,
                         std::filesystem::path(path).parent_path().string());
}

}  // namespace schedlens
