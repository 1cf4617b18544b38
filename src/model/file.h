#ifndef SCHEDLENS_MODEL_FILE_H_
#define SCHEDLENS_MODEL_FILE_H_

// Whole small files: rule files, configurations, reports. Captures are streamed by exposition.h.

#include <string>
#include <string_view>

namespace schedlens {

/// The content of a file, `-` for standard input. Throws Error(kFailed) that names the file and the
/// reason (missing, a directory, not readable, read error, larger than `max_bytes`).
std::string ReadFile(const std::string& path, std::size_t max_bytes = std::size_t{256} << 20);

/// Writes a file so that no reader and no crash ever sees half of it: without a name (or, where the
/// file system has no such files, under a temporary one) in the same folder, flushed to disk, then
/// named. An existing file keeps its permissions; anything that is not a regular file (a pipe,
/// /dev/stdout) is written directly. Throws Error(kFailed) (no such folder, no permission, disk
/// full, a symbolic link to nothing) and leaves no temporary file behind.
void WriteFileAtomically(const std::string& path, std::string_view content);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_FILE_H_
