#include "source/http/config.h"

#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "base/url.h"
#include "source/settings_map.h"

namespace schedlens {
namespace {

std::string OneOf(SettingsMap& map, const std::string& key, const std::string& fallback,
                  const std::vector<std::string>& words) {
  const std::string text = map.Text(key);
  if (text.empty()) return fallback;
  if (std::ranges::find(words, text) != words.end()) return text;
  map.Fail(map.Find(key), fmt::format("{} must be one of {}", key, fmt::join(words, ", ")));
}

std::string ReadTlsVersion(SettingsMap& map, const std::string& key, const std::string& fallback) {
  return OneOf(map, key, fallback, {"TLS10", "TLS11", "TLS12", "TLS13"});
}

/// Keys of the format that we cannot honour, between blanks, with what they are.
struct Unsupported {
  std::string_view keys, what;
};
constexpr std::string_view kSignedToken =
    "a token request signed as JWT (grant type jwt-bearer) is not supported: fetch the token by "
    "other means and give it in authorization, credentials_file";
constexpr std::string_view kRemoteWrite =
    "it belongs to Prometheus' remote_write, not to its HTTP configuration: give a token in "
    "authorization, credentials_file";
constexpr Unsupported kUnsupported[] = {
    {" client_certificate_key client_certificate_key_file client_certificate_key_id "
     "signature_algorithm iss audience claims ",
     kSignedToken},
    {" sigv4 azuread google_iam ", kRemoteWrite},
};

/// Complains about what nobody asked for: with its reason where it is valid in Prometheus.
void Finish(SettingsMap& map) {
  if (map.node() && map.node().IsMap()) {
    for (const auto& entry : map.node()) {
      const std::string key = entry.first.Scalar();
      if (key.ends_with("_ref")) {
        map.Fail(entry.first, key + ": secret stores are not supported, use the _file key");
      }
      for (const Unsupported& one : kUnsupported) {
        if (one.keys.find(' ' + key + ' ') == one.keys.npos) continue;
        map.Fail(entry.first, fmt::format("{}: {}", key, one.what));
      }
    }
  }
  map.Finish();
}

TlsConfig ReadTls(SettingsMap map) {
  for (const std::string key : {"ca", "cert", "key"}) map.Exclude(key, key + "_file");
  const TlsConfig tls{.ca = map.Text("ca"),
                      .ca_file = map.Path("ca_file"),
                      .cert = map.Text("cert"),
                      .cert_file = map.Path("cert_file"),
                      .key = map.Text("key"),
                      .key_file = map.Path("key_file"),
                      .server_name = map.Text("server_name"),
                      .insecure_skip_verify = map.Flag("insecure_skip_verify"),
                      .min_version = ReadTlsVersion(map, "min_version", ""),
                      .max_version = ReadTlsVersion(map, "max_version", "")};
  Finish(map);
  if ((tls.cert + tls.cert_file).empty() != (tls.key + tls.key_file).empty()) {
    map.Fail(map.node(), "a client certificate needs both cert and key");
  }
  return tls;
}

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A line break in a header would start another header.
void CheckHeader(const YamlMap& map, const YAML::Node& at, const std::string& name,
                 const std::string& value) {
  const auto is_token = [](char c) { return c > ' ' && c < 127 && c != ':'; };
  if (name.empty() || !std::ranges::all_of(name, is_token)) {
    map.Fail(at, "a header's name is empty or holds blanks or colons");
  }
  if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
    map.Fail(at, fmt::format("the value of header {} spans lines", name));
  }
}

ProxyConfig ReadProxy(SettingsMap& map) {
  ProxyConfig proxy{.url = map.Text("proxy_url"),
                    .no_proxy = map.Text("no_proxy"),
                    .from_environment = map.Flag("proxy_from_environment"),
                    .connect_headers = {}};
  if (!proxy.url.empty() && !ParseUrl(proxy.url)) {
    map.Fail(map.Find("proxy_url"), "proxy_url is not an http or https URL");
  }
  if (proxy.from_environment && (!proxy.url.empty() || !proxy.no_proxy.empty())) {
    map.Fail(map.Find("proxy_from_environment"),
             "proxy_from_environment excludes proxy_url and no_proxy");
  }
  if (!proxy.no_proxy.empty() && proxy.url.empty()) {
    map.Fail(map.Find("no_proxy"), "no_proxy needs proxy_url");
  }
  SettingsMap headers = map.Sub("proxy_connect_header");
  if (!headers.node()) return proxy;
  for (const auto& entry : headers.node()) {
    const std::string name = entry.first.Scalar();
    for (const std::string& value : headers.Texts(name)) {
      CheckHeader(map, entry.first, name, value);
      proxy.connect_headers.emplace_back(name, value);
    }
  }
  return proxy;
}

Headers ReadHeaders(SettingsMap& map) {
  Headers headers;
  map.Entries("http_headers", [&](const YAML::Node& key, const YAML::Node& value) {
    const std::string name = key.Scalar();
    SettingsMap header = map.Child(value, "http_headers." + name);
    std::vector<std::string> values = header.Texts("values");
    header.Read("secrets", &values);
    for (const std::string& path : header.Texts("files")) {
      values.push_back(ReadTrimmed(header.PathOf(path)));
    }
    Finish(header);
    for (std::string& one : values) {
      CheckHeader(map, key, name, one);
      headers.emplace_back(name, std::move(one));
    }
  });
  return headers;
}

OAuth2Config ReadOAuth2(SettingsMap map) {
  const std::string type = map.Text("grant_type");
  if (type == "urn:ietf:params:oauth:grant-type:jwt-bearer") {
    map.Fail(map.Find("grant_type"), "grant_type: " + std::string(kSignedToken));
  }
  if (!type.empty() && type != "client_credentials") {
    map.Fail(map.Find("grant_type"),
             "grant_type must be client_credentials or "
             "urn:ietf:params:oauth:grant-type:jwt-bearer");
  }
  OAuth2Config oauth2{.client_id = map.Text("client_id"),
                      .client_secret = map.Secret("client_secret"),
                      .scopes = map.Texts("scopes"),
                      .token_url = map.Text("token_url"),
                      .endpoint_params = {},
                      .tls = ReadTls(map.Sub("tls_config")),
                      .proxy = ReadProxy(map)};
  map.Entries("endpoint_params", [&](const YAML::Node& key, const YAML::Node& value) {
    const std::string name = key.Scalar();
    oauth2.endpoint_params.emplace_back(name, value.IsNull() ? "" : map.TextOf(value, name));
  });
  Finish(map);
  if (oauth2.client_id.empty() || !ParseUrl(oauth2.token_url)) {
    map.Fail(map.node(), "needs client_id and token_url (an http or https URL)");
  }
  return oauth2;
}

std::string ReadAuthorization(SettingsMap map) {
  std::string type = map.Text("type");
  if (type.empty()) type = "Bearer";
  if (type == "Basic" || type == "basic") map.Fail(map.Find("type"), "type Basic: use basic_auth");
  const std::string value = map.Secret("credentials");
  Finish(map);
  if (value.empty()) map.Fail(map.node(), "needs credentials or credentials_file");
  CheckHeader(map, map.node(), "Authorization", type + value);
  return type + " " + value;
}

HttpConfig ReadConfig(SettingsMap map) {
  const bool bearer = map.Has("bearer_token") || map.Has("bearer_token_file");
  if (int{map.Has("basic_auth")} + int{map.Has("authorization")} + int{map.Has("oauth2")} +
          int{bearer} >
      1) {
    map.Fail(map.node(), "give one of basic_auth, authorization, oauth2 and bearer_token");
  }
  HttpConfig config;
  if (map.Has("basic_auth")) {
    SettingsMap basic = map.Sub("basic_auth");
    config.basic_auth = BasicAuth{basic.Secret("username"), basic.Secret("password")};
    Finish(basic);
  }
  if (map.Has("authorization")) config.authorization = ReadAuthorization(map.Sub("authorization"));
  if (bearer) {  // the older name of authorization
    const std::string token = map.Secret("bearer_token");
    CheckHeader(map, map.node(), "Authorization", token);
    config.authorization = "Bearer " + token;
  }
  if (map.Has("oauth2")) config.oauth2 = ReadOAuth2(map.Sub("oauth2"));
  config.tls = ReadTls(map.Sub("tls_config"));
  config.proxy = ReadProxy(map);
  config.headers = ReadHeaders(map);
  config.follow_redirects = map.Flag("follow_redirects", true);
  config.enable_http2 = map.Flag("enable_http2", true);
  Finish(map);
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

WebTls ReadWebTls(SettingsMap map) {
  // What would be less strict without them is refused, not left out.
  for (const char* key : {"cipher_suites", "curve_preferences", "client_allowed_sans"}) {
    if (map.Has(key)) map.Fail(map.Find(key), fmt::format("{} is not supported here", key));
  }
  WebTls tls;
  tls.cert_file = map.Path("cert_file");
  tls.key_file = map.Path("key_file");
  tls.client_ca_file = map.Path("client_ca_file");
  tls.client_auth = OneOf(map, "client_auth_type", tls.client_auth,
                          {"NoClientCert", "RequestClientCert", "RequireAnyClientCert",
                           "VerifyClientCertIfGiven", "RequireAndVerifyClientCert"});
  tls.min_version = ReadTlsVersion(map, "min_version", tls.min_version);
  tls.max_version = ReadTlsVersion(map, "max_version", tls.max_version);
  map.Ignore({"prefer_server_cipher_suites"});
  map.Finish();
  if (tls.cert_file.empty() || tls.key_file.empty()) {
    map.Fail(map.node(), "needs cert_file and key_file");
  }
  if (!tls.client_ca_file.empty() && tls.client_auth == "NoClientCert") {
    map.Fail(map.Find("client_ca_file"), "client_ca_file needs a client_auth_type");
  }
  return tls;
}

bool IsBcrypt(const std::string& hash) {
  const bool head = hash.size() == 60 && hash.starts_with("$2") && hash[3] == '$' && hash[6] == '$';
  return head && std::string_view("aby").find(hash[2]) != std::string_view::npos;
}

Headers ReadWebHeaders(SettingsMap map) {
  Headers headers;
  for (const char* name : {"Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options",
                           "X-XSS-Protection", "Strict-Transport-Security"}) {
    const std::string value = map.Text(name);
    if (value.find_first_of("\r\n") != std::string::npos) {
      map.Fail(map.Find(name), fmt::format("the value of {} spans lines", name));
    }
    if (!value.empty()) headers.emplace_back(name, value);
  }
  map.Finish();
  return headers;
}

}  // namespace

HttpConfig ParseHttpConfig(std::string_view text, const std::string& name,
                           const std::string& directory) {
  const HttpConfig config = ReadConfig(LoadSettings(std::string(text), name, directory));
  Register(config);
  return config;
}

HttpConfig ReadHttpConfig(const std::string& path) {
  return ParseHttpConfig(ReadFile(path, std::size_t{16} << 20), path,
                         std::filesystem::path(path).parent_path().string());
}

WebConfig ReadWebConfig(const std::string& path) {
  SettingsMap map = LoadSettings(ReadFile(path, std::size_t{1} << 20), path,
                                 std::filesystem::path(path).parent_path().string());
  WebConfig config;
  if (map.Has("tls_server_config")) config.tls = ReadWebTls(map.Sub("tls_server_config"));
  map.Entries("basic_auth_users", [&](const YAML::Node& user, const YAML::Node& hash) {
    if (!IsBcrypt(hash.Scalar())) {
      map.Fail(user, "a user's password must be a bcrypt hash (htpasswd -nBC 10 '')");
    }
    config.users[user.Scalar()] = hash.Scalar();
  });
  SettingsMap http = map.Sub("http_server_config");
  config.headers = ReadWebHeaders(http.Sub("headers"));
  http.Ignore({"http2"});
  http.Finish();
  map.Finish();
  return config;
}

}  // namespace schedlens
