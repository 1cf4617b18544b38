#ifndef SCHEDLENS_SIM_COST_GARBAGE_H_
#define SCHEDLENS_SIM_COST_GARBAGE_H_

// Go's garbage collector: a cycle marks the live heap when as much again has been allocated.

#include <cstdint>

namespace schedlens::sim::cost {

/// Bytes that live in a scheduler of that many nodes and pods.
double LiveHeapBytes(double nodes, double pods);
/// Bytes that an attempt allocates; nodes with a result and nodes scored (0: it found none).
double AllocatedBytes(int seen, int scored);

class GarbageCollector {
 public:
  /// An attempt has allocated; `live` are the bytes that live. Returns the microseconds for which
  /// the world stops: 0 unless a cycle begins.
  double Allocate(double bytes, double live);
  /// How much longer a step takes while a cycle marks: the collector has a quarter of the cores.
  /// Of `elapsed` microseconds the last `shared` ran on all cores.
  double DelayUs(double elapsed, double shared, int cores);
  std::uint64_t cycles() const { return cycles_; }
  /// CPU time of all cycles begun so far.
  double cpu_us() const { return cpu_us_; }

 private:
  double allocated_ = 0;
  double to_mark_us_ = 0;  // of the running cycle
  double cpu_us_ = 0;
  std::uint64_t cycles_ = 0;
};

}  // namespace schedlens::sim::cost

#endif  // SCHEDLENS_SIM_COST_GARBAGE_H_
