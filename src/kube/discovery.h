#ifndef SCHEDLENS_KUBE_DISCOVERY_H_
#define SCHEDLENS_KUBE_DISCOVERY_H_

// What counts as a kube-scheduler: a process that exposes the histograms which no other component
// has, of its attempts (under either name) or of their algorithm.

#include <string>
#include <string_view>
#include <vector>

#include "contract/series.h"

namespace schedlens::kube {

/// What the names of kube-scheduler's own metrics begin with.
inline constexpr std::string_view kOwnPrefix = "scheduler_";
/// A regular expression for the rest of the names of those histograms' `_count` series.
inline constexpr std::string_view kOwnCounts =
    "(scheduling_attempt|e2e_scheduling|scheduling_algorithm)_duration_seconds_count";

/// `job=~"a|b"` of the schedulers whose labels are given, each job once; empty when there are none
/// or one has no job, since then no matcher of jobs finds them all.
std::string JobMatcher(const std::vector<Labels>& schedulers);

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_DISCOVERY_H_
