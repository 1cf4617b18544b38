#ifndef SCHEDLENS_ANALYSIS_COLLECT_METRIC_HISTORY_H_
#define SCHEDLENS_ANALYSIS_COLLECT_METRIC_HISTORY_H_

// In which Kubernetes releases a metric of kube-scheduler is there to be asked, with which buckets,
// and what came after it. Read from the sources of 1.18 to 1.34; later rows from published notes.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// Bucket layouts by the name of their family of bounds.
enum class Layout {
  kNone,
  kMs15,      ///< 0.001 * 2^i, top 16.384 s
  kPoint12,   ///< 0.0001 * 2^i, top 0.2048 s
  kPlugin20,  ///< 0.00001 * 1.5^i, top 0.0222 s
  kPod20,     ///< 0.01 * 2^i, top 5,242.88 s
  kAttempts5,
  kRestOld,  ///< 0.001 * 2^i, top 0.512 s
  kRestNew,  ///< 0.005 .. 60 s
};

/// One metric. Releases are the minor number of 1.x; 0 means never (hidden, removed) or always
/// (first).
struct MetricHistory {
  std::string_view name;  ///< family, with its prefix
  int first = 0;          ///< 0: 1.18 or older
  int hidden = 0;         ///< first release that hides it by default
  int removed = 0;        ///< first release without it
  std::string_view successor;
  Layout layout = Layout::kNone;
  int result_since = 0;  ///< first release whose series carry a `result` label; 0: none
  int layout_since = 0;  ///< first release with `newer_layout`; 0: never changed
  Layout newer_layout = Layout::kNone;
};

const std::vector<MetricHistory>& MetricHistories();

/// By family, with or without _bucket, _sum, _count. Null for a metric that is none of the
/// scheduler's, or of which nothing ever changed.
const MetricHistory* HistoryOf(std::string_view metric);

enum class Presence { kVisible, kHidden, kRemoved, kNotYet };
Presence PresenceIn(const MetricHistory& history, int minor);

/// Finite bounds, ascending, as the releases print them. Without a release: only when all releases
/// agree, else nothing.
std::vector<double> BoundsOf(const MetricHistory& history, std::optional<int> minor);

/// `1.24`, `v1.24.3`, `1.23-1.25` (its newest) to the minor number; nothing for anything else.
std::optional<int> ParseRelease(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COLLECT_METRIC_HISTORY_H_
