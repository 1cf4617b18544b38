// Question files of --queries: any text is read or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "query/query_set.h"
#include "schedlens/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    schedlens::ParseQuestion("fuzz", text, "fuzz.promql");
  } catch (const schedlens::Error&) {
  }
  return 0;
}
