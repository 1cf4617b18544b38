#ifndef SCHEDLENS_ANALYSIS_ALERT_ABOVE_H_
#define SCHEDLENS_ANALYSIS_ALERT_ABOVE_H_

#include <vector>

#include "analysis/alert/panel.h"

namespace schedlens {

/// The times in which a quantile alert stood above its threshold, by the histograms in hand, one
/// look a scrape (at most 240): each reaches back to where the first such rate began. In order,
/// none touching the next. Empty for an alert without a threshold to exceed, for one that asks
/// something else than a quantile of the attempts, and without data.
std::vector<TimeRange> TimesAboveThreshold(const AlertPanel& alert, const Facts& facts,
                                           const HistogramFacts& attempt);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_ABOVE_H_
