#pragma once

// A store that keeps the samples of both replicas of an HA pair of Prometheus has every process
// twice, told apart by a label that nobody but the pair knows. Sums over processes would count
// every attempt twice.

#include <cstddef>
#include <optional>
#include <string>

#include "base/source.h"

namespace schedlens {

struct OneReplica {
  std::string label, value;   ///< the matcher that leaves every process once
  std::size_t processes = 0;  ///< how many are there more than once
};

/// By the start times of the schedulers' processes, asked in one question: the label, of those that
/// tell no processes apart, without which series fall together that have all other labels and the
/// start in common. Nothing where there is no such label, where no one of its values has every
/// process, or where the start times are not there. `selector`: matchers without braces. Throws
/// what the source throws.
std::optional<OneReplica> FindOneReplica(Source& source, const std::string& selector,
                                         const TimeRange& range);

}  // namespace schedlens
