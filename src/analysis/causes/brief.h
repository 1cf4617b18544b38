#ifndef SCHEDLENS_ANALYSIS_CAUSES_BRIEF_H_
#define SCHEDLENS_ANALYSIS_CAUSES_BRIEF_H_

// Slower, but for so short a time, or so few attempts, that nobody would want to be woken for it.

#include <optional>

#include "analysis/causes/measurement.h"

namespace schedlens {

/// The shortest time that holds nine tenths of the attempts that were slower than the baseline's
/// 99th percentile, beyond what the baseline would have had.
struct BriefSlowness {
  TimeRange when;       ///< between scrapes
  double bound = 0;     ///< seconds: the upper end of the baseline's 99th percentile
  double attempts = 0;  ///< over the bound, in the whole window
};

/// Nothing where the slow attempts matter: over at least a minute and three scrapes, at least five
/// of them, or with a 99th percentile proven to be half a second or more. Nothing without a
/// baseline, without buckets, or where no attempt is slower.
std::optional<BriefSlowness> FindBriefSlowness(const Facts& facts, const Measurement& now,
                                               const std::optional<Measurement>& baseline);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_BRIEF_H_
