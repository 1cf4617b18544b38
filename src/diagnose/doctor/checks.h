#pragma once

// The single checks of doctor.h, each from facts to lines.

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/collect/missing.h"
#include "diagnose/doctor/doctor.h"

namespace schedlens {

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
