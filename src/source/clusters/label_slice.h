#pragma once

// What one part of a larger source was answered, as a source of its own.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/source.h"

namespace schedlens {

/// The times at which expressions were asked: start, start + step, ...
struct AskedTimes {
  TimeMs start = 0;
  std::int64_t step_ms = 1;
};

/// Answers from samples in memory; but an expression that the larger source has answered at the
/// asked times (word for word, instant at one of these times, or ranged) with that answer: ranged
/// ones keep the asked times, whatever their own step.
std::unique_ptr<Source> NewLabelSlice(std::vector<Series> series, SourceInfo info,
                                      std::map<std::string, std::vector<Series>> expressions,
                                      AskedTimes asked);

}  // namespace schedlens
