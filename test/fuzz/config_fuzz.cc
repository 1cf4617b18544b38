// Configuration files: any text is read or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/command.h"
#include "schedlens/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    schedlens::ParseConfig(text, "config.yaml");
  } catch (const schedlens::Error&) {
  }
  return 0;
}
