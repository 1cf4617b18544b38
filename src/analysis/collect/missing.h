#ifndef SCHEDLENS_ANALYSIS_COLLECT_MISSING_H_
#define SCHEDLENS_ANALYSIS_COLLECT_MISSING_H_

// Metrics that a diagnosis asks for and did not get: by which name, whether the release explains
// it, and what their absence costs.

#include <string>
#include <vector>

#include "analysis/collect/facts.h"
#include "analysis/collect/release.h"
#include "contract/message.h"

namespace schedlens {

/// One question that the schedulers' metrics do not answer.
struct MissingMetric {
  std::string question;
  std::string metric;  ///< as the release names it; the newest name where that is unknown
  Message text;  ///< one sentence without its full stop: metric, its other name, why it may be
                 ///< absent, the cost
  bool expected = false;  ///< the release has no such metric, or it is idle
  bool quiet = false;     ///< nothing to do about it and little lost: not for a report
  /// One of the histograms that the split of the time rests on, in every release.
  bool cornerstone = false;
};

/// In the order of what they cost. Empty without targets: then everything is missing.
std::vector<MissingMetric> MissingMetrics(const Facts& facts, const ReleaseRange& release);

/// What to say of a metric that this release hides, has removed or does not have yet: with its
/// successor or predecessor. Empty when the release shows it, or when the metric is not known.
Message WhyAbsent(std::string_view metric, const ReleaseRange& release);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COLLECT_MISSING_H_
