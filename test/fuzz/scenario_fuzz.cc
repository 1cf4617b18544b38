// Any bytes as a scenario: read, or refused with one line.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "schedlens/error.h"
#include "scheduler/scenario/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const schedlens::sim::Scenario scenario = schedlens::sim::ParseScenario(text, "fuzz");
    if (scenario.NodeCount() <= 0 || scenario.segments.empty()) std::abort();
  } catch (const schedlens::Error& error) {
    if (error.kind() != schedlens::ErrorKind::kUsage) std::abort();
  }
  return 0;
}
