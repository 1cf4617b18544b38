// The same seed gives the same bytes, whatever compiled it: hashes that every compiler and every
// build must reach.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/engine/truth.h"
#include "sim/runs.h"

namespace schedlens::sim {
namespace {

// FNV-1a, 64 bits.
std::uint64_t HashOf(const std::string& text) {
  std::uint64_t out = 14695981039346656037U;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return out;
}

// The first 200 s of `schedlens simulate NAME --kubernetes-version R --seed 7 -o - --truth FILE`.
TEST(Determinism, EveryBuildWritesTheseBytes) {
  const struct {
    const char* scenario;
    const char* release;
    std::uint64_t capture, truth;
  } rows[] = {
      {"preemption", "1.20", 0x37a97738a1df8a55u, 0xdc4a20d896d54aeeu},
      {"attempts.unschedulable", "1.23", 0xa1707485f0eea4e0u, 0x42ec979f7ba33eaeu},
      {"bind.extender-partial", "1.26", 0xb8bf1e17c8dbbf53u, 0x824f7b82cb5e37f6u},
      {"permit.wait", "1.34", 0x3c45bb7b8be96eb4u, 0xe36400db9b9695ceu},
      {"preemption", "1.34", 0xc9fada7d63d2243u, 0x3090e9f4ae696163u},
      {"data.reset", "1.20", 0x347076b31af04873u, 0x63c105c807f551c0u},
      {"data.leader-change", "1.30", 0x750124103d3c3a28u, 0x8acbca9acfaa29f6u},
      {"bind.async-queue", "1.34.0", 0x7455fe6ea622ebedu, 0xa99b1c28d2d19b13u},
      {"prebind.volume", "1.23", 0x9a35207729a8ab58u, 0x8c9eb561fdc085feu},
      {"algorithm.cpu-starved", "1.30", 0xb4102fd2cac06f58u, 0x9008a6124807a1e6u},
      {"algorithm.extender", "1.26", 0x6210f5d49027c2f0u, 0xe0aee60c3a04c38fu},
      {"attempts.error", "1.34", 0x1a70b8c3cff31413u, 0x66a16b976151d571u},
      {"roll-out", "1.26", 0x589a8b2330fb5b63u, 0x40269ce2984926f0u},
  };
  for (const auto& row : rows) {
    Scenario s = Short(row.scenario, row.release);
    s.duration = 200 * kSecond;
    const SimulationResult run = RunScenario(s, {7, true, true, {}});
    const std::uint64_t capture = HashOf(WriteOpenMetrics(run.exposition));
    const std::uint64_t truth = HashOf(TruthCsv(s, run));
    EXPECT_EQ(capture, row.capture) << row.scenario << std::hex << " 0x" << capture;
    EXPECT_EQ(truth, row.truth) << row.scenario << std::hex << " 0x" << truth;
  }
}

}  // namespace
}  // namespace schedlens::sim
