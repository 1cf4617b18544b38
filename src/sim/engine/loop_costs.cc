#include "sim/engine/loop_costs.h"

#include <algorithm>

namespace schedlens::sim {
namespace {

constexpr double kMicro = 1e-6;

// A slow machine slows everything, but a pause does not grow with the work it interrupts.
Nanos WithNoise(Nanos plain, double noise) {
  constexpr Nanos kPaused = 2 * kMillisecond;
  constexpr double kSlow = 2;
  return FromSeconds(ToSeconds(plain) * std::min(noise, kSlow) +
                     ToSeconds(std::min(plain, kPaused)) * std::max(0.0, noise - kSlow));
}

}  // namespace

void LoopCosts::Price() {
  priced_ = run_.conditions;
  by_template_.clear();
  for (std::size_t i = 0; i < run_.scenario.templates.size(); ++i) {
    by_template_.emplace_back(placement_.ShapeOf(i), placement_.PluginsOf(i), priced_->units);
  }
}

void LoopCosts::Begin(std::uint32_t pod_template, double noise) {
  if (priced_ != run_.conditions) Price();
  template_ = pod_template;
  noise_ = noise;
  work_ = cost::AttemptWork();
}

Nanos LoopCosts::Collect() {
  if (!run_.conditions->gc) return 0;
  const auto pods = static_cast<double>(work_.cluster.pods + run_.tally.pending);
  const double pause = garbage_.Allocate(cost::AllocatedBytes(work_.seen, work_.feasible),
                                         cost::LiveHeapBytes(work_.cluster.nodes, pods));
  return FromSeconds(pause * kMicro);
}

double LoopCosts::TakeCollected() {
  const double us = garbage_.cpu_us() - charged_us_;
  charged_us_ = garbage_.cpu_us();
  return us * kMicro;
}

Spent LoopCosts::Draw(Cost cost, int nodes, int workers) {
  const Nanos plain = run_.Sample(cost, template_, run_.random.loop, nodes, workers);
  if (plain == 0) return {};
  const Nanos elapsed = WithNoise(plain, noise_);
  return {elapsed, ToSeconds(elapsed) * run_.Effective(workers)};
}

Spent LoopCosts::Take(const cost::Labour& labour) {
  const cost::Machine machine = run_.machine();
  const double spread = run_.Spread(run_.random.loop);
  const double us = labour.ElapsedUs(machine) * spread;
  const Nanos elapsed = WithNoise(FromSeconds(us * kMicro), noise_);
  const double slower = us > 0 ? ToSeconds(elapsed) / (us * kMicro) : 1;
  slow_ = spread * slower;
  Spent out{elapsed, labour.cpu_us() * kMicro * spread * slower};
  if (run_.conditions->gc) {
    const double shared = (us - labour.serial_us * spread) * slower;
    const double late = garbage_.DelayUs(us * slower, std::max(0.0, shared), machine.cores);
    out.elapsed += FromSeconds(late * kMicro);
  }
  return out;
}

Spent LoopCosts::TakeExtender(Cost cost, double us) {
  if (!Computed(cost) || us <= 0) return {};
  const Nanos elapsed = WithNoise(FromSeconds(us * kMicro), noise_);
  return {elapsed, ToSeconds(elapsed)};
}

}  // namespace schedlens::sim
