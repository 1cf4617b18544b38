#ifndef SCHEDLENS_ANALYSIS_DOCTOR_DOCTOR_H_
#define SCHEDLENS_ANALYSIS_DOCTOR_DOCTOR_H_

// Can a diagnosis be made from this source, what stands in its way, and what to do about it.

#include <optional>
#include <string>
#include <vector>

#include "analysis/collect/facts.h"
#include "contract/query.h"
#include "contract/source.h"

namespace schedlens {

enum class Health { kOk, kNote, kProblem };
/// "ok", "note", "problem".
std::string ToString(Health health);

/// One thing looked at.
struct CheckUp {
  Health health = Health::kOk;
  std::string subject;   ///< "source", "scheduler", "release", "metric", "scrapes", ...
  std::string text;      ///< what was seen, and what it costs
  std::string fix;       ///< what to do; may be empty
  std::string evidence;  ///< the PromQL or the request that shows it; empty where it speaks itself
};

struct DoctorReport {
  std::vector<CheckUp> checks;
  bool diagnosable = false;  ///< attempts' buckets are there, with increases
};

struct DoctorRequest {
  std::string selector;            ///< matchers without braces; empty: found
  std::optional<TimeRange> range;  ///< absent: the source's extent, or the half hour before `now`
  TimeMs now = 0;
  std::string access;  ///< how the source was reached, without secrets; may be empty
  /// The server's clock less ours in seconds, where its answers told it.
  std::optional<double> clock_skew;
};

/// Asks what a diagnosis would ask, and judges the answers. Throws what the source throws.
DoctorReport Examine(Source& source, const QuerySet& queries, const DoctorRequest& request);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DOCTOR_DOCTOR_H_
