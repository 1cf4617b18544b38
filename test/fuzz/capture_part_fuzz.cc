// Any text as what an unfinished capture has kept: read as far as it is sound, and what was read
// comes out the same when written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "schedlens/error.h"
#include "source/capture/part.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const schedlens::CapturePart part = schedlens::ReadCapturePart(text);
    if (part.sound > size) std::abort();
    std::string written = schedlens::WriteCapturePartHead(part.head);
    for (const auto& [query, answer] : part.answers) {
      written += schedlens::WriteCapturePartAnswer(query, answer);
    }
    const schedlens::CapturePart again = schedlens::ReadCapturePart(written);
    if (again.answers.size() != part.answers.size() || again.sound != written.size()) std::abort();
  } catch (const schedlens::Error&) {
  }
  return 0;
}
