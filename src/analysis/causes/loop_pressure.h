#ifndef SCHEDLENS_ANALYSIS_CAUSES_LOOP_PRESSURE_H_
#define SCHEDLENS_ANALYSIS_CAUSES_LOOP_PRESSURE_H_

// The scheduling loop makes one attempt at a time. A slow stage in it delays every pod behind it,
// in the queue, where no attempt's duration shows it.

#include <optional>

#include "analysis/causes/measurement.h"

namespace schedlens {

/// How much the loop holds pods up.
struct LoopPressure {
  double busy = 0;                  ///< seconds of the loop's stages a second of the window
  std::optional<double> wait = {};  ///< seconds a pod waits for the loop; absent where unknown
  std::optional<double> wait_before = {};  ///< in the baseline
};

/// `wait` by Little's law from the active queue's length, or from what pods wait outside their
/// attempt where none failed.
LoopPressure MeasureLoop(const Measurement& now, const std::optional<Measurement>& baseline);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_LOOP_PRESSURE_H_
