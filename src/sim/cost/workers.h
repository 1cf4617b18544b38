#ifndef SCHEDLENS_SIM_COST_WORKERS_H_
#define SCHEDLENS_SIM_COST_WORKERS_H_

// The scheduler's parallel node loops: workers take chunks of nodes; how long that takes on so many
// cores.

namespace schedlens::sim::cost {

/// How many nodes a worker takes at a time.
int ChunkOf(int nodes, int parallelism);
/// How many workers that many nodes keep busy, at least 1.
int WorkersFor(int nodes, int parallelism);

/// Where the scheduling loop runs.
struct Machine {
  int cores = 2;
  int parallelism = 16;
};

/// The work of one step: microseconds of CPU time.
struct Labour {
  double serial_us = 0;
  double parallel_us = 0;  ///< shared by the workers
  int pieces = 0;          ///< nodes that the workers share

  double cpu_us() const { return serial_us + parallel_us; }
  /// At the end a worker is half a chunk behind the others, on average.
  double ElapsedUs(const Machine& machine) const;
};

/// How many of the cluster's `nodes` go through the filters. `seen` have a result; with `enough`
/// the search ended early, and the workers notice only between chunks.
int NodesFiltered(int nodes, int seen, bool enough, const Machine& machine);

}  // namespace schedlens::sim::cost

#endif  // SCHEDLENS_SIM_COST_WORKERS_H_
