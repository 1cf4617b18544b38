#ifndef SCHEDLENS_REPORT_RULES_NAMES_H_
#define SCHEDLENS_REPORT_RULES_NAMES_H_

// What rule file and dashboard share.

#include <string>

#include "report/rules.h"

namespace schedlens {

/// The histogram family of scheduling attempts in that release.
std::string AttemptMetric(const WatchOptions& options);
/// Throws Error(kUsage), naming the nearest bound, when the threshold is none.
void CheckWatchOptions(const WatchOptions& options);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_RULES_NAMES_H_
