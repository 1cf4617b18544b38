#pragma once

// Can a diagnosis be made from this source, what stands in its way, and what to do about it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "contract/commands.h"
#include "diagnose/collect/facts.h"
#include "diagnose/collect/missing.h"

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

// The single checks, each from facts to lines.

/// The wording of a question that was answered, or its first, as evidence; empty for one that was
/// not asked.
Message QueryOf(const Facts& facts, std::string_view question);
/// An expression as evidence.
Message Shown(std::string_view promql);

CheckUp CheckSource(const SourceInfo& info);
/// `access` says how the server was reached.
CheckUp CheckAccess(const Message& access);
CheckUp CheckClock(double skew_seconds);
/// Who the schedulers are; with several, which of them scheduled in which part of the range.
std::vector<CheckUp> CheckReplicas(const Facts& facts);
CheckUp CheckRelease(const Facts& facts, const ReleaseRange& release);
/// How each target is called in a line: by its pod, instance or job, where no other has that name.
std::vector<std::string> TargetNames(const Facts& facts);
/// Distance of scrapes, jitter, gaps, whether they go on until the end of the range, and which
/// window suits them, target by target.
std::vector<CheckUp> CheckScrapes(const Facts& facts);
std::vector<CheckUp> CheckRestarts(const Facts& facts);
/// Attempts seen in the range; a problem when there are none or no buckets.
CheckUp CheckAttempts(const Facts& facts);
/// One line a question that nothing answered, with what that costs and whether the release explains
/// it.
std::vector<CheckUp> CheckMissing(const Facts& facts, const ReleaseRange& release);

}  // namespace schedlens
