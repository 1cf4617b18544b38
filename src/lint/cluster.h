#pragma once

// What judging rules needs to know of the cluster they are for, read from a source.

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/source.h"

namespace schedlens {

struct ClusterSeen {
  std::optional<int> release;  ///< minor; the newest that fits (oldest where that is open)
  std::string release_text;    ///< "1.24-1.25", or the scheduler's own version
  std::optional<std::int64_t> scrape_ms;  ///< median distance of two scrapes
  /// Families with samples that not every release shows, and `native`.
  std::set<std::string> exposed;
  std::set<std::string> native;   ///< histograms with samples under their bare names
  bool several_clusters = false;  ///< schedulers differ in their label `cluster`
};

/// Looks at the half hour before `at`; without it at all the source holds, or the half hour before
/// `now`. Without a selector the
/// schedulers are found. Throws Error(kInsufficientData) when no scheduler is seen, and what the
/// source throws.
ClusterSeen LookAtCluster(Source& source, const QuerySet& queries, const std::string& selector,
                          std::optional<TimeMs> at, TimeMs now);

}  // namespace schedlens
