#include "sim/base/random.h"

#include <cmath>

namespace schedlens::sim {

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = seed + stream * 0xD1B54A32D192ED03u;
  for (std::uint64_t& word : state_) {  // splitmix64
    x += 0x9E3779B97F4A7C15u;
    std::uint64_t z = x;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    word = z ^ (z >> 31);
  }
}

double Random::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u = 0;
  double v = 0;
  double s = 0;
  do {
    u = 2 * Uniform() - 1;
    v = 2 * Uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double factor = std::sqrt(-2 * std::log(s) / s);
  spare_ = v * factor;
  has_spare_ = true;
  return u * factor;
}

double Random::Exponential() { return -std::log(1 - Uniform()); }

}  // namespace schedlens::sim
