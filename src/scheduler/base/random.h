#pragma once

// Random numbers whose bits depend on the seed alone, not on the standard library.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace schedlens::sim {

/// xoshiro256++ (Blackman and Vigna 2019), seeded through splitmix64. Streams of one seed are
/// independent: a change in one (more arrivals) does not shift another (API latencies), so that two
/// runs that differ in one setting differ by that setting only.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t x = seed + stream * 0xD1B54A32D192ED03u;
    for (std::uint64_t& word : state_) {  // splitmix64
      x += 0x9E3779B97F4A7C15u;
      std::uint64_t z = x;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
      word = z ^ (z >> 31);
    }
  }

  /// 64 uniform bits.
  std::uint64_t Next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// Uniform in [0, 1), a multiple of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  /// Uniform in [0, n); 0 if n is 0. The bias is below n / 2^32.
  std::uint32_t Below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((Next() >> 32) * n) >> 32);
  }
  bool Chance(double probability) { return probability > 0 && Uniform() < probability; }
  /// Standard normal: Marsaglia's polar method, the second value kept for the next call.
  double Normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u = 0, v = 0, s = 0;
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
  /// Exponential with mean 1.
  double Exponential() { return -std::log(1 - Uniform()); }

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// The index of one of the weights, drawn by a `uniform` number of [0, 1); 0 without any. Where
/// rounding leaves none, the last one that has a weight.
inline std::size_t Pick(const std::vector<double>& weights, double uniform) {
  double left = 0;
  for (const double weight : weights) left += weight;
  left *= uniform;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) last = i;
    left -= weights[i];
    if (left < 0) return i;
  }
  return last;
}

}  // namespace schedlens::sim
