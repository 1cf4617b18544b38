#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_REQUEST_SECONDS_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_REQUEST_SECONDS_H_

#include <string_view>

#include "analysis/neighbours/meter.h"

namespace schedlens {

/// Seconds of requests in the API servers, of a question's series that are wanted: all of each.
Meter RequestSeconds(const NeighbourFacts& facts, std::string_view question,
                     const SeriesTest& wanted = {});

/// The same by the service level indicator, without webhooks and from 1.27 on without flow control;
/// of each process by the newer of its two names, where it has one. May cover fewer processes.
Meter IndicatedSeconds(const NeighbourFacts& facts, std::string_view question,
                       const SeriesTest& wanted = {});

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_REQUEST_SECONDS_H_
