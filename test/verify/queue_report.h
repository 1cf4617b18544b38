#pragma once

// What a replay of scheduling queues found, as text and as JSON.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verify/queue_replay.h"

namespace schedlens::verify {

/// The traces taken together.
struct QueueSummary {
  std::string path;                ///< what was asked for
  std::string kubernetes_version;  ///< `1.30.14`; several are joined by ", "
  std::int64_t operations = 0;
  std::int64_t compared = 0, mismatches = 0;             ///< of the queue
  std::int64_t hints_compared = 0, hint_mismatches = 0;  ///< of our own hints
  std::map<std::string, KindCount> by_kind;
  std::vector<TraceReport> traces;
};

QueueSummary SummarizeQueues(const std::string& path, std::vector<TraceReport> traces);

/// What was compared, by kind, and the first mismatches of each trace, one on a line.
std::string QueueText(const QueueSummary& summary);
/// {"compared":N,"mismatches":M,"hints_compared":N,"hint_mismatches":M,"by_kind":{...},
/// "list":[...],"traces":[...]}.
std::string QueueJson(const QueueSummary& summary);

}  // namespace schedlens::verify
