#ifndef SCHEDLENS_ANALYSIS_DOCTOR_DOCTOR_H_
#define SCHEDLENS_ANALYSIS_DOCTOR_DOCTOR_H_

// Can a diagnosis be made from this source, what stands in its way, and what to do about it.

#include <optional>
#include <string>
#include <vector>

#include "analysis/collect/facts.h"
#include "contract/doctor.h"
#include "contract/source.h"

namespace schedlens {

struct DoctorRequest {
  std::string selector;            ///< matchers without braces; empty: found
  std::optional<TimeRange> range;  ///< absent: the source's extent, or the half hour before `now`
  TimeMs now = 0;
  Message access;  ///< how the source was reached, without secrets; may be empty
  /// The server's clock less ours in seconds, where its answers told it.
  std::optional<double> clock_skew;
};

/// Asks what a diagnosis would ask, and judges the answers. Throws what the source throws.
DoctorReport Examine(Source& source, const QuerySet& queries, const DoctorRequest& request);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DOCTOR_DOCTOR_H_
