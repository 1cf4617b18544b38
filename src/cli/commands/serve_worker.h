#ifndef SCHEDLENS_CLI_COMMANDS_SERVE_WORKER_H_
#define SCHEDLENS_CLI_COMMANDS_SERVE_WORKER_H_

// From a notification in the queue to its report in the folder.

#include <functional>
#include <string>

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
};

/// Takes groups from the queue until it is stopped. Each report is written whole or not at all, as
/// FOLDER/NAME.html and FOLDER/NAME.json; one line for each on `log`, which several workers may
/// call at the same time. A server that fails is asked again later, up to ten times. Of
/// the reports, and of what was set aside, the newest `keep` stay.
void WorkOnQueue(const WorkerOptions& options, WebhookQueue* queue,
                 const std::function<void(const std::string&)>& log);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SERVE_WORKER_H_
