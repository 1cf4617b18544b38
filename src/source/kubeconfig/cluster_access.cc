#include "source/kubeconfig/cluster_access.h"

#include <fmt/format.h>

#include <fstream>

#include "model/file.h"
#include "model/secrets.h"
#include "model/url.h"
#include "schedlens/error.h"
#include "source/kubeconfig/exec_credential.h"

namespace schedlens {
namespace {

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
