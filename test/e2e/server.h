#pragma once

// Real servers for tests: started on a loopback port of their own, ended with the object, also when
// the test fails or dies.

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/exec.h"

namespace schedlens::test {

namespace fs = std::filesystem;

/// A directory that is removed with the object.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (fs::temp_directory_path() / "schedlens-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A child process in a process group of its own, killed with the object. Its output goes to
/// `log`.
class Process {
 public:
  Process(const std::vector<std::string>& command, const fs::path& log) {
    const std::vector<char*> argv = test::Pointers(command);
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork for " + command.front());
    if (pid_ == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(fd, STDOUT_FILENO);
      dup2(fd, STDERR_FILENO);
      execvp(argv[0], argv.data());
      _exit(127);
    }
    setpgid(pid_, pid_);
  }
  ~Process() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool Running() {
    if (pid_ <= 0) return false;
    if (waitpid(pid_, &status_, WNOHANG) != pid_) return true;
    pid_ = -1;
    return false;
  }
  void Interrupt() const {
    if (pid_ > 0) kill(pid_, SIGINT);
  }
  /// Waits for the end; the exit status.
  int Wait() {
    if (pid_ > 0) waitpid(pid_, &status_, 0);
    pid_ = -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

/// True when a listener could have the loopback port.
inline bool IsFree(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return bound;
}

/// A free loopback port whose successor is free too. Below the ports that connections get by
/// themselves, and started from the process, so that tests side by side do not meet.
inline int FreePort() {
  constexpr int kFirst = 10'000, kPorts = 20'000;
  static int next = static_cast<int>(getpid()) * 32 % kPorts;
  for (int tried = 0; tried < kPorts; tried += 2) {
    const int port = kFirst + next;
    next = (next + 2) % kPorts;
    if (IsFree(port) && IsFree(port + 1)) return port;
  }
  throw std::runtime_error("no free loopback port");
}

/// One connection to a server. Not for several threads.
class HttpClient {
 public:
  HttpClient() : curl_(curl_easy_init(), curl_easy_cleanup) {}

  /// The body, or an empty string with `*status` 0 when nothing answers.
  std::string Get(const std::string& url, long* status) { return Run(url, nullptr, status); }
  std::string Post(const std::string& url, const std::string& body, long* status) {
    return Run(url, &body, status);
  }

  /// `name=value&...`, escaped.
  std::string Form(const std::vector<std::pair<std::string, std::string>>& fields) {
    std::string out;
    for (const auto& [name, value] : fields) {
      char* escaped = curl_easy_escape(curl_.get(), value.data(), static_cast<int>(value.size()));
      if (!out.empty()) out += '&';
      out += name + '=' + escaped;
      curl_free(escaped);
    }
    return out;
  }

 private:
  static std::size_t Append(char* data, std::size_t size, std::size_t count, void* to) {
    static_cast<std::string*>(to)->append(data, size * count);
    return size * count;
  }

  std::string Run(const std::string& url, const std::string* body, long* status) {
    std::string answer;
    CURL* curl = curl_.get();
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 300L);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    if (body != nullptr) {
      curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->c_str());
      curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
    }
    *status = 0;
    if (curl_easy_perform(curl) != CURLE_OK) return {};
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
    return answer;
  }

  std::unique_ptr<CURL, void (*)(CURL*)> curl_;
};

/// A started server.
class Server {
 public:
  Server(const std::vector<std::string>& command, std::string url, const std::string& ready_path,
         const fs::path& log)
      : url_(std::move(url)), process_(command, log) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (std::chrono::steady_clock::now() < deadline && process_.Running()) {
      long status = 0;
      client_.Get(url_ + ready_path, &status);
      if (status == 200) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // between two looks
    }
    std::ifstream in(log);
    throw std::runtime_error(
        command.front() + " is not ready: " + std::string(std::istreambuf_iterator<char>(in), {}));
  }
  const std::string& url() const { return url_; }
  HttpClient& client() { return client_; }

 private:
  std::string url_;
  Process process_;
  HttpClient client_;
};

inline bool Installed(const std::string& program) {
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (access((path.substr(at, end - at) + '/' + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

/// Makes TSDB blocks of an OpenMetrics file with promtool. Throws when it fails.
inline void MakeBlocks(const fs::path& openmetrics, const fs::path& blocks, const fs::path& log) {
  Process promtool({"promtool", "tsdb", "create-blocks-from", "openmetrics", openmetrics.string(),
                    blocks.string()},
                   log);
  if (promtool.Wait() != 0) {
    std::ifstream in(log);
    throw std::runtime_error("promtool: " + std::string(std::istreambuf_iterator<char>(in), {}));
  }
}

/// Prometheus over the blocks in `data`, with no targets. `extra` are further flags.
inline std::unique_ptr<Server> StartPrometheus(const fs::path& data, const fs::path& work,
                                               const std::vector<std::string>& extra = {}) {
  const fs::path config = work / "prometheus.yml";
  std::ofstream(config) << "global: {}\n";
  const std::string address = "127.0.0.1:" + std::to_string(FreePort());
  std::vector<std::string> command = {"prometheus",
                                      "--config.file=" + config.string(),
                                      "--storage.tsdb.path=" + data.string(),
                                      "--storage.tsdb.retention.time=100y",
                                      "--web.listen-address=" + address,
                                      "--query.max-samples=500000000",
                                      "--log.level=error"};
  command.insert(command.end(), extra.begin(), extra.end());
  return std::make_unique<Server>(command, "http://" + address, "/-/ready",
                                  work / "prometheus.log");
}

/// An empty VictoriaMetrics that keeps its data in `work`.
inline std::unique_ptr<Server> StartVictoriaMetrics(const fs::path& work) {
  const std::string address = "127.0.0.1:" + std::to_string(FreePort());
  return std::make_unique<Server>(
      std::vector<std::string>{"victoria-metrics", "-storageDataPath=" + (work / "vm").string(),
                               "-httpListenAddr=" + address, "-retentionPeriod=100y",
                               "-search.latencyOffset=0s", "-search.disableCache",
                               "-search.maxUniqueTimeseries=1000000", "-loggerLevel=ERROR"},
      "http://" + address, "/health", work / "victoria-metrics.log");
}

}  // namespace schedlens::test
