#ifndef SCHEDLENS_SOURCE_CAPTURE_SNAPPY_H_
#define SCHEDLENS_SOURCE_CAPTURE_SNAPPY_H_

#include <string>
#include <string_view>

namespace schedlens {

/// The content of a snappy block (not of the framed format). Throws Error(kFailed) for bytes that
/// are none, also for a stated size that no block of this length can have.
std::string UnpackSnappy(std::string_view packed);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_SNAPPY_H_
