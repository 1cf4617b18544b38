#pragma once

// Which alerts about schedulers fire, where nobody said which one is meant.

#include <string>
#include <vector>

#include "base/source.h"
#include "diagnose/alert/alert.h"

namespace schedlens {

/// Names of the alerting rules that read a scheduler's own metrics, through recording rules too,
/// and fired within the range by the samples of `ALERTS`: worst first. A critical one (or a page)
/// is worse than a warning, by the label `severity`; of equals a histogram quantile comes first,
/// which says most. `rules` is called only when something fires. Empty where nothing does, and
/// where the source does not tell: throws Error(kInterrupted) and Error(kTimeout) alone.
std::vector<std::string> FiringAlerts(Source& source, const RulesFetcher& rules,
                                      const TimeRange& range);

/// The rule of the first of `names`, with a note that it was taken and instead of which others.
/// Throws what ResolveAlert throws.
ResolvedAlert TakeWorst(const std::vector<std::string>& names, const RulesFetcher& rules);

/// The name that TakeWorst noted among `notes`; empty where it took none.
std::string TakenAlert(const std::vector<Message>& notes);

}  // namespace schedlens
