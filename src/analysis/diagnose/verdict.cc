#include "analysis/diagnose/verdict.h"

#include <algorithm>

namespace schedlens {
namespace {

/// Under half a second nobody is woken for what is not at least this many times slower.
constexpr double kAlarmingGrowth = 5;

bool Stands(const WindowEvidence& c, const std::vector<Finding>& causes) {
  const bool quick = c.slow && !c.failing && !c.threshold && c.speed.growth > 0 &&
                     c.speed.growth < kAlarmingGrowth && !PlainlySlow(c.now, 1);
  if (quick && HasBuckets(c.now.cells.attempt)) return false;
  const bool likely = std::any_of(causes.begin(), causes.end(), [](const Finding& cause) {
    return cause.confidence != Confidence::kPossible;
  });
  return likely || (!causes.empty() && PlainlySlow(c.now));
}

}  // namespace

Verdict JudgeVerdict(const WindowEvidence& c, const std::vector<Finding>& causes,
                     const AlertVerdict& alert) {
  if (c.now.breakdown.e2e.count < 1) return Verdict::kInsufficientData;
  const bool fires = alert.threshold && alert.shown && *alert.shown > *alert.threshold;
  if (alert.decided == Decided::kAbove) return Verdict::kIncident;
  if (alert.decided == Decided::kBelow) return fires ? Verdict::kArtifact : Verdict::kNoIncident;
  if (Stands(c, causes)) return Verdict::kIncident;
  // Attempts too few to judge by, all of them slow, are no proof that all is well.
  const bool blind = !HasBuckets(c.now.cells.attempt);
  const bool unsure = !c.contradictions.empty() || fires || blind || (c.slow && causes.empty()) ||
                      (!c.baseline && PlainlySlow(c.now, 1));
  return unsure ? Verdict::kUndecidable : Verdict::kNoIncident;
}

}  // namespace schedlens
