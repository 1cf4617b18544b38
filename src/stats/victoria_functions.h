#pragma once

// VictoriaMetrics' own rate, increase and relatives: no extrapolation; the last sample before the
// window is the left end.

#include <cstdint>
#include <span>

#include "base/series.h"

namespace schedlens {

/// Those named after Prometheus look at nothing outside the window, but do not extrapolate either.
enum class VictoriaFunction {
  kRate,
  kIncrease,
  kDelta,
  kIrate,
  kIdelta,
  kResets,
  kChanges,
  kPrometheusRate,
  kPrometheusIncrease,
  kPrometheusDelta,
  kPrometheusChanges
};

struct VictoriaRollup {
  VictoriaFunction function = VictoriaFunction::kRate;
  std::int64_t window_ms = 0;
  /// Of a range query; 0 for an instant query, which takes 5 minutes, the API's default step.
  std::int64_t step_ms = 0;
};

/// One result per window end (ascending); elements without a result are left as they are. Samples
/// are ascending; NaN values are skipped, as the server does not store them.
void VictoriaRollupOverSteps(const VictoriaRollup& rollup, std::span<const TimeMs> times,
                             std::span<const double> values, std::span<const TimeMs> ends,
                             std::span<double> results);

/// Adds what was lost in each counter reset to all later values. A drop by less than an eighth is
/// a partial reset: only the drop is added.
void RemoveCounterResets(std::span<double> values);

/// The longest gap to the sample before the window: 1.125 to 5 times the scrape interval, which is
/// the 0.6 quantile of the first 20 gaps; `fallback` with fewer than two samples.
std::int64_t MaxGapBefore(std::span<const TimeMs> times, std::int64_t fallback);

}  // namespace schedlens
