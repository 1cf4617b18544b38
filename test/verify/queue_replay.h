#pragma once

// Replays recorded runs of a real scheduling queue and compares our queue with each state.

#include <cstdint>
#include <string>
#include <vector>

#include "verify/queue_log.h"

namespace schedlens::verify {

/// One trace replayed.
struct TraceReport {
  std::string file;
  std::string release;
  std::int64_t operations = 0;
  QueueLog log;
};

/// Replays one trace, gzip or not. Throws Error(kFailed), with file and line, for one that cannot
/// be read, is cut short or malformed, or holds no operation.
TraceReport ReplayTrace(const std::string& file);

/// Replays `path` if it is a file, else every *.jsonl.gz below it, in order of their names. Throws
/// as ReplayTrace, and Error(kFailed) if there is none.
std::vector<TraceReport> ReplayTraces(const std::string& path);

}  // namespace schedlens::verify
