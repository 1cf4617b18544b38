#ifndef SCHEDLENS_VERIFY_PLACEMENTS_H_
#define SCHEDLENS_VERIFY_PLACEMENTS_H_

// Replays the recorded decisions of a real kube-scheduler and compares each with our own.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens::sim {

struct VerifyMismatch {
  std::int64_t seq = 0;  ///< line of the recording
  std::string pod;       ///< namespace/name
  std::int64_t attempt = 0;
  std::string node;    ///< empty if it is not about one node
  std::string plugin;  ///< empty if it is not about one plugin
  std::string kind;    ///< `verdict`, `reasons`, `raw score`, ...
  std::string recorded, own;
};

struct VerifyCount {
  std::int64_t compared = 0;
  std::int64_t mismatches = 0;
};

struct VerifyReport {
  std::string directory;
  std::string kubernetes_version;
  std::int64_t attempts = 0;
  std::int64_t skipped = 0;  ///< attempts whose cluster state the recorder did not know
  std::map<std::string, VerifyCount> by_kind;
  std::vector<VerifyMismatch> mismatches;  ///< all of them, in order

  std::int64_t compared() const;
};

/// Replays `directory` (cluster.json, config.yaml, decisions.jsonl or .jsonl.gz). Without
/// `kubernetes_version` ("") the release is told from the configuration's apiVersion and from what
/// the decisions name. Throws Error: a file missing or malformed (kFailed, with the line), a
/// configuration that cannot be (kUsage), no attempt at all (kInsufficientData).
VerifyReport VerifyPlacements(const std::string& directory, std::string_view kubernetes_version);

/// What was compared, by kind, and each mismatch on a line.
std::string VerifyText(const VerifyReport& report);
/// {"compared":N,"mismatches":M,"kubernetes_version":...,"by_kind":{...},"list":[...]}.
std::string VerifyJson(const VerifyReport& report);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_VERIFY_PLACEMENTS_H_
