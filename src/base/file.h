#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace schedlens {

// The bytes of a capture in blocks, unpacked on the way if they are gzip.

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `buffer` with up to `size` bytes; 0 means the end, also where a byte order mark is all
  /// (at the start of a file it is skipped). Throws Error(kFailed) when reading
  /// fails, when gzip is damaged or ends early, and behind MaxInput() bytes.
  virtual std::size_t Read(char* buffer, std::size_t size) = 0;
};

/// Opens a file, `-` for standard input. Gzip is recognised by its first bytes, not by the name;
/// members may follow each other, zero padding may follow the last. `name` is used in messages.
/// Reads the first bytes: throws Error(kFailed) as Read does, and for what cannot be opened.
std::unique_ptr<ByteSource> OpenByteSource(const std::string& path, const std::string& name);

/// Unpacks gzip as it is read: one member or several after each other, with zero padding behind the
/// last. Read throws Error(kFailed) for what is damaged, cut off or followed by anything else, and
/// what reading `packed` throws. `name` is used in messages.
std::unique_ptr<ByteSource> NewGzipSource(std::unique_ptr<ByteSource> packed, std::string name);

/// The bytes that were read ahead of `rest`, then those of `rest`, which may be null.
std::unique_ptr<ByteSource> NewResumedSource(std::string ahead, std::unique_ptr<ByteSource> rest);

/// Up to `size` bytes; fewer only at the end.
std::string ReadAhead(ByteSource& source, std::size_t size);

/// Packs into one gzip member without a time stamp: equal input gives equal bytes.
std::string Gzip(const std::string& content);

// Whole small files: rule files, configurations, reports (captures are streamed by exposition.h).
// How much is read of one file or of standard input, to which every reader keeps, and how far the
// reading has come, told to whoever shows it to the user.

inline constexpr std::size_t kDefaultMaxInput = std::size_t{2} << 30;

/// Bytes of one input after unpacking, for the whole process; `--max-input`. May be read by any
/// thread; is set before the first file is read.
std::size_t MaxInput();
void SetMaxInput(std::size_t bytes);

/// `64 MiB`, `2 GiB`; bytes where the size is no whole number of MiB.
std::string SizeText(std::size_t bytes);

/// Throws Error(kFailed) for more than MaxInput() bytes. `name` is the input's name in the message.
void CheckInputSize(const std::string& name, std::size_t bytes);

/// What is read, bytes read so far (unpacked), and of how many (0 = not known). All empty where a
/// reading begins or has ended.
using ReadingListener =
    std::function<void(const std::string& name, std::size_t done, std::size_t total)>;

/// For the whole process; an empty one ends it. Calls come one at a time, from any thread.
void ListenToReading(ReadingListener listener);

/// One reading, which ends with this object.
class InputReading {
 public:
  explicit InputReading(std::string name, std::size_t total = 0);
  ~InputReading();
  InputReading(const InputReading&) = delete;
  InputReading& operator=(const InputReading&) = delete;

  /// Tells the listener, if there is one.
  void Come(std::size_t done) const;

 private:
  std::string name_;
  std::size_t total_;
};

/// What is read of a file that people write by hand, or of a report; see also MaxInput(), which
/// holds as well.
inline constexpr std::size_t kMaxSmallFile = std::size_t{256} << 20;

/// Of what may be large: only MaxInput() counts.
inline constexpr std::size_t kAnySize = static_cast<std::size_t>(-1);

/// What messages call it.
inline std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// What editors of Windows put before UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The content of a file, `-` for standard input, unpacked and without a byte order mark. Throws
/// Error(kFailed) that names the file and the reason (missing, a directory, not readable, read
/// error, larger than `max_bytes` or than MaxInput(); a regular file that is too large is not read
/// at all).
std::string ReadFile(const std::string& path, std::size_t max_bytes = kMaxSmallFile);

/// As ReadFile, byte for byte: for who writes the file back.
std::string ReadBytes(const std::string& path);

/// The rest of a stream, `name` in messages. Throws Error(kFailed) as ReadFile does.
std::string ReadStream(std::istream& in, const std::string& name,
                       std::size_t max_bytes = kMaxSmallFile);

/// Writes a file so that no reader and no crash ever sees half of it: without a name (or, where the
/// file system has no such files, under a temporary one) in the same folder, flushed to disk, then
/// named. An existing file keeps its owner, group and mode, unless `mode` gives that. Where only
/// the file itself can keep them, and its hard links, it is written in place: a copy of what it
/// held lies beside it (FILE.XXXXXX) until the new content is on the disk, and comes back after an
/// error. Anything that is not a regular file (a pipe, /dev/stdout) is written directly. Throws
/// Error(kFailed) (no such folder, no permission, disk full, a symbolic link to nothing) and leaves
/// no temporary file behind, unless what a file held cannot be put back: then the message names the
/// copy.
void WriteFileAtomically(const std::string& path, std::string_view content,
                         std::optional<unsigned> mode = std::nullopt);

/// WriteFileAtomically of text for others to read: known secrets are masked (see url.h),
/// and a name that ends in .gz gets it packed.
void WriteTextFile(const std::string& path, std::string text,
                   std::optional<unsigned> mode = std::nullopt);

}  // namespace schedlens
