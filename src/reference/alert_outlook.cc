#include "reference/alert_outlook.h"

#include <algorithm>
#include <cmath>

#include "kube/words.h"
#include "reference/what_if.h"

namespace schedlens {
namespace {

/// Bounds of a histogram: each is twice the one before.
struct Bounds {
  double first = 0.001, top = 16.384;
};
Bounds BoundsOf(ReplayedSeconds population) {
  if (population == ReplayedSeconds::kPod) return {0.01, 5242.88};
  return {};
}

bool AsksForScheduled(const AlertVerdict& alert) {
  const auto scheduled = [](const auto& label) {
    return label.first == "result" && label.second == ToString(kube::AttemptResult::kScheduled);
  };
  return std::any_of(alert.population.begin(), alert.population.end(), scheduled) ||
         std::any_of(alert.labels.begin(), alert.labels.end(), scheduled);
}

ReplayedSeconds ReplayedSecondsOf(const AlertVerdict& alert) {
  const std::string& metric = alert.metric;
  const auto has = [&](const char* part) { return metric.find(part) != std::string::npos; };
  if (has("pod_scheduling_duration") || has("pod_scheduling_sli_duration"))
    return ReplayedSeconds::kPod;
  // The older one is of scheduled attempts alone.
  if (has("e2e_scheduling")) return ReplayedSeconds::kE2e;
  if (!has("scheduling_attempt_duration")) return ReplayedSeconds::kOther;
  return AsksForScheduled(alert) ? ReplayedSeconds::kE2e : ReplayedSeconds::kAll;
}

}  // namespace

std::optional<ThresholdOf> ThresholdOfAlert(const Diagnosis& diagnosis) {
  const auto& alert = diagnosis.alert;
  if (!alert || !alert->threshold || std::isnan(alert->quantile)) return std::nullopt;
  return ThresholdOf{ReplayedSecondsOf(*alert), alert->metric, alert->quantile, *alert->threshold};
}

const std::vector<std::vector<double>>& Of(const Runs& runs, ReplayedSeconds population) {
  return population == ReplayedSeconds::kPod   ? runs.pod
         : population == ReplayedSeconds::kAll ? runs.all
                                               : runs.e2e;
}

double ShownQuantile(const std::vector<double>& ascending, double q, ReplayedSeconds population) {
  const Bounds bounds = BoundsOf(population);
  const double n = static_cast<double>(ascending.size());
  double lower = 0, below = 0;
  for (double bound = bounds.first; bound <= bounds.top * 1.0001; bound *= 2) {
    const auto at = std::upper_bound(ascending.begin(), ascending.end(), bound);
    const double reached = static_cast<double>(at - ascending.begin());
    if (reached >= q * n) {
      return lower + (bound - lower) * (q * n - below) / std::max(1.0, reached - below);
    }
    lower = bound;
    below = reached;
  }
  return bounds.top;
}

std::optional<bool> Fires(const ThresholdOf& threshold, const Runs& runs) {
  const double top = BoundsOf(threshold.population).top;
  bool above = true, below = true;
  for (const std::vector<double>& run : Of(runs, threshold.population)) {
    if (run.empty()) return std::nullopt;
    const double shown = ShownQuantile(run, threshold.q, threshold.population);
    above = above && shown / kFitError > threshold.seconds;
    below = below && std::min(top, shown * kFitError) <= threshold.seconds;
  }
  if (above == below) return std::nullopt;
  return above;
}

}  // namespace schedlens
