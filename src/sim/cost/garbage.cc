#include "sim/cost/garbage.h"

#include <algorithm>

namespace schedlens::sim::cost {
namespace {

constexpr double kMarkUsPerByte = 0.62e-3;  // 0.55 to 0.7 ms a MB at any size of heap
constexpr double kPauseUs = 40;             // of both stops of a cycle
constexpr double kShareOfCores = 0.25;

}  // namespace

double LiveHeapBytes(double nodes, double pods) { return 3e6 + 11e3 * nodes + 4.6e3 * pods; }

double AllocatedBytes(int seen, int scored) {
  if (scored > 0) return 76e3 + 1030.0 * scored;
  return 103e3 + 720.0 * seen;
}

double GarbageCollector::Allocate(double bytes, double live) {
  allocated_ += bytes;
  if (allocated_ < live) return 0;
  allocated_ -= live;
  to_mark_us_ += live * kMarkUsPerByte;
  cpu_us_ += live * kMarkUsPerByte;
  ++cycles_;
  return kPauseUs;
}

double GarbageCollector::DelayUs(double elapsed, double shared, int cores) {
  if (to_mark_us_ <= 0) return 0;
  // One thread goes on where another core is free; what runs on all cores has three quarters left.
  const double slowed = cores <= 1 ? elapsed : shared;
  const double mark_us_per_us = kShareOfCores * std::max(1, cores);
  const double delay = slowed * kShareOfCores / (1 - kShareOfCores);
  // The cycle may end before the step does.
  const double share = std::min(1.0, to_mark_us_ / ((elapsed + delay) * mark_us_per_us + 1e-9));
  to_mark_us_ = std::max(0.0, to_mark_us_ - (elapsed + delay) * mark_us_per_us);
  return delay * share;
}

}  // namespace schedlens::sim::cost
