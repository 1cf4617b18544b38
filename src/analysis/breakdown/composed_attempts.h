#ifndef SCHEDLENS_ANALYSIS_BREAKDOWN_COMPOSED_ATTEMPTS_H_
#define SCHEDLENS_ANALYSIS_BREAKDOWN_COMPOSED_ATTEMPTS_H_

// Attempts where their own histogram is missing: what the other histograms measured of them.

#include "analysis/breakdown/time_breakdown.h"

namespace schedlens {

/// The scheduled attempts as counts and seconds without buckets: the algorithm, Reserve, Permit and
/// its wait, PreBind, and the bind, target by target, added at the scrapes that have them all. An
/// attempt is counted when it has been bound. What no other metric measures is not in it, nor are
/// failed attempts up to 1.29. Empty, without family, when the algorithm or the points are missing
/// too.
HistogramFacts ComposeAttempts(const Histograms& histograms);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_BREAKDOWN_COMPOSED_ATTEMPTS_H_
