// KubeSchedulerConfiguration as people write it: an Error or a configuration, never a crash.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schedlens/error.h"
#include "scheduler/framework/configuration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto configuration =
        schedlens::sim::core::ReadConfiguration(text, "fuzz.yaml", std::nullopt);
    if (configuration.profiles.empty()) __builtin_trap();
  } catch (const schedlens::Error&) {
    // Expected of most inputs.
  }
  return 0;
}
