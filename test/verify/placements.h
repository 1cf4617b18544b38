#pragma once

// Replays the recorded decisions of a real kube-scheduler and compares each with our own.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verify/comparison.h"

namespace schedlens::verify {

/// One set replayed.
struct SetReport {
  std::string directory;
  std::string kubernetes_version;
  std::string not_modelled;  ///< what its pods ask for and the scheduler lacks: nothing is replayed
  std::int64_t attempts = 0;
  std::int64_t skipped = 0;            ///< attempts whose cluster state the recorder did not know
  std::map<std::string, int> ignored;  ///< what is not played of the objects, and how often
  ComparisonLog log;
};

/// Replays one set (see recording.h). `kubernetes_version` may be "": then the nearest folder named
/// after a release (`1.26.4/taints`) tells it, else the configuration's apiVersion together with
/// what the decisions name; v1, which every release since 1.25 reads, does not. Throws Error: a
/// file missing or malformed (kFailed, with the line), an invalid configuration or no release told
/// (kUsage), no attempt at all (kInsufficientData).
SetReport ReplaySet(const std::string& directory, std::string_view kubernetes_version);

/// Replays the set in `directory`, or every set below it. Errors as ReplaySet's and FindSets'.
std::vector<SetReport> ReplaySets(const std::string& directory,
                                  std::string_view kubernetes_version);

}  // namespace schedlens::verify
