#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "base/work_budget.h"
#include "cli/commands/serve.h"
#include "cli/interrupt.h"
#include "cli/safe_stream.h"
#include "report/messages/messages.h"
#include "source/http/client.h"

namespace schedlens {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookAtChildMs = 100;
constexpr int kLookForItsEndMs = 5;
constexpr int kWaitForReaderMs = 10'000;
constexpr std::chrono::seconds kLastWords{2};  // between asking it to end and ending it
constexpr std::size_t kMostOutput = std::size_t{64} << 20;
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
pid_t Spawn(const std::string& program, const std::string& webhook, int in, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  if (out < 0) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  }
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

/// A reader that is gone is no reason to end, nor one that reads nothing a reason to wait for ever.
void SendWords(Pipe* to, const std::vector<std::string>& words, const std::string& input) {
  std::string text = std::to_string(words.size()) + '\0';
  for (const std::string& word : words) text += word + '\0';
  text += input;
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  fcntl(to->ends[1], F_SETFL, O_NONBLOCK);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(to->ends[1], text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    pollfd room = {to->ends[1], POLLOUT, 0};
    if (n < 0 && errno == EAGAIN && poll(&room, 1, kWaitForReaderMs) > 0) continue;
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
  explicit Lines(const Log& log) : log_(log) {}
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
  const Log& log_;
  std::string line_, last_;
  bool shown_ = true;
};

class Supervised {
 public:
  Supervised(pid_t pid, int out, int err, const Reporter& reporter)
      : pid_(pid), out_(out), err_(err), reporter_(reporter), lines_(reporter.log) {}

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
    while (ReadLines(0)) continue;
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
    pollfd ready[] = {{open_ ? err_ : -1, POLLIN, 0}, {out_, POLLIN, 0}};
    const int polled = poll(ready, 2, milliseconds);
    if (polled == 0 && open_ && milliseconds > 0) lines_.Show();
    if (polled <= 0) return false;
    char block[4096];
    bool some = false;
    if (ready[0].revents != 0) {
      const ssize_t n = read(err_, block, sizeof(block));
      if (n > 0) lines_.Add({block, static_cast<std::size_t>(n)});
      open_ = n > 0 || (n < 0 && errno == EINTR);
      some = n > 0;
    }
    if (ready[1].revents != 0) {
      const ssize_t n = read(out_, block, sizeof(block));
      if (n > 0 && reporter_.out->size() < kMostOutput) {
        reporter_.out->append(block, static_cast<std::size_t>(n));
      }
      if (n == 0) out_ = -1;
      some = some || n > 0;
    }
    return some;
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
  int out_;
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
  if (static_cast<double>(limit.rlim_cur) > most) limit.rlim_cur = static_cast<rlim_t>(most);
  if (setrlimit(what, &limit) != 0) FailToStart(errno);
}

HttpConfig GrafanaAccess(const PostOptions& options) {
  return options.grafana_config.empty() ? HttpConfig() : ReadHttpConfig(options.grafana_config);
}

/// Empty, or what went wrong.
std::string Post(const std::string& what, const std::string& url, const std::string& body,
                 const HttpConfig& access) {
  HttpOptions http;
  http.access = access;
  http.total_timeout_seconds = kPostSeconds;
  http.query_timeout_seconds = kPostSeconds;
  HttpRequest request;
  request.url = url;
  request.form = MaskKnownSecrets(body);
  request.what = what;
  request.headers = {{"Content-Type", "application/json"}};
  try {
    HttpClient client(std::move(http));
    const HttpAnswer answer = client.Fetch(request);
    if (answer.status >= 200 && answer.status < 300) return "";
    return fmt::format("{}: the server answers {}", what, answer.status);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    // The path of a chat's webhook is its secret.
    const auto parsed = ParseUrl(url);
    return fmt::format("{}: {} cannot be reached or refuses access", what,
                       parsed ? parsed->host : "the server");
  }
}

void CheckUrl(const std::string& option, const std::string& url) {
  if (url.empty()) return;
  if (const auto parsed = ParseUrl(url)) return CheckCredentials(*parsed, option);
  throw Error(ErrorKind::kUsage, option + ": not an http, https or unix URL");
}

using Outcome = WebhookQueue::Outcome;

constexpr unsigned kReportMode = 0640;
constexpr double kGraceSeconds = 10;

bool MayPass(int code) {
  return code == static_cast<int>(ErrorKind::kFailed) ||
         code == static_cast<int>(ErrorKind::kTimeout) ||
         code == static_cast<int>(ErrorKind::kAuth);
}

ReporterEnd Await(const WorkerOptions& options, const QueuedGroup& group, std::atomic<bool>* starts,
                  const Log& log) {
  std::error_code unknown;
  if (!std::filesystem::exists(group.path, unknown)) {
    return {.code = 1,
            .broken = true,
            .why = unknown ? fmt::format("reading {}: {}", group.path, unknown.message())
                           : "what was posted is gone from the queue"};
  }
  const Reporter reporter{.program = options.program,
                          .words = options.words,
                          .seconds = MostSeconds(options),
                          .interrupted = Interrupted,
                          .log = log};
  try {
    const ReporterEnd end = RunReporter(reporter, group.path);
    *starts = true;
    return end;
  } catch (const std::exception& error) {
    *starts = false;
    return {.code = static_cast<int>(ErrorKind::kFailed), .why = error.what()};
  }
}

/// A disk that is full may be so here too; the text is still in the queue for the next start.
void Finish(const WorkerOptions& options, const QueuedGroup& group, const ReporterEnd& end,
            WebhookQueue* queue, const Log& log) {
  const std::string path = options.folder + "/" + group.group.report;
  try {
    if (end.code == 0) {
      std::filesystem::remove(path + ".txt");
      return queue->Finish(group, Outcome::kReported);
    }
    if (end.stopped) return queue->Finish(group, Outcome::kStopped);
    const bool later =
        !end.broken && MayPass(end.code) && group.tries + 1 < WebhookQueue::kMostTries;
    log(fmt::format("{}: {}{}", group.group.report, end.why,
                    later ? "; tried again later" : "; given up, see failed/" + group.id));
    queue->Finish(group, later ? Outcome::kTryLater : Outcome::kGivenUp, end.why);
    if (later) return;
    const std::string text = fmt::format("{}: no report: {}; what was posted: failed/{}.json",
                                         group.group.report, end.why, group.id);
    WriteTextFile(path + ".txt", OneLine(text) + "\n", kReportMode);
  } catch (const std::exception& error) {
    log(fmt::format("{}: {}", group.group.report, error.what()));
  }
}

}  // namespace

ReporterEnd RunReporter(const Reporter& reporter, const std::string& webhook) {
  Pipe in, out, err;
  const bool kept = reporter.out != nullptr;
  const pid_t pid =
      Spawn(reporter.program, webhook, in.ends[0], kept ? out.ends[1] : -1, err.ends[1]);
  in.Close(0);
  out.Close(1);
  err.Close(1);
  SendWords(&in, reporter.words, reporter.input);
  return Supervised(pid, kept ? out.ends[0] : -1, err.ends[0], reporter).Await();
}

std::vector<std::string> ReadWords(std::istream& in) {
  std::vector<std::string> words;
  std::string word;
  std::getline(in, word, '\0');
  const std::size_t count = WholeNumber<std::size_t>(word).value_or(0);
  while (words.size() < count && std::getline(in, word, '\0')) words.push_back(word);
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

void CheckPosts(const PostOptions& options) {
  CheckUrl("--grafana", options.grafana);
  CheckUrl("--notify", options.notify);
  GrafanaAccess(options);
}

std::vector<std::string> PostDiagnosis(const Diagnosis& diagnosis, const PostOptions& options) {
  std::error_code unknown;
  const bool noted =
      !options.told.empty() && (std::filesystem::exists(options.told, unknown) || unknown);
  std::string told = noted ? ReadFile(options.told) : "";
  std::vector<std::string> failures;
  const auto once = [&](const std::string& what, const std::string& url, const auto& post) {
    if (url.empty() || told.find(what) != std::string::npos) return;
    const std::string failure = post();
    if (!failure.empty()) return failures.push_back(failure);
    told += what + "\n";
    if (!options.told.empty()) WriteFileAtomically(options.told, told);
  };
  once("annotation", options.grafana, [&] {
    std::string url = options.grafana;
    while (url.ends_with('/')) url.pop_back();
    // The configuration is read for each report, for a token that is renewed.
    try {
      return Post("annotation", url + "/api/annotations", RenderGrafanaAnnotation(diagnosis),
                  GrafanaAccess(options));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInterrupted) throw;
      return fmt::format("annotation: {}", error.what());
    }
  });
  // As Slack's incoming webhooks and those that copy them take it.
  once("notification", options.notify, [&] {
    const std::string body = WriteJson({{"text", RenderSlack(diagnosis, options.look)}});
    return Post("notification", options.notify, body, HttpConfig());
  });
  return failures;
}

double MostSeconds(const WorkerOptions& options) {
  const int posts = int{!options.posts.grafana.empty()} + int{!options.posts.notify.empty()};
  return options.diagnosing.source.total_timeout_seconds + posts * kPostSeconds + kGraceSeconds;
}

void Report(WorkerOptions options, const std::string& webhook, const Log& log) {
  AlertOptions& alert = options.diagnosing.alert;
  alert.webhook = std::filesystem::path(webhook).stem();
  alert.webhook_text = ReadFile(webhook);
  const std::string name = ReadAlertGroup(alert.webhook_text).report;
  const std::string path = options.folder + "/" + name;
  std::istringstream nothing;
  std::ostringstream unread;
  const Context quiet{nothing, unread, unread};
  const Diagnosis diagnosis =
      DiagnoseAsAsked(options.diagnosing, QueriesOf(options.diagnosing), quiet);
  MakeFolder(options.folder);
  WriteTextFile(path + ".json", RenderJson(diagnosis), kReportMode);
  WriteTextFile(path + ".html", RenderHtml(diagnosis, options.look), kReportMode);
  log(fmt::format("{}.html: {}", path, Headline(Messages{"en"}, diagnosis)));
  SetDeadline(kNoDeadline);  // what is posted has its own time
  options.posts.told = WebhookQueue::ToldPath(webhook);
  options.posts.look = options.look;
  if (!options.posts.reports.empty()) {
    options.posts.look.link = options.posts.reports + PercentEncode(name + ".html");
  }
  for (const std::string& failure : PostDiagnosis(diagnosis, options.posts)) {
    log(fmt::format("{}.html: {}", path, failure));
  }
}

void WorkOnQueue(const WorkerOptions& options, WebhookQueue* queue, std::atomic<bool>* starts,
                 const Log& log) {
  while (const auto group = queue->Take()) {
    Finish(options, *group, Await(options, *group, starts, log), queue, log);
    for (const char* folder : {"", "/failed"}) {
      KeepNewest(options.folder + folder, static_cast<std::size_t>(options.keep));
    }
  }
}

}  // namespace schedlens
