#include "source/kubeconfig/kubeconfig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/url.h"
#include "base/yaml_load.h"
#include "schedlens/error.h"
#include "source/kubeconfig/exec_credential.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

/// A mapping of one file. Unknown keys are left alone: other programs keep theirs there.
class Reader {
 public:
  Reader(const std::string& path, const YAML::Node& node)
      : path_(path), node_(node.IsDefined() ? node : YAML::Node()) {
    if (!node_.IsNull() && !node_.IsMap()) Fail(node_, "not a mapping");
  }

  YAML::Node At(const std::string& key) const {
    return node_.IsMap() ? node_[key] : YAML::Node(YAML::NodeType::Undefined);
  }
  std::string Text(const std::string& key) const {
    const YAML::Node value = At(key);
    if (!value.IsDefined() || value.IsNull()) return "";
    if (!value.IsScalar()) Fail(value, key + " is not a text");
    return value.Scalar();
  }
  /// A path, relative to the file's folder.
  std::string Path(const std::string& key) const {
    const std::string text = Text(key);
    return text.empty() ? "" : (fs::path(path_).parent_path() / text).string();
  }
  std::string Data(const std::string& key) const {
    const auto bytes = DecodeBase64(Text(key));
    if (!bytes) Fail(At(key), key + " is not base64");
    return *bytes;
  }
  bool Flag(const std::string& key) const {
    const std::string text = Text(key);
    if (!text.empty() && text != "true" && text != "false") {
      Fail(At(key), key + " is neither true nor false");
    }
    return text == "true";
  }
  /// The elements of a list; none where there is none.
  std::vector<YAML::Node> List(const std::string& key) const {
    const YAML::Node value = At(key);
    if (!value.IsDefined() || value.IsNull()) return {};
    if (!value.IsSequence()) Fail(value, key + " is not a list");
    return {value.begin(), value.end()};
  }
  std::vector<std::string> Texts(const std::string& key) const {
    std::vector<std::string> texts;
    for (const YAML::Node& value : List(key)) {
      if (!value.IsScalar()) Fail(value, key + " holds something that is no text");
      texts.push_back(value.Scalar());
    }
    return texts;
  }
  [[noreturn]] void Fail(const YAML::Node& at, const std::string& why) const {
    const int line = (at.IsDefined() ? at : node_).Mark().line;
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", path_, line + 1, why));
  }

 private:
  const std::string& path_;
  YAML::Node node_;
};

KubeCluster ReadCluster(const Reader& map) {
  return {.server = map.Text("server"),
          .ca = map.Data("certificate-authority-data"),
          .ca_file = map.Path("certificate-authority"),
          .tls_server_name = map.Text("tls-server-name"),
          .proxy_url = map.Text("proxy-url"),
          .insecure = map.Flag("insecure-skip-tls-verify")};
}

/// The command is looked up on the PATH unless it is a path; a relative one starts at the file.
std::string CommandOf(const Reader& map, const std::string& path) {
  const std::string command = map.Text("command");
  if (command.empty()) map.Fail(map.At("command"), "exec has no command");
  if (command.find('/') == std::string::npos) return command;
  return (fs::path(path).parent_path() / command).string();
}

KubeExec ReadExec(const Reader& map, const std::string& path) {
  KubeExec exec{.api_version = map.Text("apiVersion"),
                .command = CommandOf(map, path),
                .args = map.Texts("args"),
                .env = {},
                .install_hint = map.Text("installHint"),
                .interactive_mode = map.Text("interactiveMode"),
                .provide_cluster_info = map.Flag("provideClusterInfo")};
  for (const YAML::Node& node : map.List("env")) {
    const Reader variable(path, node);
    exec.env.emplace_back(variable.Text("name"), variable.Text("value"));
  }
  return exec;
}

KubeUser ReadUser(const Reader& map, const std::string& path) {
  KubeUser user{.cert = map.Data("client-certificate-data"),
                .cert_file = map.Path("client-certificate"),
                .key = map.Data("client-key-data"),
                .key_file = map.Path("client-key"),
                .token = map.Text("token"),
                .token_file = map.Path("tokenFile"),
                .username = map.Text("username"),
                .password = map.Text("password"),
                .impersonate = map.Text("as"),
                .impersonate_groups = map.Texts("as-groups"),
                .exec = std::nullopt,
                .auth_provider = Reader(path, map.At("auth-provider")).Text("name")};
  if (const YAML::Node exec = map.At("exec"); exec.IsDefined() && !exec.IsNull()) {
    user.exec = ReadExec(Reader(path, exec), path);
  }
  RegisterSecret(user.token);
  RegisterSecret(user.key);
  RegisterCredentials(user.username, user.password);
  return user;
}

/// The named entries of one list: `clusters: [{name: a, cluster: {...}}]`. The first of a name
/// counts.
template <class Entry, class Read>
std::map<std::string, Entry> Named(const Reader& file, const std::string& path,
                                   const std::string& list, const std::string& kind,
                                   const Read& read) {
  std::map<std::string, Entry> all;
  for (const YAML::Node& node : file.List(list)) {
    const Reader item(path, node);
    all.emplace(item.Text("name"), read(Reader(path, item.At(kind))));
  }
  return all;
}

std::vector<std::string> FilesOfEnvironment() {
  const char* variable = std::getenv("KUBECONFIG");
  const std::string list = variable == nullptr ? "" : variable;
  if (list.empty()) {
    const char* home = std::getenv("HOME");
    return {fmt::format("{}/.kube/config", home == nullptr ? "" : home)};
  }
  std::vector<std::string> files;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) files.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return files;
}

std::vector<std::string> NamesOf(const std::map<std::string, KubeContext>& contexts) {
  std::vector<std::string> names;
  for (const auto& [name, context] : contexts) names.push_back(name);
  return names;
}

template <class Entry>
const Entry& Find(const std::map<std::string, Entry>& all, const std::string& name,
                  const std::string& kind, const std::string& context, const std::string& file) {
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  throw Error(ErrorKind::kUsage, fmt::format("{}: context {} names the {} {}, which is not there",
                                             file, context, kind, name));
}

std::string TokenOf(const KubeUser& user) {
  if (user.token_file.empty()) return user.token;
  std::string token = ReadFile(user.token_file, std::size_t{1} << 20);
  RegisterSecret(token);
  const auto first = token.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return user.token;
  return token.substr(first, token.find_last_not_of(" \t\r\n") + 1 - first);
}

void TakeExec(const KubeUser& user, const std::string& name, double limit_seconds,
              ClusterAccess* access) {
  ExecCredential credential = RunExecPlugin(*user.exec, access->cluster, name, limit_seconds);
  access->token = std::move(credential.token);
  if (!credential.cert.empty()) {
    access->cert = std::move(credential.cert);
    access->key = std::move(credential.key);
    access->cert_file.clear();
    access->key_file.clear();
  }
  access->expires = credential.expires;
}

/// A server without a scheme speaks TLS where TLS is set up for it (client-go's
/// DefaultServerUrlFor).
void AddScheme(const KubeUser& user, KubeCluster* cluster) {
  if (cluster->server.find("://") != std::string::npos) return;
  const bool tls = cluster->insecure || !cluster->ca.empty() || !cluster->ca_file.empty() ||
                   !user.cert.empty() || !user.cert_file.empty();
  cluster->server.insert(0, tls ? "https://" : "http://");
}

bool IsTls(const KubeCluster& cluster, const std::string& name, const std::string& file) {
  const auto url = ParseUrl(cluster.server);
  if (url && url->unix_socket.empty()) return url->scheme == "https";
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: cluster {} has no server that is an https or http URL", file, name));
}

/// Data goes before a file, as in kubectl.
void TakeCertificate(const KubeUser& user, const std::string& origin, ClusterAccess* access) {
  access->cert = user.cert;
  access->key = user.key;
  if (user.cert.empty()) access->cert_file = user.cert_file;
  if (user.key.empty()) access->key_file = user.key_file;
  const bool cert = !access->cert.empty() || !access->cert_file.empty();
  if (cert != (!access->key.empty() || !access->key_file.empty())) {
    throw Error(ErrorKind::kUsage, origin +
                                       ": a client certificate needs both client-certificate "
                                       "and client-key");
  }
  for (const std::string& path : {access->cert_file, access->key_file}) {
    if (!path.empty() && !std::ifstream(path)) {
      throw Error(ErrorKind::kFailed, fmt::format("{}: cannot read {}", origin, path));
    }
  }
}

void TakeImpersonation(const KubeUser& user, ClusterAccess* access) {
  if (!user.impersonate.empty()) access->headers.emplace_back("Impersonate-User", user.impersonate);
  for (const std::string& group : user.impersonate_groups) {
    access->headers.emplace_back("Impersonate-Group", group);
  }
}

}  // namespace

Kubeconfig ParseKubeconfig(std::string_view text, const std::string& path) {
  try {
    const Reader file(path, LoadYaml(std::string(text)));
    return {.name = path,
            .current_context = file.Text("current-context"),
            .clusters = Named<KubeCluster>(file, path, "clusters", "cluster", ReadCluster),
            .users = Named<KubeUser>(file, path, "users", "user",
                                     [&](const Reader& map) { return ReadUser(map, path); }),
            .contexts = Named<KubeContext>(file, path, "contexts", "context", [](const auto& map) {
              return KubeContext{.cluster = map.Text("cluster"), .user = map.Text("user")};
            })};
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: not valid YAML: {}", path, error.mark.line + 1, error.msg));
  }
}

Kubeconfig MergeKubeconfigs(const std::vector<Kubeconfig>& files) {
  Kubeconfig merged;
  for (const Kubeconfig& file : files) {
    merged.name += (merged.name.empty() ? "" : ", ") + file.name;
    if (merged.current_context.empty()) merged.current_context = file.current_context;
    merged.clusters.insert(file.clusters.begin(), file.clusters.end());
    merged.users.insert(file.users.begin(), file.users.end());
    merged.contexts.insert(file.contexts.begin(), file.contexts.end());
  }
  return merged;
}

Kubeconfig ReadKubeconfig(const std::string& given) {
  const std::vector<std::string> paths =
      given.empty() ? FilesOfEnvironment() : std::vector<std::string>{given};
  std::vector<Kubeconfig> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (given.empty() && !fs::exists(path, ignored)) continue;
    files.push_back(ParseKubeconfig(ReadFile(path, kLargestFile), path));
  }
  if (files.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("no kubeconfig: {} does not exist: give "
                                               "--kubeconfig FILE, or set KUBECONFIG",
                                               fmt::join(paths, ", ")));
  }
  return MergeKubeconfigs(files);
}

std::pair<std::string, KubeContext> FindContext(const Kubeconfig& config, const std::string& name) {
  const std::string& wanted = name.empty() ? config.current_context : name;
  const auto found = config.contexts.find(wanted);
  if (found != config.contexts.end()) return *found;
  const std::vector<std::string> names = NamesOf(config.contexts);
  if (names.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no contexts in it: give another --kubeconfig", config.name));
  }
  if (wanted.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: no current-context in it: give --context, one "
                                               "of {}",
                                               config.name, fmt::join(names, ", ")));
  }
  throw Error(ErrorKind::kUsage, fmt::format("{}: no such context: {}; did you mean {}?",
                                             config.name, wanted, Nearest(wanted, names)));
}

ClusterAccess AccessOf(const Kubeconfig& config, const std::string& context, double limit_seconds) {
  const auto [name, found] = FindContext(config, context);
  ClusterAccess access;
  access.origin = fmt::format("user {} of context {} in {}", found.user, name, config.name);
  access.cluster = Find(config.clusters, found.cluster, "cluster", name, config.name);
  const KubeUser user =
      found.user.empty() ? KubeUser() : Find(config.users, found.user, "user", name, config.name);
  AddScheme(user, &access.cluster);
  TakeImpersonation(user, &access);
  if (!IsTls(access.cluster, found.cluster, config.name) || found.user.empty()) return access;
  TakeCertificate(user, access.origin, &access);
  access.token = TokenOf(user);
  access.username = user.username;
  access.password = user.password;
  if (access.token.find_first_of("\r\n") != std::string::npos) {
    throw Error(ErrorKind::kUsage, access.origin + ": the token spans lines");
  }
  if (access.token.empty() && access.username.empty()) {
    if (user.exec) {
      TakeExec(user, found.user, limit_seconds, &access);
    } else if (!user.auth_provider.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: auth-provider {} is gone from kubectl since 1.26: use an exec "
                              "plugin",
                              access.origin, user.auth_provider));
    }
  }
  return access;
}

}  // namespace schedlens
