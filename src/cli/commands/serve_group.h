#ifndef SCHEDLENS_CLI_COMMANDS_SERVE_GROUP_H_
#define SCHEDLENS_CLI_COMMANDS_SERVE_GROUP_H_

// A notification of Alertmanager, as far as `serve` tells one from another.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// FNV-1a, 64 bits: tells texts of any length apart in little memory.
std::uint64_t Digest(std::string_view text);

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

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SERVE_GROUP_H_
