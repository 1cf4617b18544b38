#ifndef SCHEDLENS_CLI_SIDE_BY_SIDE_H_
#define SCHEDLENS_CLI_SIDE_BY_SIDE_H_

#include <cstddef>
#include <functional>

namespace schedlens {

/// So many at a time, whatever the machine has: each may hold a part of what is known in memory.
constexpr std::size_t kMostSideBySide = 8;

/// Calls work(0), ..., work(count - 1), each once, on as many threads as the process may use
/// processors; returns when all have ended. Where some throw, nothing more is begun, and what the
/// first of them by number threw is thrown. Nothing is called for a count of 0.
void SideBySide(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_SIDE_BY_SIDE_H_
