#ifndef SCHEDLENS_CLI_COMMANDS_SERVE_POSTS_H_
#define SCHEDLENS_CLI_COMMANDS_SERVE_POSTS_H_

// Where `serve` tells of a report: an annotation in Grafana, a message to a chat's webhook.

#include <string>
#include <vector>

#include "contract/diagnosis.h"

namespace schedlens {

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

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SERVE_POSTS_H_
