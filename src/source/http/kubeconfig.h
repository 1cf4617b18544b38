#pragma once

#include "base/series.h"
#include "source/http/config.h"

namespace schedlens {

// kubeconfig files as kubectl reads them: which API server, and who we are to it. Secrets live in
// here; nothing in here is ever printed but names.

struct KubeCluster {
  std::string server;
  TlsConfig tls;          ///< of the server; data goes before a file, as in kubectl
  std::string proxy_url;  ///< empty = not set
};

/// A program that prints credentials (client.authentication.k8s.io).
struct KubeExec {
  std::string api_version, command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  std::string interactive_mode;  ///< "Never", "IfAvailable", "Always"
  bool provide_cluster_info = false;
};

/// Data members are the PEM text itself, decoded; file members are paths. Empty = not set.
struct KubeUser {
  std::string cert, cert_file, key, key_file;
  std::string token, token_file;
  std::string username, password;
  std::string impersonate;
  std::vector<std::string> impersonate_groups;
  std::optional<KubeExec> exec;
  std::string auth_provider;  ///< its name; no kubectl since 1.26 knows these
};

struct KubeContext {
  std::string cluster, user;
};

struct Kubeconfig {
  std::string name;  ///< the files, as messages call them
  std::string current_context;
  std::map<std::string, KubeCluster> clusters;
  std::map<std::string, KubeUser> users;
  std::map<std::string, KubeContext> contexts;
};

/// One file's text (YAML or JSON). Relative paths are relative to the folder of `path`. Throws
/// Error(kUsage) with file and line for what is no kubeconfig; values are never quoted.
Kubeconfig ParseKubeconfig(std::string_view text, const std::string& path);

/// The files' settings together, as kubectl merges them: of each context, cluster, user and of
/// current-context the first file that has it decides.
Kubeconfig MergeKubeconfigs(const std::vector<Kubeconfig>& files);

/// The file given; without one those of $KUBECONFIG that exist, without that ~/.kube/config. Throws
/// Error(kUsage) where there is none, Error(kFailed) for one that cannot be read, and what
/// ParseKubeconfig throws.
Kubeconfig ReadKubeconfig(const std::string& given);

/// The context of that name, or the current one where `name` is empty, with the name. Throws
/// Error(kUsage) naming the nearest one.
std::pair<std::string, KubeContext> FindContext(const Kubeconfig& config, const std::string& name);

// What a context of a kubeconfig comes to: an API server and one way to show who we are.

struct ClusterAccess {
  std::string server;             ///< an http or https URL
  HttpConfig http;                ///< its origin is "user alice of context prod in FILE"
  std::optional<TimeMs> expires;  ///< of what an exec plugin printed
};

/// The context's cluster with its user's credentials, in kubectl's order: a token file before a
/// token, an exec plugin only where there is neither token nor password. Runs the plugin, for at
/// most `limit_seconds`. An empty `context` is the current one. A server
/// without a scheme is asked by https where it has an authority, a client certificate or
/// insecure-skip-tls-verify, else by http; nothing of the user but whom it acts for goes over http,
/// as in kubectl. Throws Error(kUsage) for a context, cluster or user that is not there and for an
/// auth-provider, Error(kFailed) for a file that cannot be read, and what RunExecPlugin throws.
ClusterAccess AccessOf(const Kubeconfig& config, const std::string& context, double limit_seconds);

// Credentials that a program of the user's own prints (client.authentication.k8s.io, v1 and
// v1beta1).

struct ExecCredential {
  std::string token;
  std::string cert, key;  ///< PEM
  std::optional<TimeMs> expires;
};

/// Runs the command with the environment's and its own variables; what it writes on standard error
/// appears there, a terminal is its standard input where it may ask. `user` is for messages. Throws
/// Error(kUsage) for a version or mode that is not known, Error(kAuth) for a program that is not
/// there, fails or prints over 1 MiB, Error(kTimeout) after `limit_seconds`, Error(kInterrupted)
/// 100 ms after Interrupt(true), and what ReadExecCredential throws. Whatever it started and left
/// in its process group is killed with it at the end, in time or not.
ExecCredential RunExecPlugin(const KubeExec& exec, const KubeCluster& cluster,
                             const std::string& user, double limit_seconds);

/// Ends the program that RunExecPlugin runs, if it does, and what that started: for a signal
/// handler that ends this process.
void KillExecPlugin();

/// Reads what the program printed. Throws Error(kAuth) that quotes nothing of it for anything but
/// an ExecCredential of that version with a token or a certificate and its key.
ExecCredential ReadExecCredential(std::string_view json, const KubeExec& exec,
                                  const std::string& user);

}  // namespace schedlens
