// Any text as an HTTP configuration: read, or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schedlens/error.h"
#include "source/http/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Files named in the text are looked for where there are none.
  try {
    schedlens::ParseHttpConfig(text, "fuzz.yml", "/proc/self/fdinfo/none");
  } catch (const schedlens::Error&) {
  }
  return 0;
}
