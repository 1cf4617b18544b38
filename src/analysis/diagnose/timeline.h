#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_TIMELINE_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_TIMELINE_H_

#include "analysis/collect/histogram_store.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// What the pictures show over `range`: e2e buckets, attempts and queue lengths, one column a
/// scrape interval of the busiest scheduler, merged to at most 240. The alert's own line is left
/// empty.
Timeline MakeTimeline(const Facts& facts, const HistogramFacts& attempt, const TimeRange& range);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_TIMELINE_H_
