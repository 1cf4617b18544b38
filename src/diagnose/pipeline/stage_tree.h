#pragma once

// Stages as a tree, attempts over time.

#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/collect/histogram_store.h"
#include "diagnose/tail/estimate.h"

namespace schedlens {

/// The stage tree of the product's contract: seconds, share of all e2e seconds, excess with its
/// split into mix and cost, tail share (inside the proven bounds the value of `tail_estimates`, see
/// EstimateTail), what measures each stage. A remainder that the release
/// cannot tell apart has no seconds. Plugins hang below their extension point by their part of its
/// time.
std::vector<StageTime> StageTree(const WindowEvidence& c, const StageShares& tail_estimates);

/// What the pictures show over `range`: e2e buckets, attempts and queue lengths, one column a
/// scrape interval of the busiest scheduler, merged to at most 240. The alert's own line is left
/// empty.
Timeline MakeTimeline(const Facts& facts, const HistogramFacts& attempt, const TimeRange& range);

}  // namespace schedlens
