#include "cli/commands/serve_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <istream>
#include <optional>
#include <utility>

#include "cli/last_resort.h"
#include "model/file.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookAtChildMs = 100;
constexpr int kLookForItsEndMs = 5;
constexpr std::chrono::seconds kLastWords{2};  // between asking it to end and ending it
constexpr std::size_t kLongestLine = std::size_t{64} << 10;

[[noreturn]] void FailToStart(int error) {
  throw Error(ErrorKind::kFailed, fmt::format("starting a diagnosis: {}", std::strerror(error)));
}

/// A pipe whose ends are closed at the end; the new process gets one by its number.
struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) FailToStart(errno);
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void Close(int end) {
    if (ends[end] >= 0) close(std::exchange(ends[end], -1));
  }
  int ends[2] = {-1, -1};
};

/// In a process group of its own, with nothing of ours but its three streams.
pid_t Spawn(const std::string& program, const std::string& webhook, int in, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string name(kReporter), path = webhook;
  char* const argv[] = {name.data(), path.data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) FailToStart(error);
  return pid;
}

/// Longer than a pipe holds, and a reader that is gone, are no reason to wait or to end.
void SendWords(Pipe* to, const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\0';
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(to->ends[1], text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  const timespec none = {};
  sigtimedwait(&pipe, nullptr, &none);  // one that came meanwhile
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  to->Close(1);
}

/// Gives out the lines. The last one may be why it ends, and waits for a moment.
class Lines {
 public:
  explicit Lines(const std::function<void(const std::string&)>& log) : log_(log) {}
  void Add(std::string_view text) {
    for (const char c : text) {
      if (c == '\n') {
        Show();
        last_ = std::exchange(line_, "");
        shown_ = false;
        constexpr std::string_view kName = "schedlens: ";
        if (last_.starts_with(kName)) last_.erase(0, kName.size());
      } else if (line_.size() < kLongestLine) {
        line_ += c;
      }
    }
  }
  void Show() {
    if (!std::exchange(shown_, true)) log_(last_);
  }
  const std::string& last() const { return last_; }

 private:
  const std::function<void(const std::string&)>& log_;
  std::string line_, last_;
  bool shown_ = true;
};

class Supervised {
 public:
  Supervised(pid_t pid, int err, const Reporter& reporter)
      : pid_(pid), err_(err), reporter_(reporter), lines_(reporter.log) {}

  ReporterEnd Await() {
    while (!HasEnded()) {
      ReadLines(open_ ? kLookAtChildMs : kLookForItsEndMs);
      const auto now = Clock::now();
      const bool late = now >= until_;
      if (!told_ && (late || reporter_.interrupted())) {
        (late ? late_ : stopped_) = true;
        told_ = now;
        kill(-pid_, SIGTERM);
      }
      if (told_ && now >= *told_ + kLastWords) kill(-pid_, SIGKILL);
    }
    kill(-pid_, SIGKILL);  // what it has started
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    while (open_ && ReadLines(0)) continue;
    return Judge(status);
  }

 private:
  bool HasEnded() const {
    siginfo_t info = {};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) != 0
               ? errno != EINTR
               : info.si_pid == pid_;
  }

  /// Whether there was something.
  bool ReadLines(int milliseconds) {
    pollfd ready{open_ ? err_ : -1, POLLIN, 0};
    const int polled = poll(&ready, 1, milliseconds);
    if (polled == 0 && open_ && milliseconds > 0) lines_.Show();
    if (polled <= 0) return false;
    char block[4096];
    const ssize_t n = read(err_, block, sizeof(block));
    if (n > 0) lines_.Add({block, static_cast<std::size_t>(n)});
    open_ = n > 0 || (n < 0 && errno == EINTR);
    return n > 0;
  }

  ReporterEnd Judge(int status) {
    ReporterEnd end{.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1, .why = lines_.last()};
    end.stopped = stopped_ && end.code != 0;
    end.broken = !WIFEXITED(status) || late_ || end.why == kOutOfMemory;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (end.code == 0) {
      lines_.Show();
      end.broken = false;
    } else if (late_) {
      end.why = fmt::format("the diagnosis did not end in {:g} s", reporter_.seconds);
    } else if (signal == SIGXCPU) {
      end.why = fmt::format("the diagnosis took more than {:g} s of CPU", reporter_.seconds);
    } else if (signal != 0) {
      end.why = fmt::format("the diagnosis was ended by signal {} ({})", signal,
                            sigdescr_np(signal) == nullptr ? "unknown" : sigdescr_np(signal));
    }
    return end;
  }

  const pid_t pid_;
  const int err_;
  const Reporter& reporter_;
  Lines lines_;
  bool open_ = true, late_ = false, stopped_ = false;
  std::optional<Clock::time_point> told_;
  const Clock::time_point until_ =
      Clock::now() + std::chrono::milliseconds(std::llround(reporter_.seconds * 1000));
};

void Limit(decltype(RLIMIT_CPU) what, double most) {
  rlimit limit = {};
  getrlimit(what, &limit);
  if (static_cast<double>(limit.rlim_max) > most) limit.rlim_cur = static_cast<rlim_t>(most);
  if (setrlimit(what, &limit) != 0) FailToStart(errno);
}

}  // namespace

ReporterEnd RunReporter(const Reporter& reporter, const std::string& webhook) {
  Pipe in, err;
  const pid_t pid = Spawn(reporter.program, webhook, in.ends[0], err.ends[1]);
  in.Close(0);
  err.Close(1);
  SendWords(&in, reporter.words);
  return Supervised(pid, err.ends[0], reporter).Await();
}

std::vector<std::string> ReadWords(std::istream& in) {
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

void LimitThisProcess(double cpu_seconds, double bytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Sanitizers have reserved terabytes already.
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  Limit(RLIMIT_AS, bytes + pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  Limit(RLIMIT_CPU, std::ceil(cpu_seconds));
  Limit(RLIMIT_CORE, 0);
}

}  // namespace schedlens
