// Any bytes as a capture of any format: read or refused with an Error of one line, the same however
// often; series ascend.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "schedlens/error.h"
#include "source/capture/capture_source.h"

namespace {

std::string Read(std::string_view bytes) {
  try {
    const schedlens::Exposition read = schedlens::ParseCapture(bytes, "input", 1795223360353);
    std::string digest;
    for (const schedlens::Series& series : read.series) {
      for (std::size_t i = 1; i < series.samples.size(); ++i) {
        if (series.samples[i - 1].t >= series.samples[i].t) std::abort();
      }
      digest += series.labels.ToString() + std::to_string(series.samples.size());
    }
    return digest;
  } catch (const schedlens::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (Read(bytes) != Read(bytes)) std::abort();
  return 0;
}
