#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <list>
#include <mutex>
#include <unordered_set>

#include "cli/commands/diagnose.h"
#include "cli/web/server.h"
#include "contract/report.h"

namespace schedlens {

/// Takes a line for whoever runs `serve`.
using Log = std::function<void(const std::string&)>;

// The notifications that wait for their report, and the folders they are kept in, which a power cut
// does not take back. Each is a file before it counts as taken, so that no end of the process loses
// one.

/// Makes the folder and those above it that are missing; all of them are on disk when it returns.
/// Throws Error(kFailed) naming what cannot be made.
void MakeFolder(const std::string& path);
/// Removes the oldest reports of `serve` in the folder until `most` are left: files whose names end
/// with a dash, 16 hexadecimal digits and .html, .json or .txt; those that differ in the ending
/// alone are one report. Other files stay. What cannot be removed stays, without an error.
void KeepNewest(const std::string& folder, std::size_t most);
/// Whether a file has the name of one of those.
bool IsReport(const std::filesystem::path& path);
struct StoredReport {
  std::filesystem::file_time_type written =
      std::filesystem::file_time_type::min();  ///< newest file
  std::vector<std::filesystem::path> files;
};
/// Those of the folder, the newest first; none where it cannot be read.
std::vector<StoredReport> StoredReports(const std::string& folder);

/// A notification of Alertmanager, as far as `serve` tells one from another.
struct AlertGroup {
  std::vector<std::uint64_t> alerts;  ///< digests of the fingerprints, sorted, each once
  /// Digests of fingerprint, start and state of each alert: what makes a notification a new one.
  std::vector<std::uint64_t> states;
  /// File name without ending: the alert, when it began, and a digest of the fingerprints. The same
  /// for all notifications of the same alerts.
  std::string report;
};

/// Reads the posted JSON. Throws Error(kFailed) when it is none, or holds no alert.
AlertGroup ReadAlertGroup(std::string_view json);

/// The states of alerts that were reported (see AlertGroup), the oldest first; none where there is
/// no such file. Throws Error(kFailed) naming the file where it is damaged.
std::deque<std::uint64_t> ReadReported(const std::string& path);

/// Whole or not at all, and on disk. Throws Error(kFailed).
void WriteReported(const std::string& path, const std::deque<std::uint64_t>& states);

struct QueuedGroup {
  std::string id;    ///< in the order of their coming
  std::string path;  ///< the posted text; its name holds the tries, for the next process
  AlertGroup group;
  int tries = 0;                                          ///< begun before this one
  std::chrono::steady_clock::time_point not_before = {};  ///< of this try
};

struct QueueCounts {
  std::size_t waiting = 0, running = 0;
  std::uint64_t queued = 0, known = 0, full = 0, reported = 0, given_up = 0;
};

/// For several threads that offer and that take.
class WebhookQueue {
 public:
  enum class Offered { kQueued, kKnown, kFull };
  enum class Outcome { kReported, kTryLater, kStopped, kGivenUp };
  using Clock = std::chrono::steady_clock;
  static constexpr int kMostTries = 10;

  /// Keeps `most` groups in `folder`/queue, what could not be reported in `folder`/failed, both
  /// for nobody else to read, and what was reported in `folder`/state.json. The folders are made,
  /// also when they are gone later. Takes up what is there, what was tried least first; what ended
  /// the process in each of its tries is given up. `log` is told of a damaged state, which counts
  /// as none. Throws Error(kFailed) when another process works there, and when it cannot be written
  /// to.
  WebhookQueue(
      const std::string& folder, std::size_t most, const Log& log = [](const std::string&) {});
  ~WebhookQueue();

  /// kQueued only when the text is on disk; kKnown when each of its alerts waits, is being worked
  /// on or was reported in the same state. `group` is what ReadAlertGroup reads in `json`. Throws
  /// Error(kFailed) when the disk refuses it.
  Offered Offer(const std::string& json, AlertGroup group);

  /// The oldest group none of whose alerts is being worked on; waits for one. Nothing once the
  /// queue is stopped.
  std::optional<QueuedGroup> Take();
  /// What has become of a group that was taken. A later try waits 5 s, and each time twice as long,
  /// up to 5 minutes; a stopped try does not count; what is given up goes to the folder of failures
  /// with `why`; a report's name and its state are on disk before the posted text goes.
  void Finish(const QueuedGroup& taken, Outcome outcome, const std::string& why = "");

  void Stop();
  QueueCounts counts() const;
  /// Why nothing more can be taken: the queue is full, or what Error(kFailed) says of its folder.
  /// Empty when all is well. Writes there.
  std::string Trouble();

  /// Beside a posted text: whom its report was told already.
  static std::string ToldPath(const std::string& path);

 private:
  void OpenFolders();
  void Recover();
  void Add(QueuedGroup group);
  void Rename(QueuedGroup* group, int tries) const;
  bool IsKnown(const AlertGroup& group) const;
  static void Remove(const QueuedGroup& group);
  void Remember(const AlertGroup& group);
  void MoveToFailures(const QueuedGroup& group, const std::string& why) const;

  const std::string folder_, queue_, failed_, state_;
  const std::size_t most_;
  int lock_ = -1;
  std::uint64_t number_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::list<QueuedGroup> waiting_;
  std::unordered_map<std::uint64_t, int> held_;  ///< states of what waits or is worked on
  std::size_t alerts_ = 0;                       ///< of what waits
  std::unordered_set<std::uint64_t> running_;    ///< alerts that are being worked on
  std::unordered_set<std::uint64_t> reported_;   ///< states, the latest ones
  std::deque<std::uint64_t> reported_order_;
  QueueCounts counts_;
};

// From a notification in the queue of `serve` to its report: in a process of its own, of which a
// crash, a hang or a lack of memory ends that report alone, then told to Grafana and to a chat.

/// The first word of a reporting process; the second is the webhook's file. The command line of
/// `serve` comes through standard input, where nobody else can read it.
inline constexpr std::string_view kReporter = "schedlens-report";

/// What starts this program: what started it where that was package/launcher.c, which says so.
inline std::string OwnProgram() {
  const std::string launcher = Environment("SCHEDLENS_LAUNCHER");
  return launcher.empty() ? "/proc/self/exe" : launcher;
}

/// A process with an empty second word runs the command of the words, within these.
inline constexpr double kCallCpuSeconds = 1800, kCallBytes = 4e9;

struct Reporter {
  std::string program = OwnProgram();
  std::vector<std::string> words;  ///< the command line of `serve`
  double seconds = 300;            ///< then it is ended
  std::function<bool()> interrupted;
  Log log;                     ///< told of each line on its standard error
  std::string input = {};      ///< what its standard input holds behind the words
  std::string* out = nullptr;  ///< gets what it prints; null: nobody does
};

struct ReporterEnd {
  int code = 0;          ///< exit code
  bool stopped = false;  ///< we were interrupted, and ended it
  bool broken = false;   ///< a signal or a limit ended it: it would again
  std::string why;       ///< unless the code is 0
};

/// Runs it to its end, and ends what it has started. Its last line is `why` where it fails. Throws
/// Error(kFailed) when it cannot be started.
ReporterEnd RunReporter(const Reporter& reporter, const std::string& webhook);

/// In the new process: the words that RunReporter sent; its `input` is left to be read.
std::vector<std::string> ReadWords(std::istream& in);

/// In the new process: from now on so much CPU time and so many more bytes of addresses, no core
/// dumps, and an end when the parent ends.
void LimitThisProcess(double cpu_seconds, double bytes);

/// The most that one post takes, tries again included.
inline constexpr double kPostSeconds = 30;

struct PostOptions {
  std::string grafana;         ///< URL; empty: none
  std::string grafana_config;  ///< promtool's format: a token; empty: none is sent
  std::string notify;          ///< URL; empty: none
  std::string reports;         ///< URL that a report's file name follows; empty: no link is posted
  RenderOptions look = {};     ///< of the message: its language, and where this report is
  /// File of what was posted already and is not again, a line each; empty: nothing is noted.
  std::string told;
};

/// Throws Error(kUsage) for a URL that is none, and what reading the configuration throws.
void CheckPosts(const PostOptions& options);

/// Posts what the options ask for; failures that may pass are tried again for half a minute. What
/// went wrong, a line each. Throws Error(kInterrupted) after Interrupt(true): then perhaps not all
/// is posted.
std::vector<std::string> PostDiagnosis(const Diagnosis& diagnosis, const PostOptions& options);

struct WorkerOptions {
  InvestigateOptions diagnosing;
  PostOptions posts;
  std::string folder;
  RenderOptions look = {};  ///< of reports, of their list and of messages
  int keep = 1000;          ///< reports; older ones are removed
  std::string program = OwnProgram();
  std::vector<std::string> words;  ///< the command line of `serve`, for the reporting processes
};

/// The page with the newest reports of the folder, each a link to `reports/NAME`.
WebReply ReportsPage(const std::string& folder, const RenderOptions& look);
/// A report's file, by its name in the folder; 404 for any other. Throws Error(kFailed) when it
/// cannot be read.
WebReply ReportFile(const std::string& folder, const std::string& name);

/// How long a reporting process may take: --timeout, what its posts may take, and a little.
double MostSeconds(const WorkerOptions& options);

/// In a reporting process: writes the report of the posted file, whole or not at all, as
/// FOLDER/NAME.html and FOLDER/NAME.json, and posts it; one line for each on `log`. Throws what
/// diagnosing throws.
void Report(WorkerOptions options, const std::string& webhook, const Log& log);

/// Takes groups from the queue until it is stopped; each is reported by a process of its own, whose
/// lines go to `log`, which several workers may call at the same time. A server that fails is asked
/// again later, up to ten times; a process that a signal or a limit ended is not started again.
/// Where there is no report FOLDER/NAME.txt says why. Of the reports, and of what was set aside,
/// the newest `keep` stay. `starts`: whether the last process could be started.
void WorkOnQueue(const WorkerOptions& options, WebhookQueue* queue, std::atomic<bool>* starts,
                 const Log& log);

}  // namespace schedlens
