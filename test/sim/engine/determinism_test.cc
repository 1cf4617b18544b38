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
      {"preemption", "1.20", 0xff2d48f00c09623fu, 0xdc4a20d896d54aeeu},
      {"attempts.unschedulable", "1.23", 0x1d1fb8ab3daa56b9u, 0x42ec979f7ba33eaeu},
      {"bind.extender-partial", "1.26", 0xb6595ed5856cf294u, 0x824f7b82cb5e37f6u},
      {"permit.wait", "1.34", 0x14cbfb367aa9caecu, 0xe36400db9b9695ceu},
      {"preemption", "1.34", 0x30d43ee7f772bb49u, 0x5bc098f85a953f1fu},
      {"data.reset", "1.20", 0x1be9dc2f3d5908du, 0x63c105c807f551c0u},
      {"data.leader-change", "1.30", 0x9303de148de4b8aau, 0x8acbca9acfaa29f6u},
      {"bind.async-queue", "1.34.0", 0x77417c358a2e1c08u, 0xa99b1c28d2d19b13u},
      {"prebind.volume", "1.23", 0x2a551eb180ebd842u, 0x8c9eb561fdc085feu},
      {"algorithm.cpu-starved", "1.30", 0x4d5f4e0bf91fa371u, 0x9008a6124807a1e6u},
      {"algorithm.extender", "1.26", 0x76e5509f89b4f1b6u, 0xe0aee60c3a04c38fu},
      {"attempts.error", "1.34", 0x23d4e83e4103e349u, 0x323f88b5ac53d344u},
      {"roll-out", "1.26", 0x490dd9e2c4dc93b0u, 0x40269ce2984926f0u},
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
