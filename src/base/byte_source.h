#pragma once

// The bytes of a capture in blocks, unpacked on the way if they are gzip.

#include <cstddef>
#include <memory>
#include <string>

namespace schedlens {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `buffer` with up to `size` bytes; 0 means the end, also where a byte order mark is all
  /// (at the start of a file it is skipped). Throws Error(kFailed) when reading
  /// fails, when gzip is damaged or ends early, and behind MaxInput() bytes (see input.h).
  virtual std::size_t Read(char* buffer, std::size_t size) = 0;
};

/// Opens a file, `-` for standard input. Gzip is recognised by its first bytes, not by the name;
/// members may follow each other, zero padding may follow the last. `name` is used in messages.
/// Throws Error(kFailed) if the file cannot be opened or is a directory.
std::unique_ptr<ByteSource> OpenByteSource(const std::string& path, const std::string& name);

/// Unpacks gzip as it is read: one member or several after each other, with zero padding behind the
/// last. Read throws Error(kFailed) for what is damaged, cut off or followed by anything else, and
/// what reading `packed` throws. `name` is used in messages.
std::unique_ptr<ByteSource> NewGzipSource(std::unique_ptr<ByteSource> packed, std::string name);

/// Packs into one gzip member without a time stamp: equal input gives equal bytes.
std::string Gzip(const std::string& content);

}  // namespace schedlens
