#pragma once

// Which kube-scheduler is played: one release, and what that release does differently.

#include <string>
#include <string_view>

namespace schedlens::sim {

/// A Kubernetes release 1.MINOR.PATCH. Without a patch the newest patch is meant.
struct Release {
  int minor = 26, patch = 999;

  static constexpr int kOldest = 18;
  static constexpr int kNewest = 37;

  /// `1.26`, `1.26.4`, `v1.34.1`. Throws Error(kUsage) else, or outside kOldest..kNewest.
  static Release Parse(std::string_view text);
  std::string ToString() const;

  /// Failed attempts end their e2e clock after Unreserve and the cache's forget (from 1.26).
  bool failure_after_cleanup() const { return minor >= 26; }
  /// scheduling_algorithm_duration also counts failed attempts, PostFilter included (from 1.30).
  bool algorithm_counts_failures() const { return minor >= 30; }
  /// Victims are deleted by a goroutine after PostFilter has returned (default from 1.33).
  bool async_preemption() const { return minor >= 33; }
  /// Binds and status patches go through a dispatcher by default (1.34.0, 1.34.1, 1.35.0 only).
  bool async_api_calls() const {
    return (minor == 34 && patch <= 1) || (minor == 35 && patch == 0);
  }
  /// Opportunistic batching is on (from 1.35).
  bool batches() const { return minor >= 35; }
  /// The node of a pod that waits at PreBind or Permit is written to the API server before
  /// (NominatedNodeNameForExpectation, default from 1.35).
  bool writes_nominated_node() const { return minor >= 35; }
  /// A nominated node is tried first, alone (default from 1.22).
  bool prefers_nominated_node() const { return minor >= 22; }
  /// One plugin metrics recorder a profile (1.21 to 1.26), else one for all.
  bool recorder_per_profile() const { return minor >= 21 && minor <= 26; }
};

}  // namespace schedlens::sim
