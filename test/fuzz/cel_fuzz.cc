// Selectors of devices: any text is read or refused with an Error, and what is read can be asked.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schedlens/error.h"
#include "sim/cel/expression.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace cel = schedlens::sim::cel;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  cel::Device device;
  device.driver = "d";
  device.attributes["d/a"] = std::int64_t{1};
  device.capacity["d/c"] = cel::Quantity{1};
  try {
    cel::Expression(text).Matches(device);
  } catch (const schedlens::Error&) {
  }
  return 0;
}
