#ifndef SCHEDLENS_CONTRACT_PREDICTION_H_
#define SCHEDLENS_CONTRACT_PREDICTION_H_

// What `whatif` predicts.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "contract/message.h"
#include "schedlens/estimate.h"

namespace schedlens {

struct PredictedChange {
  double q = 0;
  Measured before, after;  ///< seconds; the interval is PredictedInterval's
};

struct Prediction {
  std::vector<PredictedChange> e2e;  ///< scheduled attempts
  std::vector<PredictedChange> pod;  ///< from a pod's first attempt to its binding
  std::string alert_metric;          ///< of the alert, empty without threshold
  double alert_quantile = 0.99;
  std::optional<double> threshold;                ///< the alert's
  std::optional<bool> fires_before, fires_after;  ///< absent without threshold, or undecided
  std::size_t seeds = 0;
  std::vector<Message> assumptions;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_PREDICTION_H_
