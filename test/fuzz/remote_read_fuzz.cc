// Any bytes where remote read's checksums and packing would keep a fuzzer out: the first byte says
// what the rest is, a message of a sampled or a streamed answer, an XOR chunk or a snappy block.

#include <cstdint>
#include <string_view>

#include "schedlens/error.h"
#include "source/capture/remote_read.h"
#include "source/capture/snappy.h"
#include "source/capture/xor_chunk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    schedlens::RemoteRead read;
    switch (data[0] % 4) {
      case 0:
        read.AddResponse(bytes);
        break;
      case 1:
        read.AddChunked(bytes);
        break;
      case 2:
        schedlens::ReadXorChunk(bytes);
        break;
      default:
        schedlens::UnpackSnappy(bytes);
        break;
    }
    read.Take();
  } catch (const schedlens::Error&) {
    return 0;
  }
  return 0;
}
