#ifndef SCHEDLENS_ANALYSIS_CAUSES_CONTRADICTIONS_H_
#define SCHEDLENS_ANALYSIS_CAUSES_CONTRADICTIONS_H_

// Numbers that no scheduler can have exposed: a part larger than its whole, a sum that its own
// buckets rule out. Nothing that rests on them is proven.

#include <optional>
#include <vector>

#include "analysis/causes/window_evidence.h"
#include "contract/message.h"

namespace schedlens {

/// The contradictions inside the window and inside the baseline, each with the series that disagree
/// and their numbers:
/// - a count that no process reaches, a sum below zero, or one that falls although no counter was
///   reset;
/// - a histogram whose sum its buckets do not allow;
/// - stages that add up to more than all attempts, or extension points to more than the algorithm,
///   beyond what attempts that cross the window's end have paid;
/// - counts of the same attempts that differ by more than the attempts between two histograms.
/// A histogram that is absent, or was scraped in pieces, contradicts nothing.
std::vector<Message> FindContradictions(const Facts& facts, const Histograms& histograms,
                                        const Measurement& now,
                                        const std::optional<Measurement>& baseline);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_CONTRADICTIONS_H_
