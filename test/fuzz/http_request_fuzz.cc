// Any bytes as the head of a request.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/http_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const schedlens::RequestHead head = schedlens::ReadRequestHead(text);
  if (head.bytes > size) __builtin_trap();
  return 0;
}
