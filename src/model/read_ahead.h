#ifndef SCHEDLENS_MODEL_READ_AHEAD_H_
#define SCHEDLENS_MODEL_READ_AHEAD_H_

#include <memory>

#include "model/byte_source.h"

namespace schedlens {

/// The same bytes, read by a second thread while what came before is worked on: at most a mebibyte
/// ahead. An error comes where its bytes would have stood, behind all that could be read. The
/// thread starts with the first Read and ends with the source; where none can be started, `source`
/// is read as it is. Ending waits for a Read of `source` that has begun, so that must not wait for
/// anybody: a file, not a pipe.
std::unique_ptr<ByteSource> NewReadAhead(std::unique_ptr<ByteSource> source);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_READ_AHEAD_H_
