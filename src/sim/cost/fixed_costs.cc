#include "sim/cost/fixed_costs.h"

namespace schedlens::sim::cost {
namespace {

using enum Unit;

constexpr double kFixedMeasured = 190;  // microseconds, what the shares below add up to

/// A node's JSON: without images, and for each.
constexpr double kNodeBytes = 2287, kImageBytes = 182;

double NodeKilobytes(double images) { return (kNodeBytes + kImageBytes * images) / 1000; }

}  // namespace

double FixedUs(FixedStep step, const UnitCosts& units) {
  struct Share {
    FixedStep step;
    double us;
  };
  static constexpr Share kShares[] = {
      {FixedStep::kSnapshot, 15},   {FixedStep::kFilter, 10},   {FixedStep::kScore, 15},
      {FixedStep::kSelectHost, 35}, {FixedStep::kAssume, 18},   {FixedStep::kReserve, 2},
      {FixedStep::kPermit, 2},      {FixedStep::kSpawn, 8},     {FixedStep::kPreBind, 4},
      {FixedStep::kBindClient, 11}, {FixedStep::kFinish, 20},   {FixedStep::kPostBind, 1},
      {FixedStep::kEvent, 49},      {FixedStep::kFailure, 102}, {FixedStep::kUnreserve, 3}};
  const double scale = units[kFixed].hot_us / kFixedMeasured;
  for (const Share& share : kShares) {
    if (share.step == step) return share.us * scale;
  }
  return 0;
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
