#include "source/http/web_config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/yaml_load.h"
#include "schedlens/error.h"
#include "source/http/config.h"

namespace schedlens {
namespace {

/// One of the words, or the first where nothing is given.
std::string OneOf(const ConfigFile& file, const ConfigMapping& map, const std::string& key,
                  const std::string& fallback, const ConfigKeys& words) {
  const std::string text = map.Text(key);
  if (text.empty()) return fallback;
  if (std::find(words.begin(), words.end(), text) != words.end()) return text;
  FailConfig(file, map.At(key), fmt::format("{} must be one of {}", key, fmt::join(words, ", ")));
}

WebTls ReadWebTls(const ConfigFile& file, const YAML::Node& node) {
  const ConfigMapping map(
      file, node, "tls_server_config",
      {"cert_file", "key_file", "client_ca_file", "client_auth_type", "min_version", "max_version",
       "prefer_server_cipher_suites", "cipher_suites", "curve_preferences", "client_allowed_sans"});
  // What would be less strict without them is refused, not left out.
  for (const char* key : {"cipher_suites", "curve_preferences", "client_allowed_sans"}) {
    if (map.Has(key)) FailConfig(file, map.At(key), fmt::format("{} is not supported here", key));
  }
  const ConfigKeys versions = {"TLS10", "TLS11", "TLS12", "TLS13"};
  WebTls tls;
  tls.cert_file = map.Path("cert_file");
  tls.key_file = map.Path("key_file");
  tls.client_ca_file = map.Path("client_ca_file");
  tls.client_auth = OneOf(file, map, "client_auth_type", tls.client_auth,
                          {"NoClientCert", "RequestClientCert", "RequireAnyClientCert",
                           "VerifyClientCertIfGiven", "RequireAndVerifyClientCert"});
  tls.min_version = OneOf(file, map, "min_version", tls.min_version, versions);
  tls.max_version = OneOf(file, map, "max_version", tls.max_version, versions);
  if (tls.cert_file.empty() || tls.key_file.empty()) {
    FailConfig(file, node, "tls_server_config needs cert_file and key_file");
  }
  if (!tls.client_ca_file.empty() && tls.client_auth == "NoClientCert") {
    FailConfig(file, map.At("client_ca_file"), "client_ca_file needs a client_auth_type");
  }
  return tls;
}

bool IsBcrypt(const std::string& hash) {
  const bool head = hash.size() == 60 && hash.starts_with("$2") && hash[3] == '$' && hash[6] == '$';
  return head && std::string_view("aby").find(hash[2]) != std::string_view::npos;
}

WebConfig ReadWeb(const ConfigFile& file, const YAML::Node& root) {
  const ConfigMapping map(file, root, "the web configuration",
                          {"tls_server_config", "http_server_config", "basic_auth_users"});
  WebConfig config;
  if (map.Has("tls_server_config")) config.tls = ReadWebTls(file, map.At("tls_server_config"));
  const ConfigMapping users(file, map.At("basic_auth_users"), "basic_auth_users", {});
  for (const auto& user : users.given() ? users.node() : YAML::Node()) {
    const std::string hash = user.second.IsScalar() ? user.second.Scalar() : "";
    if (!IsBcrypt(hash)) {
      FailConfig(file, user.first, "a user's password must be a bcrypt hash (htpasswd -nBC 10 '')");
    }
    config.users[user.first.Scalar()] = hash;
  }
  const ConfigMapping http(file, map.At("http_server_config"), "http_server_config",
                           {"http2", "headers"});
  const ConfigKeys names = {"Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options",
                            "X-XSS-Protection", "Strict-Transport-Security"};
  const ConfigMapping headers(file, http.At("headers"), "headers", names);
  for (const std::string& name : names) {
    const std::string value = headers.Text(name);
    if (value.find_first_of("\r\n") != std::string::npos) {
      FailConfig(file, headers.At(name), fmt::format("the value of {} spans lines", name));
    }
    if (!value.empty()) config.headers.emplace_back(name, value);
  }
  return config;
}

}  // namespace

WebConfig ReadWebConfig(const std::string& path) {
  const ConfigFile file{path, std::filesystem::path(path).parent_path().string()};
  try {
    return ReadWeb(file, LoadYaml(ReadFile(path, std::size_t{1} << 20)));
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: not valid YAML: {}", path, error.mark.line + 1, error.msg));
  }
}

}  // namespace schedlens
