#ifndef SCHEDLENS_MODEL_SECONDS_H_
#define SCHEDLENS_MODEL_SECONDS_H_

#include "contract/series.h"

namespace schedlens {

/// Milliseconds, a time or a difference of two, as seconds.
constexpr double MsToSeconds(TimeMs ms) { return static_cast<double>(ms) / 1000.0; }

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_SECONDS_H_
