#include "sim/cost/fixed_costs.h"

#include <iterator>

namespace schedlens::sim::cost {
namespace {

using enum Unit;

constexpr double kFixedMeasured = 190;  // microseconds, what the shares below add up to

/// A node's JSON: without images, and for each.
constexpr double kNodeBytes = 2287, kImageBytes = 182;

double NodeKilobytes(double images) { return (kNodeBytes + kImageBytes * images) / 1000; }

}  // namespace

double FixedUs(FixedStep step, const UnitCosts& units) {
  // In the order of FixedStep.
  static constexpr double kShares[] = {15, 10, 15, 35, 18, 2, 2, 8, 4, 11, 20, 1, 49, 102, 3};
  static_assert(std::size(kShares) == static_cast<std::size_t>(FixedStep::kUnreserve) + 1);
  const double scale = units[kFixed].hot_us / kFixedMeasured;
  return kShares[static_cast<std::size_t>(step)] * scale;
}

double ExtenderFilterUs(const UnitCosts& units, int nodes, double images, bool names_only) {
  const double node = names_only ? units[kExtFilterName].hot_us
                                 : units[kExtFilterNode].hot_us +
                                       units[kExtFilterKilobyte].hot_us * NodeKilobytes(images);
  return node * nodes;
}

double ExtenderPrioritizeUs(const UnitCosts& units, int nodes, double images, bool names_only) {
  const double node = names_only ? units[kExtPrioritizeName].hot_us
                                 : units[kExtPrioritizeNode].hot_us +
                                       units[kExtPrioritizeKilobyte].hot_us * NodeKilobytes(images);
  return node * nodes;
}

}  // namespace schedlens::sim::cost
