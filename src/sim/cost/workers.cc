#include "sim/cost/workers.h"

#include <algorithm>
#include <cmath>

namespace schedlens::sim::cost {

int ChunkOf(int nodes, int parallelism) {
  const int root = static_cast<int>(std::sqrt(static_cast<double>(std::max(nodes, 0))));
  return std::max(1, std::min(root, nodes / parallelism + 1));
}

int WorkersFor(int nodes, int parallelism) {
  if (nodes <= 0) return 1;
  const int chunk = ChunkOf(nodes, parallelism);
  return std::min(parallelism, (nodes + chunk - 1) / chunk);
}

double Labour::ElapsedUs(const Machine& machine) const {
  const int at_once = std::min(std::max(machine.cores, 1), WorkersFor(pieces, machine.parallelism));
  if (at_once <= 1 || pieces <= 0) return cpu_us();
  const double piece = parallel_us / pieces;
  const double shared = parallel_us / at_once;
  const double late = piece * ChunkOf(pieces, machine.parallelism) / 2;
  return serial_us + std::min(parallel_us, shared + late);
}

int NodesFiltered(int nodes, int seen, bool enough, const Machine& machine) {
  if (!enough) return seen;
  const int chunk = ChunkOf(nodes, machine.parallelism);
  const int running = std::max(1, std::min(machine.cores, WorkersFor(nodes, machine.parallelism)));
  return std::min(nodes, (seen + chunk - 1) / chunk * chunk + running * chunk);
}

}  // namespace schedlens::sim::cost
