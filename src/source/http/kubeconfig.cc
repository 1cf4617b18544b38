#include "source/http/kubeconfig.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "base/url.h"
#include "base/work_budget.h"
#include "source/settings_map.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

/// Unknown keys are left alone: other programs keep theirs there.
std::string DataOf(SettingsMap& map, const std::string& key) {
  const auto bytes = DecodeBase64(map.Text(key));
  if (!bytes) map.Fail(map.Find(key), key + " is not base64");
  return *bytes;
}

KubeCluster ReadCluster(SettingsMap map) {
  KubeCluster cluster{.server = map.Text("server"), .tls = {}, .proxy_url = map.Text("proxy-url")};
  cluster.tls.ca = DataOf(map, "certificate-authority-data");
  if (cluster.tls.ca.empty()) cluster.tls.ca_file = map.Path("certificate-authority");
  cluster.tls.server_name = map.Text("tls-server-name");
  cluster.tls.insecure_skip_verify = map.Flag("insecure-skip-tls-verify");
  return cluster;
}

/// The command is looked up on the PATH unless it is a path; a relative one starts at `folder`.
KubeExec ReadExec(SettingsMap map, const fs::path& folder) {
  KubeExec exec{.api_version = map.Text("apiVersion"),
                .command = map.Text("command"),
                .args = map.Texts("args"),
                .env = {},
                .install_hint = map.Text("installHint"),
                .interactive_mode = map.Text("interactiveMode"),
                .provide_cluster_info = map.Flag("provideClusterInfo")};
  if (exec.command.empty()) map.Fail(map.node(), "exec has no command");
  if (exec.command.find('/') != std::string::npos) exec.command = (folder / exec.command).string();
  for (const YAML::Node& node : map.List("env")) {
    SettingsMap variable = map.Child(node, "env");
    exec.env.emplace_back(variable.Text("name"), variable.Text("value"));
  }
  return exec;
}

KubeUser ReadUser(SettingsMap map, const fs::path& folder) {
  KubeUser user{.cert = DataOf(map, "client-certificate-data"),
                .cert_file = map.Path("client-certificate"),
                .key = DataOf(map, "client-key-data"),
                .key_file = map.Path("client-key"),
                .token = map.Text("token"),
                .token_file = map.Path("tokenFile"),
                .username = map.Text("username"),
                .password = map.Text("password"),
                .impersonate = map.Text("as"),
                .impersonate_groups = map.Texts("as-groups"),
                .exec = std::nullopt,
                .auth_provider = map.Sub("auth-provider").Text("name")};
  if (map.Has("exec")) user.exec = ReadExec(map.Sub("exec"), folder);
  RegisterSecret(user.token);
  RegisterSecret(user.key);
  RegisterCredentials(user.username, user.password);
  return user;
}

/// The named entries of one list: `clusters: [{name: a, cluster: {...}}]`. The first of a name
/// counts.
template <class Entry, class Read>
std::map<std::string, Entry> Named(SettingsMap& file, const std::string& kind, const Read& read) {
  std::map<std::string, Entry> all;
  for (const YAML::Node& node : file.List(kind + "s")) {
    SettingsMap item = file.Child(node, kind + "s");
    all.emplace(item.Text("name"), read(item.Sub(kind)));
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
  const std::vector<std::string_view> files = SplitAt(list, ':');
  return {files.begin(), files.end()};
}

template <class Entry>
const Entry& Find(const std::map<std::string, Entry>& all, const std::string& name,
                  const std::string& kind, const std::string& context, const std::string& file) {
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  Raise(ErrorKind::kUsage, "{}: context {} names the {} {}, which is not there", file, context,
        kind, name);
}

std::string TokenOf(const KubeUser& user) {
  if (user.token_file.empty()) return user.token;
  const std::string token = ReadTrimmed(user.token_file);
  RegisterSecret(token);
  return token.empty() ? user.token : token;
}

/// A server without a scheme speaks TLS where TLS is set up for it (client-go's
/// DefaultServerUrlFor).
void AddScheme(const KubeUser& user, KubeCluster* cluster) {
  if (cluster->server.find("://") != std::string::npos) return;
  const TlsConfig& set = cluster->tls;
  const bool tls = set.insecure_skip_verify || !set.ca.empty() || !set.ca_file.empty() ||
                   !user.cert.empty() || !user.cert_file.empty();
  cluster->server.insert(0, tls ? "https://" : "http://");
}

bool IsTls(const KubeCluster& cluster, const std::string& name, const std::string& file) {
  const auto url = ParseUrl(cluster.server);
  if (url && url->unix_socket.empty()) return url->scheme == "https";
  Raise(ErrorKind::kUsage, "{}: cluster {} has no server that is an https or http URL", file, name);
}

/// Data goes before a file, as in kubectl.
void TakeCertificate(const KubeUser& user, const std::string& origin, TlsConfig* tls) {
  tls->cert = user.cert;
  tls->key = user.key;
  if (user.cert.empty()) tls->cert_file = user.cert_file;
  if (user.key.empty()) tls->key_file = user.key_file;
  if ((tls->cert + tls->cert_file).empty() != (tls->key + tls->key_file).empty()) {
    Raise(ErrorKind::kUsage,
          "{}: a client certificate needs both client-certificate and client-key", origin);
  }
  for (const std::string& path : {tls->cert_file, tls->key_file}) {
    if (!path.empty() && !std::ifstream(path)) {
      Raise(ErrorKind::kFailed, "{}: cannot read {}", origin, path);
    }
  }
}

using Clock = std::chrono::steady_clock;

constexpr const char* kGroup = "client.authentication.k8s.io/";
constexpr std::size_t kLongestOutput = std::size_t{1} << 20;
constexpr int kLookMs = 100;  // how soon an interrupt is seen
constexpr int kLookForEndMs = 5;

std::string Named(const KubeExec& exec, const std::string& user) {
  return fmt::format("the credentials of user {}: exec plugin {}", user, exec.command);
}

/// What the program learns of us: KUBERNETES_EXEC_INFO.
std::string ExecInfo(const KubeExec& exec, const KubeCluster& cluster, bool interactive) {
  json spec = {{"interactive", interactive}};
  if (exec.provide_cluster_info) {
    json& told = spec["cluster"] = {{"server", cluster.server}};
    const TlsConfig& tls = cluster.tls;
    const std::string ca = tls.ca_file.empty() ? tls.ca : ReadFile(tls.ca_file);
    if (!ca.empty()) told["certificate-authority-data"] = EncodeBase64(ca);
    if (!tls.server_name.empty()) told["tls-server-name"] = tls.server_name;
    if (tls.insecure_skip_verify) told["insecure-skip-tls-verify"] = true;
    if (!cluster.proxy_url.empty()) told["proxy-url"] = cluster.proxy_url;
  }
  const json info = {{"apiVersion", exec.api_version}, {"kind", "ExecCredential"}, {"spec", spec}};
  return WriteJson(info);
}

/// This process's environment with the plugin's variables over it.
std::vector<std::string> Environment(const KubeExec& exec, const std::string& info) {
  std::vector<std::string> all;
  const auto overridden = [&](const std::string& entry) {
    const std::string name = entry.substr(0, entry.find('='));
    if (name == "KUBERNETES_EXEC_INFO") return true;
    return std::ranges::any_of(exec.env,
                               [&](const auto& variable) { return variable.first == name; });
  };
  for (char** at = environ; *at != nullptr; ++at) {
    if (!overridden(*at)) all.emplace_back(*at);
  }
  for (const auto& [name, value] : exec.env) all.push_back(name + "=" + value);
  all.push_back("KUBERNETES_EXEC_INFO=" + info);
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Patience {
  std::string named;
  double seconds;
  Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(seconds));

  [[noreturn]] void Interrupt() const { Raise(ErrorKind::kInterrupted, "{}: interrupted", named); }
  /// Throws where there is nothing to wait for any more.
  void Check() const {
    if (Clock::now() < end) return;
    Raise(ErrorKind::kTimeout, "{} does not end (limit {:.3g} s)", named, seconds);
  }
  int NextLookMs(int most) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, most));
  }
};

/// The group of the plugin that runs; 0: none does.
std::atomic<pid_t> running{0};

/// A child whose standard output comes through a pipe, in a process group of its own, which is
/// killed at the end with all that it started. While it may ask at the terminal, that listens to
/// its group.
class PluginProcess {
 public:
  /// `errno` in `error` where it could not be started.
  PluginProcess(std::vector<std::string> command, std::vector<std::string> environment,
                bool interactive, int* error) {
    int ends[2] = {-1, -1};
    *error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (*error != 0) return;
    out_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!interactive) {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    terminal_ = interactive && tcgetpgrp(STDIN_FILENO) == getpgrp();
    if (terminal_) posix_spawn_file_actions_addtcsetpgrp_np(&actions, STDIN_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const std::vector<char*> argv = Pointers(command), variables = Pointers(environment);
    *error = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), variables.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (*error != 0) pid_ = -1;
    if (pid_ > 0) running = pid_;
  }
  ~PluginProcess() {
    if (out_ >= 0) close(out_);
    if (terminal_) TakeTerminalBack();
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    running = 0;
    waitpid(pid_, nullptr, 0);
  }
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;

  std::string Read(const Patience& patience) const {
    std::string output;
    char block[4096];
    for (;;) {
      pollfd ready{out_, POLLIN, 0};
      const int polled = poll(&ready, 1, patience.NextLookMs(kLookMs));
      if (Interrupted()) patience.Interrupt();
      if (polled <= 0) {
        patience.Check();
        continue;
      }
      const ssize_t n = read(out_, block, sizeof(block));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return output;
      output.append(block, static_cast<std::size_t>(n));
      if (output.size() <= kLongestOutput) continue;
      Raise(ErrorKind::kAuth, "{} printed no credentials: over {} bytes", patience.named,
            kLongestOutput);
    }
  }
  /// Its exit code, once it has one; 128 and the signal for one that a signal ended. It is left
  /// unburied, so that its group's number stays its own.
  int Wait(const Patience& patience) const {
    siginfo_t ended = {};
    for (;;) {
      const int asked = waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (asked == 0 ? ended.si_pid != 0 : errno != EINTR) break;
      if (Interrupted()) patience.Interrupt();
      patience.Check();
      poll(nullptr, 0, patience.NextLookMs(kLookForEndMs));
    }
    const int code = ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status;
    // Ctrl-C at the terminal reached it instead of us.
    if (terminal_ && code == 128 + SIGINT) patience.Interrupt();
    return code;
  }

 private:
  /// Whoever is not in the foreground is stopped for this, unless the signal is held back.
  static void TakeTerminalBack() {
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  pid_t pid_ = -1;
  int out_ = -1;
  bool terminal_ = false;
};

void CheckSupported(const KubeExec& exec, const std::string& user, bool terminal) {
  if (exec.api_version != std::string(kGroup) + "v1" &&
      exec.api_version != std::string(kGroup) + "v1beta1") {
    Raise(ErrorKind::kUsage, "{}: apiVersion \"{}\" is not supported: {}v1 and v1beta1 are",
          Named(exec, user), exec.api_version, kGroup);
  }
  if (exec.interactive_mode == "Always" && !terminal) {
    Raise(ErrorKind::kUsage, "{} wants to ask at a terminal, and standard input is none",
          Named(exec, user));
  }
}

}  // namespace

Kubeconfig ParseKubeconfig(std::string_view text, const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  SettingsMap file = LoadSettings(std::string(text), path, folder.string());
  return {.name = path,
          .current_context = file.Text("current-context"),
          .clusters = Named<KubeCluster>(file, "cluster", ReadCluster),
          .users = Named<KubeUser>(file, "user",
                                   [&](const SettingsMap& map) { return ReadUser(map, folder); }),
          .contexts = Named<KubeContext>(file, "context", [](SettingsMap map) {
            return KubeContext{.cluster = map.Text("cluster"), .user = map.Text("user")};
          })};
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
    Raise(ErrorKind::kUsage,
          "no kubeconfig: {} does not exist: give --kubeconfig FILE, or set KUBECONFIG",
          fmt::join(paths, ", "));
  }
  return MergeKubeconfigs(files);
}

std::pair<std::string, KubeContext> FindContext(const Kubeconfig& config, const std::string& name) {
  const std::string& wanted = name.empty() ? config.current_context : name;
  const auto found = config.contexts.find(wanted);
  if (found != config.contexts.end()) return *found;
  std::vector<std::string> names;
  for (const auto& [known, context] : config.contexts) names.push_back(known);
  if (names.empty()) {
    Raise(ErrorKind::kUsage, "{}: no contexts in it: give another --kubeconfig", config.name);
  }
  if (wanted.empty()) {
    Raise(ErrorKind::kUsage, "{}: no current-context in it: give --context, one of {}", config.name,
          fmt::join(names, ", "));
  }
  Raise(ErrorKind::kUsage, "{}: no such context: {}{}", config.name, wanted,
        Suggestion(wanted, names, fmt::format("; it has {}", fmt::join(names, ", "))));
}

ClusterAccess AccessOf(const Kubeconfig& config, const std::string& context, double limit_seconds) {
  const auto [name, found] = FindContext(config, context);
  KubeCluster cluster = Find(config.clusters, found.cluster, "cluster", name, config.name);
  const KubeUser user =
      found.user.empty() ? KubeUser() : Find(config.users, found.user, "user", name, config.name);
  AddScheme(user, &cluster);
  ClusterAccess access{.server = cluster.server, .http = {}, .expires = {}};
  HttpConfig& http = access.http;
  http.origin = fmt::format("user {} of context {} in {}", found.user, name, config.name);
  http.tls = cluster.tls;
  http.proxy.url = cluster.proxy_url;
  http.proxy.from_environment = cluster.proxy_url.empty();
  http.follow_redirects = false;  // nobody else gets these credentials
  if (!user.impersonate.empty()) http.headers.emplace_back("Impersonate-User", user.impersonate);
  for (const std::string& group : user.impersonate_groups) {
    http.headers.emplace_back("Impersonate-Group", group);
  }
  if (!IsTls(cluster, found.cluster, config.name) || found.user.empty()) return access;
  TakeCertificate(user, http.origin, &http.tls);
  std::string token = TokenOf(user);
  if (token.find_first_of("\r\n") != std::string::npos) {
    Raise(ErrorKind::kUsage, "{}: the token spans lines", http.origin);
  }
  if (token.empty() && !user.username.empty()) {
    http.basic_auth = BasicAuth{user.username, user.password};
  } else if (token.empty() && user.exec) {
    ExecCredential credential = RunExecPlugin(*user.exec, cluster, found.user, limit_seconds);
    token = std::move(credential.token);
    if (!credential.cert.empty()) {
      http.tls.cert = std::move(credential.cert);
      http.tls.key = std::move(credential.key);
      http.tls.cert_file.clear();
      http.tls.key_file.clear();
    }
    access.expires = credential.expires;
  } else if (token.empty() && !user.auth_provider.empty()) {
    Raise(ErrorKind::kUsage,
          "{}: auth-provider {} is gone from kubectl since 1.26: use an exec plugin", http.origin,
          user.auth_provider);
  }
  if (!token.empty()) http.authorization = "Bearer " + token;
  return access;
}

void KillExecPlugin() {
  if (const pid_t group = running; group > 0) kill(-group, SIGKILL);
}

ExecCredential ReadExecCredential(std::string_view text, const KubeExec& exec,
                                  const std::string& user) {
  const auto fail = [&](const std::string& why) {
    Raise(ErrorKind::kAuth, "{} printed no credentials: {}", Named(exec, user), why);
  };
  const json document = ReadJson(text);
  if (document.is_discarded() || TextAt(document, "kind") != "ExecCredential") {
    fail("not an ExecCredential in JSON");
  }
  if (TextAt(document, "apiVersion") != exec.api_version) {
    fail("its apiVersion is not " + exec.api_version);
  }
  const json& status = MemberAt(document, "status");
  ExecCredential credential{.token = TextAt(status, "token"),
                            .cert = TextAt(status, "clientCertificateData"),
                            .key = TextAt(status, "clientKeyData"),
                            .expires = ParseTime(TextAt(status, "expirationTimestamp"), 0)};
  if (credential.cert.empty() != credential.key.empty()) fail("a certificate needs its key");
  if (credential.token.empty() && credential.cert.empty()) fail("no token and no certificate");
  if (credential.token.find_first_of("\r\n") != std::string::npos) fail("the token spans lines");
  RegisterSecret(credential.token);
  RegisterSecret(credential.key);
  return credential;
}

ExecCredential RunExecPlugin(const KubeExec& exec, const KubeCluster& cluster,
                             const std::string& user, double limit_seconds) {
  const bool terminal = isatty(STDIN_FILENO) == 1;
  CheckSupported(exec, user, terminal);
  const bool interactive = terminal && exec.interactive_mode != "Never";
  std::vector<std::string> command = {exec.command};
  command.insert(command.end(), exec.args.begin(), exec.args.end());
  int error = 0;
  PluginProcess child(command, Environment(exec, ExecInfo(exec, cluster, interactive)), interactive,
                      &error);
  if (error != 0) {
    const std::string hint = exec.install_hint.empty() ? "" : ": " + exec.install_hint;
    Raise(ErrorKind::kAuth, "{} does not start: {}{}", Named(exec, user), std::strerror(error),
          hint);
  }
  const Patience patience{Named(exec, user), limit_seconds};
  const std::string output = child.Read(patience);
  const int code = child.Wait(patience);
  if (code != 0) {
    Raise(ErrorKind::kAuth, "{} failed with exit code {}: run it by hand, or log in again",
          Named(exec, user), code);
  }
  return ReadExecCredential(output, exec, user);
}

}  // namespace schedlens
