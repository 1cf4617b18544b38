// The same seed gives the same bytes, whatever compiled it: hashes that every compiler and every
// build must reach.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"

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
      {"preemption", "1.20", 0x37a97738a1df8a55u, 0xf80f05e0a7257c01u},
      {"attempts.unschedulable", "1.23", 0x24376a1c0376fe0au, 0x9972cf1dde2a88bfu},
      {"bind.extender-partial", "1.26", 0xb8bf1e17c8dbbf53u, 0x1a0964a5f002d160u},
      {"permit.wait", "1.34", 0x3c45bb7b8be96eb4u, 0x410e534c4b9c86a5u},
      {"preemption", "1.34", 0x4d17030bf625bfc1u, 0xf85a7a9c30873001u},
      {"data.reset", "1.20", 0x347076b31af04873u, 0xd8186f3dd5d1e93du},
      {"data.leader-change", "1.30", 0x750124103d3c3a28u, 0x054a92bc098ef1dbu},
      {"bind.async-queue", "1.34.0", 0x1cd9ec0d7210242cu, 0x358da47c9302101au},
      {"prebind.volume", "1.23", 0x9a35207729a8ab58u, 0x7f9533ee5df6d344u},
      {"algorithm.cpu-starved", "1.30", 0xb4102fd2cac06f58u, 0xbbf8c8c8f6322aedu},
      {"algorithm.extender", "1.26", 0x6210f5d49027c2f0u, 0x436ed6a028803fe2u},
      {"attempts.error", "1.34", 0x1a70b8c3cff31413u, 0xe0a230819c7c5d10u},
      {"roll-out", "1.26", 0x589a8b2330fb5b63u, 0x2500157ae2440070u},
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
