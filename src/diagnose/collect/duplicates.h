#pragma once

// One process that is scraped twice: by both replicas of an HA pair of Prometheus whose store does
// not deduplicate, or by two jobs. Every attempt would count twice.

#include <cstddef>
#include <vector>

#include "diagnose/collect/facts.h"

namespace schedlens {

/// A target that is another one seen again.
struct Duplicate {
  std::size_t dropped = 0;
  std::size_t kept = 0;  ///< the one with more scrapes, else the first
};

/// Two targets are one process when no label names them apart (cluster, pod, or instance of one
/// job), they have a process start in common where both have any, and each one's counts of attempts
/// lie between the other's before and after. Without start times the counts must have moved often
/// enough for that to be no chance. Ascending by `dropped`.
std::vector<Duplicate> FindDuplicates(const Facts& facts);

/// Leaves out the targets that are duplicates, with all of their series, and warns by name.
void DropDuplicates(Facts* facts);

}  // namespace schedlens
