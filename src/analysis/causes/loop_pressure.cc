#include "analysis/causes/loop_pressure.h"

#include <algorithm>

#include "analysis/breakdown/queue.h"

namespace schedlens {
namespace {

/// Attempts that failed come back through the queue: their pods' waits are not the loop's.
constexpr double kFewFailures = 0.01;

std::optional<double> WaitForLoop(const Measurement& m) {
  const double seconds = m.breakdown.window.seconds();
  const double attempts = m.breakdown.e2e.count;
  if (attempts < 1 || !(seconds > 0)) return std::nullopt;
  if (m.pending_active) return *m.pending_active / (attempts / seconds);
  if (m.breakdown.failed() > kFewFailures * attempts) return std::nullopt;
  return WaitOutsideAttempt(m.breakdown);
}

}  // namespace

LoopPressure MeasureLoop(const Measurement& now, const std::optional<Measurement>& baseline) {
  LoopPressure loop;
  loop.busy = LoopSeconds(now.breakdown) / std::max(1e-3, now.breakdown.window.seconds());
  loop.wait = WaitForLoop(now);
  if (baseline) loop.wait_before = WaitForLoop(*baseline);
  return loop;
}

}  // namespace schedlens
