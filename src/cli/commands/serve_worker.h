#ifndef SCHEDLENS_CLI_COMMANDS_SERVE_WORKER_H_
#define SCHEDLENS_CLI_COMMANDS_SERVE_WORKER_H_

// From a notification in the queue to its report in the folder.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "cli/commands/diagnosing.h"
#include "cli/commands/serve_posts.h"
#include "cli/commands/serve_queue.h"

namespace schedlens {

struct WorkerOptions {
  DiagnosingOptions diagnosing;
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

#endif  // SCHEDLENS_CLI_COMMANDS_SERVE_WORKER_H_
