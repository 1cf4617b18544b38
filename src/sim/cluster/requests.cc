// What a pod asks for in all: sums over containers, the largest init container, overhead.

#include <algorithm>

#include "sim/cluster/objects.h"

namespace schedlens::sim::core {
namespace {

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = std::int64_t{200} * 1024 * 1024;

void Add(Resources& sum, const Resources& more) {
  sum.milli_cpu += more.milli_cpu;
  sum.memory += more.memory;
  sum.ephemeral_storage += more.ephemeral_storage;
  for (const ScalarAmount& s : more.scalars) sum.AddScalar(s.name, s.amount);
}

void RaiseTo(Resources& sum, const Resources& least) {
  sum.milli_cpu = std::max(sum.milli_cpu, least.milli_cpu);
  sum.memory = std::max(sum.memory, least.memory);
  sum.ephemeral_storage = std::max(sum.ephemeral_storage, least.ephemeral_storage);
  for (const ScalarAmount& s : least.scalars) {
    const std::int64_t missing = s.amount - sum.Scalar(s.name);
    sum.AddScalar(s.name, std::max<std::int64_t>(missing, 0));
  }
}

// A container's requests, with the defaults for cpu and memory if `defaults`.
Resources Of(const Container& container, bool defaults) {
  Resources out = container.requests;
  if (defaults && !container.has_cpu) out.milli_cpu = kDefaultMilliCpu;
  if (defaults && !container.has_memory) out.memory = kDefaultMemory;
  return out;
}

// Without overhead. Sidecars (from 1.28) run on with the containers and with later init
// containers.
Resources Total(const PodSpec& spec, const Release& release, bool defaults) {
  Resources sum;
  for (const Container& c : spec.containers) Add(sum, Of(c, defaults));
  Resources sidecars, peak;
  for (const Container& c : spec.init_containers) {
    Resources now = Of(c, defaults);
    if (c.sidecar && release.minor >= 28) {
      Add(sum, now);
      Add(sidecars, now);
      now = sidecars;
    } else {
      Add(now, sidecars);
    }
    RaiseTo(peak, now);
  }
  RaiseTo(sum, peak);
  return sum;
}

}  // namespace

void Resolve(PodSpec& spec, const Release& release) {
  spec.request = Total(spec, release, false);
  Add(spec.request, spec.overhead);
  const Resources nonzero = Total(spec, release, true);
  spec.nonzero = {nonzero.milli_cpu + spec.overhead.milli_cpu,
                  nonzero.memory + spec.overhead.memory};
  // Until 1.27 the scorers add an incoming pod's cpu overhead as whole cores, taken for milli.
  const std::int64_t overhead_cpu =
      release.minor <= 27 ? spec.overhead_cpu_value : spec.overhead.milli_cpu;
  spec.score_nonzero = {nonzero.milli_cpu + overhead_cpu, spec.nonzero.memory};
  spec.score_milli_cpu = spec.request.milli_cpu - spec.overhead.milli_cpu + overhead_cpu;
}

}  // namespace schedlens::sim::core
