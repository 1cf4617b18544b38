#ifndef SCHEDLENS_SOURCE_CAPTURE_XOR_CHUNK_H_
#define SCHEDLENS_SOURCE_CAPTURE_XOR_CHUNK_H_

#include <string_view>
#include <vector>

#include "contract/series.h"

namespace schedlens {

/// The samples of one XOR chunk of Prometheus' TSDB: times as differences of differences, values as
/// the bits that changed. Throws Error(kFailed) for a chunk that ends early or cannot be one.
std::vector<Sample> ReadXorChunk(std::string_view chunk);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_XOR_CHUNK_H_
