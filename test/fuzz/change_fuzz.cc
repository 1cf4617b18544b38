// Any text as a change of `whatif --set`: read, or refused with an Error of one line.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "replay/change.h"
#include "schedlens/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    schedlens::ParseChange(text);
  } catch (const schedlens::Error& error) {
    // The text itself may hold line ends: the command line writes every message on one.
    if (text.find('\n') == std::string::npos &&
        std::string_view(error.what()).find('\n') != std::string_view::npos) {
      std::abort();
    }
  }
  return 0;
}
