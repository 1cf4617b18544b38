#pragma once

// What the metrics of the scheduler's neighbours count, and how they mislead: tables by component.

#include <span>

#include "kube/metrics.h"

namespace schedlens {

struct NeighbourText {
  kube::Neighbour metric;
  const char* population;
  const char* traps;  ///< may be empty
};

std::span<const NeighbourText> NeighbourTexts();

}  // namespace schedlens
