#ifndef SCHEDLENS_REFERENCE_SERVER_BIND_H_
#define SCHEDLENS_REFERENCE_SERVER_BIND_H_

#include "analysis/diagnose/diagnose.h"
#include "reference/latency_shape.h"

namespace schedlens {

/// What bindings took inside the API servers in a window, by the servers' own histogram, whoever
/// sent them. Without observations where no API server is in the data or none was asked.
LatencyShape ServerBinds(const Investigation& investigation, const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_SERVER_BIND_H_
