#include "reference/coupling.h"

#include <algorithm>
#include <cmath>

#include "sim/base/random.h"

namespace schedlens {
namespace {

constexpr int kDraws = 4000;
constexpr std::uint64_t kSeed = 1;
constexpr double kAlikeEnough = 0.02;

using Draw = std::vector<sim::Distribution>;

/// The largest gap between the sum's histogram at its bounds and draws of it.
double Gap(const LatencyShape& sum, const std::vector<double>& draws) {
  std::vector<std::size_t> in(sum.buckets.size() + 1);
  for (const double draw : draws) {
    const auto at = std::lower_bound(sum.buckets.begin(), sum.buckets.end(), draw,
                                     [](const auto& bucket, double d) { return bucket.first < d; });
    ++in[static_cast<std::size_t>(at - sum.buckets.begin())];
  }
  double gap = 0, below = 0, drawn = 0;
  for (std::size_t i = 0; i < sum.buckets.size(); ++i) {
    below += sum.buckets[i].second;
    drawn += static_cast<double>(in[i]);
    gap = std::max(gap, std::abs(below / sum.count - drawn / static_cast<double>(draws.size())));
  }
  return gap;
}

/// Sums of one draw a stage, of the class that the draw's rank falls into.
std::vector<double> Sums(const std::vector<Draw>& classes, const std::vector<double>& shares) {
  sim::Random random(kSeed);
  std::vector<double> out;
  double reached = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    reached += shares[i] * kDraws;
    while (static_cast<double>(out.size()) < reached) {
      double sum = 0;
      for (const sim::Distribution& stage : classes[i]) sum += stage.Sample(random);
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace

const std::vector<double>& AttemptClasses() {
  static const std::vector<double> shares = {0.5, 0.25, 0.15, 0.07, 0.03};
  return shares;
}

std::vector<sim::CostOverrides> CoupledCosts(
    const std::vector<std::pair<sim::Cost, FineBuckets>>& stages, const LatencyShape& sum) {
  if (sum.count <= 0) return {};
  Draw alone;
  for (const auto& [cost, fine] : stages) alone.push_back(DistributionOf(fine));
  const double independent = Gap(sum, Sums({alone}, {1}));
  if (independent <= kAlikeEnough) return {};  // classes cannot be nearer by more
  std::vector<sim::CostOverrides> costs;
  std::vector<Draw> together;
  double from = 0;
  for (const double share : AttemptClasses()) {
    const double to = std::min(1.0, from + share);
    costs.emplace_back();
    together.emplace_back();
    for (const auto& [cost, fine] : stages) {
      sim::StepCost step;
      step.wall = DistributionOf(SliceOf(fine, from, to));
      together.back().push_back(step.wall);
      costs.back().emplace_back(cost, std::move(step));
    }
    from = to;
  }
  if (independent <= Gap(sum, Sums(together, AttemptClasses())) + kAlikeEnough) return {};
  return costs;
}

}  // namespace schedlens
