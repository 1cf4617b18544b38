#pragma once

// What Prometheus and Grafana can watch permanently: the stage tree as recording rules, alerts
// whose threshold is a bucket bound (so that no interpolation decides them), and a dashboard of
// both.

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

struct WatchOptions {
  int minor = 30;            ///< kube-scheduler 1.MINOR; metric names and identities differ
  double threshold = 4.096;  ///< seconds; one of AttemptBounds()
};

/// The finite bounds of the attempt histogram, every release: 0.001 x 2^i, in seconds.
std::vector<double> AttemptBounds();

/// A rule file for `promtool check rules`. Throws Error(kUsage) when the threshold is not a bucket
/// bound.
std::string RuleFile(const WatchOptions& options);

/// A Grafana dashboard that draws what the rules record. Throws as RuleFile does.
std::string Dashboard(const WatchOptions& options);
/// json/dashboard.json: ATTEMPT_METRIC and THRESHOLD are still to be filled in.
std::string_view DashboardTemplate();

}  // namespace schedlens
