#ifndef SCHEDLENS_ANALYSIS_COLLECT_RELABELLED_METRICS_H_
#define SCHEDLENS_ANALYSIS_COLLECT_RELABELLED_METRICS_H_

// Where no scheduler's metrics are found as asked: whether they are there under other labels or
// under other names.

#include <optional>
#include <string>

#include "contract/message.h"
#include "contract/source.h"

namespace schedlens {

struct RelabelledMetrics {
  Message text;        ///< what is there, and under which labels or names
  Message fix;         ///< what to do about it
  std::string promql;  ///< the question that showed it
  /// Why it could not be looked for; the others are empty then.
  Message failure;
};

/// Looks for names that end as those of the scheduler's own histograms do, first under the selector
/// that found nothing (matchers without braces, may be empty), then under any labels, within the
/// range. Empty when there are none. Throws Error(kAuth) and Error(kInterrupted) of the source; its
/// other failures are told, since they must not hide that nothing was found.
std::optional<RelabelledMetrics> FindRelabelledMetrics(Source& source, const std::string& selector,
                                                       const TimeRange& range);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COLLECT_RELABELLED_METRICS_H_
