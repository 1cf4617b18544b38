#include "source/kubeconfig/exec_credential.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/url.h"
#include "base/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;
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
    const std::string ca =
        cluster.ca.empty() && !cluster.ca_file.empty() ? ReadFile(cluster.ca_file) : cluster.ca;
    if (!ca.empty()) told["certificate-authority-data"] = EncodeBase64(ca);
    if (!cluster.tls_server_name.empty()) told["tls-server-name"] = cluster.tls_server_name;
    if (cluster.insecure) told["insecure-skip-tls-verify"] = true;
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
    return std::any_of(exec.env.begin(), exec.env.end(),
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

/// How long we wait.
class Patience {
 public:
  explicit Patience(double seconds)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  bool IsOver() const { return Clock::now() >= end_; }
  /// Until the next look, in milliseconds.
  int NextLookMs(int most) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, most));
  }

 private:
  const Clock::time_point end_;
};

/// The group of the plugin that runs; 0: none does.
std::atomic<pid_t> running{0};

/// A child whose standard output comes through a pipe, in a process group of its own, which is
/// killed at the end with all that it started. While it may ask at the terminal, that listens to
/// its group.
class Child {
 public:
  /// `errno` in `error` where it could not be started.
  Child(std::vector<std::string> command, std::vector<std::string> environment, bool interactive,
        int* error) {
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
  ~Child() {
    if (out_ >= 0) close(out_);
    if (terminal_) TakeTerminalBack();
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    running = 0;
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  enum class Outcome { kEnded, kTimeUp, kTooMuch, kInterrupted };

  /// Everything up to the end of its output.
  Outcome Read(const Patience& patience, std::string* output) const {
    char block[4096];
    for (;;) {
      pollfd ready{out_, POLLIN, 0};
      const int polled = poll(&ready, 1, patience.NextLookMs(kLookMs));
      if (Interrupted()) return Outcome::kInterrupted;
      if (polled <= 0 && patience.IsOver()) return Outcome::kTimeUp;
      if (polled <= 0) continue;
      const ssize_t n = read(out_, block, sizeof(block));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return Outcome::kEnded;
      output->append(block, static_cast<std::size_t>(n));
      if (output->size() > kLongestOutput) return Outcome::kTooMuch;
    }
  }
  /// Its exit code, once it has one; 128 and the signal for one that a signal ended. It is left
  /// unburied, so that its group's number stays its own.
  Outcome Wait(const Patience& patience, int* code) const {
    siginfo_t ended = {};
    for (;;) {
      const int asked = waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (asked == 0 ? ended.si_pid != 0 : errno != EINTR) break;
      if (Interrupted()) return Outcome::kInterrupted;
      if (patience.IsOver()) return Outcome::kTimeUp;
      poll(nullptr, 0, patience.NextLookMs(kLookForEndMs));
    }
    *code = ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status;
    // Ctrl-C at the terminal reached it instead of us.
    return terminal_ && *code == 128 + SIGINT ? Outcome::kInterrupted : Outcome::kEnded;
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
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: apiVersion \"{}\" is not supported: {}v1 and v1beta1 are",
                            Named(exec, user), exec.api_version, kGroup));
  }
  if (exec.interactive_mode == "Always" && !terminal) {
    throw Error(ErrorKind::kUsage,
                Named(exec, user) + " wants to ask at a terminal, and standard input is none");
  }
}

void CheckEnded(Child::Outcome outcome, const std::string& named, double limit_seconds) {
  switch (outcome) {
    case Child::Outcome::kEnded:
      return;
    case Child::Outcome::kTimeUp:
      throw Error(ErrorKind::kTimeout,
                  fmt::format("{} does not end (limit {:g} s)", named, limit_seconds));
    case Child::Outcome::kTooMuch:
      throw Error(ErrorKind::kAuth,
                  fmt::format("{} printed no credentials: over {} bytes", named, kLongestOutput));
    case Child::Outcome::kInterrupted:
      throw Error(ErrorKind::kInterrupted, named + ": interrupted");
  }
}

}  // namespace

void KillExecPlugin() {
  if (const pid_t group = running; group > 0) kill(-group, SIGKILL);
}

ExecCredential ReadExecCredential(std::string_view text, const KubeExec& exec,
                                  const std::string& user) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::kAuth, Named(exec, user) + " printed no credentials: " + why);
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
  Child child(command, Environment(exec, ExecInfo(exec, cluster, interactive)), interactive,
              &error);
  if (error != 0) {
    const std::string hint = exec.install_hint.empty() ? "" : ": " + exec.install_hint;
    throw Error(ErrorKind::kAuth, fmt::format("{} does not start: {}{}", Named(exec, user),
                                              std::strerror(error), hint));
  }
  const Patience patience(limit_seconds);
  std::string output;
  int code = 0;
  Child::Outcome outcome = child.Read(patience, &output);
  if (outcome == Child::Outcome::kEnded) outcome = child.Wait(patience, &code);
  CheckEnded(outcome, Named(exec, user), limit_seconds);
  if (code != 0) {
    throw Error(ErrorKind::kAuth, fmt::format("{} failed with exit code {}: run it by hand, or "
                                              "log in again",
                                              Named(exec, user), code));
  }
  return ReadExecCredential(output, exec, user);
}

}  // namespace schedlens
