#pragma once

// Finding the incident in a recording, and the quiet period to compare it with.

#include <optional>

#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

/// The period in which clearly more attempts were slow, or failed, than outside of it: the pair of
/// change points with the largest likelihood ratio over all bucket bounds from 0.1 s on (binomial,
/// one bound at a time, each result by itself) and over the share of failed attempts. Nothing when
/// no period stands out, also when the whole recording is an incident. `all` are the cells of the
/// whole recording.
std::optional<TimeRange> FindIncident(const Facts& facts, const WindowIncreases& all);

/// The quiet period for an incident: what was recorded before it, else what came after it, inside
/// `within`. Nothing when neither has at least three scrape intervals and ten attempts.
std::optional<TimeRange> FindBaseline(const Facts& facts, const Histograms& histograms,
                                      const TimeRange& within, const TimeRange& incident);

}  // namespace schedlens
