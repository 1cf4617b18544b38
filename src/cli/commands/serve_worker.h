#pragma once

// From a notification in the queue of `serve` to its report: in a process of its own, of which a
// crash, a hang or a lack of memory ends that report alone, then told to Grafana and to a chat.

#include <atomic>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/diagnose.h"
#include "cli/commands/serve_queue.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The first word of a reporting process; the second is the webhook's file. The command line of
/// `serve` comes through standard input, where nobody else can read it.
inline constexpr std::string_view kReporter = "schedlens-report";

struct Reporter {
  std::string program = "/proc/self/exe";
  std::vector<std::string> words;  ///< the command line of `serve`
  double seconds = 300;            ///< then it is ended
  std::function<bool()> interrupted;
  std::function<void(const std::string&)> log;  ///< told of each line on its standard error
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

/// In the new process: the words that RunReporter sent.
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
  std::string lang = "en";
  int keep = 1000;  ///< reports; older ones are removed
  std::string program = "/proc/self/exe";
  std::vector<std::string> words;  ///< the command line of `serve`, for the reporting processes
};

/// How long a reporting process may take: --timeout, what its posts may take, and a little.
double MostSeconds(const WorkerOptions& options);

/// In a reporting process: writes the report of the posted file, whole or not at all, as
/// FOLDER/NAME.html and FOLDER/NAME.json, and posts it; one line for each on `log`. Throws what
/// diagnosing throws.
void Report(WorkerOptions options, const std::string& webhook,
            const std::function<void(const std::string&)>& log);

/// Takes groups from the queue until it is stopped; each is reported by a process of its own, whose
/// lines go to `log`, which several workers may call at the same time. A server that fails is asked
/// again later, up to ten times; a process that a signal or a limit ended is not started again.
/// Where there is no report FOLDER/NAME.txt says why. Of the reports, and of what was set aside,
/// the newest `keep` stay. `starts`: whether the last process could be started.
void WorkOnQueue(const WorkerOptions& options, WebhookQueue* queue, std::atomic<bool>* starts,
                 const std::function<void(const std::string&)>& log);

}  // namespace schedlens
