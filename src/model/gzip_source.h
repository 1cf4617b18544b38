#ifndef SCHEDLENS_MODEL_GZIP_SOURCE_H_
#define SCHEDLENS_MODEL_GZIP_SOURCE_H_

#include <memory>
#include <string>

#include "model/byte_source.h"

namespace schedlens {

/// Unpacks gzip as it is read: one member or several after each other, with zero padding behind the
/// last. Read throws Error(kFailed) for what is damaged, cut off or followed by anything else, and
/// what reading `packed` throws. `name` is used in messages.
std::unique_ptr<ByteSource> NewGzipSource(std::unique_ptr<ByteSource> packed, std::string name);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_GZIP_SOURCE_H_
