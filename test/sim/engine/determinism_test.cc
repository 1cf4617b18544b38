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
      {"preemption", "1.20", 0xac190c0642efed1bu, 0x928f23c6fb8fa5b9u},
      {"attempts.unschedulable", "1.23", 0x587cbac1ca7f52fdu, 0xf7e07827188d9025u},
      {"bind.extender-partial", "1.26", 0x40383d6099b9e521u, 0x71034b956808ba5du},
      {"permit.wait", "1.34", 0xf7e15b1216fca693u, 0x617603439f8fd725u},
      {"preemption", "1.34", 0x2c0daa9d00900639u, 0x9dc2dc85a20d0710u},
      {"data.reset", "1.20", 0x2e4167ba57d2b59eu, 0xcecd657c6cd81631u},
      {"data.leader-change", "1.30", 0x4728c1d70d463c14u, 0x2c5a699ab73c81f1u},
      {"bind.async-queue", "1.34.0", 0xb3a5e8e8387b8f43u, 0xd336f1619bb36e3eu},
      {"prebind.volume", "1.23", 0x1621f4700bc587acu, 0xb114ffd6403556d1u},
      {"algorithm.cpu-starved", "1.30", 0xa9a1f63c4202b876u, 0xd54ee9cf7c55ed9fu},
      {"algorithm.extender", "1.26", 0xad199e9dd5255350u, 0x8267bdc09eba2063u},
      {"attempts.error", "1.34", 0x941380b549f1246du, 0x2c5fca452d5bb274u},
      {"roll-out", "1.26", 0x81eb256bfcbb3ddcu, 0x1083de22d5f70cf4u},
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
