#pragma once

// What a replay found, as text and as JSON.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verify/placements.h"

namespace schedlens::verify {

/// The sets taken together.
struct ReplaySummary {
  std::string directory;           ///< what was asked for
  std::string kubernetes_version;  ///< `1.26`; several are joined by ", "
  std::int64_t attempts = 0;
  std::int64_t skipped = 0;
  std::int64_t compared = 0;
  std::int64_t mismatches = 0;
  std::map<std::string, KindCount> by_kind;
  std::map<std::string, int> ignored;  ///< what is not played of the objects, and how often
  std::vector<SetReport> sets;
};

ReplaySummary Summarize(const std::string& directory, std::vector<SetReport> sets);

/// What was compared, by kind, and each mismatch on a line.
std::string ReplayText(const ReplaySummary& summary);
/// {"compared":N,"mismatches":M,"kubernetes_version":...,"by_kind":{...},"ignored":{...},"list":[...],
/// "sets":[{"directory":...,"compared":N,"mismatches":M,...}]}.
std::string ReplayJson(const ReplaySummary& summary);

}  // namespace schedlens::verify
