#ifndef SCHEDLENS_REFERENCE_WHAT_IF_H_
#define SCHEDLENS_REFERENCE_WHAT_IF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnose.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// One change: `bind.extender=0` sets a stage's cost (seconds) or a setting,
/// `algorithm.filter*=0.5` multiplies it.
struct Change {
  std::string key;
  bool multiply = false;
  double value = 0;
};

/// Reads `KEY=VALUE` or `KEY*=FACTOR`. Throws Error(kUsage) for another form, an unknown key (the
/// nearest one is named) or a value that is no non-negative number.
Change ParseChange(const std::string& text);

/// The keys that can be changed and what each means, for help.
struct ChangeKey {
  std::string key;
  std::string meaning;
};
std::vector<ChangeKey> ChangeKeys();

struct PredictedChange {
  double q = 0;
  Measured before, after;  ///< seconds: over the seeds, widened to the buckets they lie in
};

struct Prediction {
  std::vector<PredictedChange> e2e;               ///< scheduled attempts
  std::vector<PredictedChange> pod;               ///< from a pod's first queueing to its binding
  std::optional<double> threshold;                ///< the alert's
  std::optional<bool> fires_before, fires_after;  ///< absent without threshold, or undecided
  std::size_t seeds = 0;
  std::vector<std::string> assumptions;
};

/// Replays the investigation with and without the changes, `seeds` times each. Throws
/// Error(kInsufficientData) when there is nothing to fit.
Prediction PredictChange(const Investigation& investigation, const std::vector<Change>& changes,
                         std::size_t seeds);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_WHAT_IF_H_
