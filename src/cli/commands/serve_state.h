#ifndef SCHEDLENS_CLI_COMMANDS_SERVE_STATE_H_
#define SCHEDLENS_CLI_COMMANDS_SERVE_STATE_H_

// What `serve` keeps in its folder from one process to the next: state.json.

#include <cstdint>
#include <deque>
#include <string>

namespace schedlens {

/// The states of alerts that were reported (see AlertGroup), the oldest first; none where there is
/// no such file. Throws Error(kFailed) naming the file where it is damaged.
std::deque<std::uint64_t> ReadReported(const std::string& path);

/// Whole or not at all, and on disk. Throws Error(kFailed).
void WriteReported(const std::string& path, const std::deque<std::uint64_t>& states);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SERVE_STATE_H_
