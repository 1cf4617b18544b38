#pragma once

// The real `schedlens serve` on a port of its own, and who posts to it.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "cli/http_exchange.h"
#include "cli/process.h"
#include "support/exec.h"

namespace schedlens::test {

class Serving {
 public:
  Serving(const std::string& prometheus, const std::string& folder,
          const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {
        SCHEDLENS_BINARY, "serve", "--prometheus",     prometheus,       "--listen", "0",
        "--out",          folder,  "--no-cross-check", "--no-neighbours"};
    command.insert(command.end(), more.begin(), more.end());
    const std::vector<std::string> variables =
        test::EnvironmentWith({"SCHEDLENS_CONFIG=/dev/null"});
    const std::vector<char*> argv = test::Pointers(command), envp = test::Pointers(variables);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], 2);
      execve(argv[0], argv.data(), envp.data());
      _exit(127);
    }
    close(ends[1]);
    err_ = ends[0];
    std::string line = NextLine();
    for (; line.find("webhooks on http") == std::string::npos; line = NextLine()) {
      if (line == buffer_) throw std::runtime_error("serve: " + line);  // it has ended
      before_ += line + "\n";
    }
    port_ = std::stoi(line.substr(line.rfind(':', line.find(',')) + 1));
  }
  ~Serving() {
    if (pid_ > 0) End(SIGKILL);
    close(err_);
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  /// What it said before it listened.
  const std::string& before() const { return before_; }
  /// The process that makes a report; waits for one.
  pid_t Reporter() const {
    const std::string path = fmt::format("/proc/{0}/task/", pid_);
    for (int i = 0; i < 12'000; ++i) {
      for (const auto& task : std::filesystem::directory_iterator(path)) {
        const std::string children = ReadAll(task.path() / "children");
        const pid_t child = children.empty() ? 0 : std::stoi(children);
        // Stopped before it runs the program it would hold the thread that starts it.
        const std::string words = ReadAll(fmt::format("/proc/{}/cmdline", child));
        if (child != 0 && words.starts_with("schedlens-report")) return child;
      }
      poll(nullptr, 0, 10);
    }
    throw std::runtime_error("serve starts no process");
  }
  /// The next line on standard error; what there is of it when the process ends.
  std::string NextLine() {
    std::size_t end = 0;
    while ((end = buffer_.find('\n')) == std::string::npos) {
      pollfd ready{err_, POLLIN, 0};
      char block[4096];
      const ssize_t n = poll(&ready, 1, 120'000) > 0 ? read(err_, block, sizeof(block)) : 0;
      if (n <= 0) return buffer_;
      buffer_.append(block, static_cast<std::size_t>(n));
    }
    const std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return line;
  }
  /// Ends it with the signal; its exit code, -1 when the signal ended it.
  int End(int signal) {
    kill(pid_, signal);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// Resident memory in bytes.
  std::size_t Memory() const {
    const std::string status = ReadAll(fmt::format("/proc/{}/status", pid_));
    const std::size_t at = status.find("VmRSS:");
    return at == std::string::npos ? 0 : std::stoul(status.substr(at + 6)) * 1024;
  }
  /// The value of a line of /metrics, as text.
  std::string Metric(const std::string& name) const {
    const std::string page = Exchange(port_, "GET /metrics HTTP/1.1\r\n\r\n");
    const std::size_t at = page.find(name + " ");
    return at == std::string::npos
               ? ""
               : page.substr(at + name.size() + 1, page.find('\n', at) - at - name.size() - 1);
  }

 private:
  pid_t pid_ = -1;
  int err_ = -1;
  int port_ = 0;
  std::string buffer_, before_;
};

/// A notification of one alert.
inline std::string WebhookOf(const std::string& fingerprint) {
  return fmt::format(
      R"({{"version":"4","groupKey":"{{}}","status":"firing","alerts":[{{"status":"firing",)"
      R"("labels":{{"alertname":"SchedulerSlow"}},"startsAt":"2026-11-21T10:00:00Z",)"
      R"("fingerprint":"{}"}}]}})",
      fingerprint);
}

}  // namespace schedlens::test
