#include "analysis/collect/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace schedlens {
namespace {

/// A metric is there from `first` to `last` (minor versions, by default settings).
struct Lifetime {
  std::string_view metric;
  int first, last;
};

constexpr Lifetime kLifetimes[] = {
    {"scheduler_scheduling_algorithm_predicate_evaluation_seconds_count", 18, 19},
    {"scheduler_binding_duration_seconds_count", 18, 20},
    {"scheduler_scheduling_algorithm_preemption_evaluation_seconds_count", 18, 20},
    {"rest_client_rate_limiter_duration_seconds_count", 22, 99},
    {"scheduler_e2e_scheduling_duration_seconds_count", 18, 23},
    {"scheduler_scheduling_attempt_duration_seconds_count", 23, 99},
    {"scheduler_pod_scheduling_duration_seconds_count", 18, 28},
    {"scheduler_pod_scheduling_sli_duration_seconds_count", 29, 99},
    {"scheduler_scheduler_goroutines", 18, 26},
    {"scheduler_goroutines", 26, 99},
    {"scheduler_unschedulable_pods", 24, 99},
    {"scheduler_plugin_evaluation_total", 27, 99},
    {"scheduler_event_handling_duration_seconds_count", 31, 99},
    {"scheduler_inflight_events", 32, 99},
    {"scheduler_scheduler_cache_size", 18, 33},
    {"scheduler_cache_size", 33, 99},
    {"scheduler_async_api_call_execution_total", 34, 99},
    {"scheduler_pending_async_api_calls", 34, 99},
};

/// The one metric whose absence counts: every scheduler of these releases exports it from its first
/// moment. So does 1.20 the binding duration, but where that is absent, 1.20 with a relabelling
/// that drops it is as likely as 1.21, and the two measure a bind differently.
constexpr Lifetime kAlwaysThere = kLifetimes[0];

int Minor(std::string_view text) {
  int minor = 0;
  std::from_chars(text.data(), text.data() + text.size(), minor);
  return minor;
}

}  // namespace

ReleaseRange DetectRelease(const Facts& facts) {
  ReleaseRange release;
  const auto& present = facts.Of("release");
  if (present.empty()) return release;
  const auto has = [&](std::string_view metric) {
    return std::any_of(present.begin(), present.end(),
                       [&](const Series& s) { return s.labels.Get(kMetricName) == metric; });
  };
  for (const Series& series : present) {
    if (series.labels.Get(kMetricName) != "kubernetes_build_info") continue;
    const int minor = Minor(series.labels.Get("minor"));
    if (minor <= 0) continue;
    return {minor, minor, std::string(series.labels.Get("git_version"))};
  }
  for (const Lifetime& life : kLifetimes) {
    if (has(life.metric)) {
      release.oldest = std::max(release.oldest, life.first);
      release.newest = std::min(release.newest, life.last);
    }
  }
  if (!has(kAlwaysThere.metric)) release.oldest = std::max(release.oldest, kAlwaysThere.last + 1);
  // Replicas of different releases show metrics whose lifetimes do not meet.
  if (release.oldest > release.newest) std::swap(release.oldest, release.newest);
  return release;
}

std::string ToString(const ReleaseRange& release) {
  if (!release.exact.empty()) return release.exact;
  if (!release.known()) return "";
  if (release.newest == 99) return fmt::format("1.{} or later", release.oldest);
  if (release.oldest == release.newest) return fmt::format("1.{}", release.oldest);
  return fmt::format("1.{}-1.{}", release.oldest, release.newest);
}

}  // namespace schedlens
