#pragma once

// Findings: ranked, and held against what contradicts them.

#include <optional>
#include <vector>

#include "base/message.h"
#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"

namespace schedlens {

/// The causes that the evidence supports, strongest first; remarks about the number come after them
/// and from elsewhere. Empty when nothing is slow and nothing fails. A cause is named only with
/// evidence that would be absent without it; `certain` only where proven bounds say so.
std::vector<Finding> FindCauses(const WindowEvidence& c);

// Numbers that no scheduler can have exposed: a part larger than its whole, a sum that its own
// buckets rule out. Nothing that rests on them is proven.

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
