#ifndef SCHEDLENS_ANALYSIS_CAUSES_SLOW_PROFILE_H_
#define SCHEDLENS_ANALYSIS_CAUSES_SLOW_PROFILE_H_

// Whether the slow attempts are one profile's. Profiles share a process, its loop and its queue,
// but each has plugins of its own.

#include <optional>
#include <string>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/collect/histogram_store.h"
#include "stats/scrape_increases.h"

namespace schedlens {

struct SlowProfile {
  std::string profile;  ///< the value of the label
  PooledBuckets own;    ///< its scheduled attempts
  PooledBuckets rest;   ///< those of all other profiles
};

/// The profile whose scheduled attempts are significantly slower than all others' by Fisher's test
/// over the bucket bounds, with a 99th percentile of at least twice theirs and a tenth of a second;
/// the slowest where several are. Nothing with one profile, and for one with under ten attempts.
std::optional<SlowProfile> FindSlowProfile(const WindowIncreases& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_SLOW_PROFILE_H_
