#ifndef SCHEDLENS_REFERENCE_ALERT_OUTLOOK_H_
#define SCHEDLENS_REFERENCE_ALERT_OUTLOOK_H_

// Whether replays would make the alert fire.

#include <optional>
#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "reference/runs.h"

namespace schedlens {

/// What an alert's quantile is of.
enum class ReplayedSeconds {
  kE2e,    ///< scheduled attempts
  kAll,    ///< attempts of every result
  kPod,    ///< bound pods
  kOther,  ///< not replayed
};

/// Of an alert that compares a quantile with a threshold; nothing for any other.
struct ThresholdOf {
  ReplayedSeconds population = ReplayedSeconds::kOther;
  std::string metric;
  double q = 0.99;
  double seconds = 0;
};
std::optional<ThresholdOf> ThresholdOfAlert(const Diagnosis& diagnosis);

const std::vector<std::vector<double>>& Of(const Runs& runs, ReplayedSeconds population);

/// What the server's function makes of the values (ascending) in the buckets of that population's
/// histogram.
double ShownQuantile(const std::vector<double>& ascending, double q, ReplayedSeconds population);

/// Whether every run, and what the fit may be off by, lies on one side of the threshold; nothing
/// where they do not, or a run is empty.
std::optional<bool> Fires(const ThresholdOf& threshold, const Runs& runs);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_ALERT_OUTLOOK_H_
