// Reading and writing through the system calls, so that errors keep their reason. Gzip by ISA-L: a
// third of zlib's time on metrics, and as a stream, where libdeflate wants the whole text in
// memory.

#include "base/file.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <istream>
#include <mutex>
#include <system_error>

#include "base/text.h"
#include "base/url.h"
#include "base/work_budget.h"

namespace schedlens {
namespace {

std::atomic<std::size_t> max_input = kDefaultMaxInput;

std::mutex listening;
ReadingListener listener_of_all;

void Tell(const std::string& name, std::size_t done, std::size_t total) {
  const std::lock_guard lock(listening);
  if (listener_of_all) listener_of_all(name, done, total);
}

[[noreturn]] void Fail(std::string_view doing, const std::string& path, std::string_view why) {
  Raise(ErrorKind::kFailed, "{} {}: {}", doing, path, why);
}

[[noreturn]] void FailToWrite(const std::string& path) {
  Fail("writing", path, std::strerror(errno));
}

/// Up to `size` bytes from a descriptor; 0 at the end.
std::size_t ReadSome(int fd, char* buffer, std::size_t size, const std::string& name) {
  ssize_t n = 0;
  do n = read(fd, buffer, size);
  while (n < 0 && errno == EINTR);
  if (n < 0) Fail("reading", name, std::strerror(errno));
  return static_cast<std::size_t>(n);
}

/// Closes the descriptor and removes the temporary file, whatever way the scope is left.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    const int why = errno;
    if (fd_ > 2) close(fd_);
    if (!remove_.empty()) unlink(remove_.c_str());
    errno = why;
  }
  int fd() const { return fd_; }
  void RemoveAtEnd(std::string path) { remove_ = std::move(path); }
  /// Gives the temporary file the target's name. False where that cannot be: the target is a mount
  /// of its own, say.
  bool Rename(const std::string& target) {
    if (rename(remove_.c_str(), target.c_str()) != 0) return false;
    remove_.clear();
    return true;
  }

 private:
  int fd_;
  std::string remove_;
};

void WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) FailToWrite(path);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
}

void WriteDirectly(const std::string& path, std::string_view content) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.fd() < 0) FailToWrite(path);
  WriteAll(file.fd(), content, path);
}

/// What a new file gets: 0666 without the bits of the umask, which can only be read by setting it.
mode_t DefaultMode() {
  // Once: two threads that set it at the same time would keep the wrong one.
  static const mode_t mask = [] {
    const mode_t found = umask(022);
    umask(found);
    return found;
  }();
  return 0666 & ~mask;
}

/// Holds back Ctrl-C, a deadline and their kind while a temporary file exists: they arrive when it
/// is renamed or removed, so that an interrupt leaves nothing behind.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

/// Gives the file the owner of the one that it replaces, if there is one. False where that is not
/// permitted.
bool Own(int fd, const struct stat* old) {
  struct stat now = {};
  if (old == nullptr) return true;
  const bool owned = fstat(fd, &now) == 0 && now.st_uid == old->st_uid && now.st_gid == old->st_gid;
  return owned || fchown(fd, old->st_uid, old->st_gid) == 0;
}

void Sync(int fd, const std::string& path) {
  if (fsync(fd) != 0) FailToWrite(path);
}

/// The mode comes last: another owner, or a write, takes some of its bits away.
void Fill(int fd, mode_t mode, std::string_view content, const std::string& path) {
  WriteAll(fd, content, path);
  if (fchmod(fd, mode) != 0) FailToWrite(path);
  Sync(fd, path);
}

/// Gives the file behind the descriptor a name that is free.
bool Name(int fd, const std::string& path) {
  const std::string self = fmt::format("/proc/self/fd/{}", fd);
  return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// Writes `target`, in messages `path`, which has no name before it is whole, so that even a killed
/// process leaves nothing. False, and nothing done, where the file system or /proc does not offer
/// that, or no other file can have the owner of the `old` one, which may be null.
bool WriteNameless(const std::string& path, const std::string& target, const struct stat* old,
                   mode_t mode, std::string_view content) {
  const std::size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  Descriptor file(open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (file.fd() < 0 || !Own(file.fd(), old)) return false;
  Fill(file.fd(), mode, content, path);
  if (Name(file.fd(), target)) return true;
  if (errno != EEXIST) return false;
  const std::string temporary = fmt::format("{}.{}", target, getpid());
  if (!Name(file.fd(), temporary)) return false;
  file.RemoveAtEnd(temporary);
  return file.Rename(target);
}

/// The same by a file that has a name at once. `errno` says why not.
bool WriteBeside(const std::string& path, const std::string& target, const struct stat* old,
                 mode_t mode, std::string_view content) {
  std::string temporary = target + ".XXXXXX";
  Descriptor file(mkstemp(temporary.data()));
  if (file.fd() < 0) return false;
  file.RemoveAtEnd(temporary);
  if (!Own(file.fd(), old)) return false;
  Fill(file.fd(), mode, content, path);
  return file.Rename(target);
}

/// All that `from` holds becomes what `to` holds, on the disk.
void CopyContent(int from, int to, const std::string& path) {
  if (lseek(from, 0, SEEK_SET) != 0 || lseek(to, 0, SEEK_SET) != 0) FailToWrite(path);
  std::string block(std::size_t{1} << 16, '\0');
  off_t done = 0;
  while (const std::size_t n = ReadSome(from, block.data(), block.size(), path)) {
    WriteAll(to, {block.data(), n}, path);
    done += static_cast<off_t>(n);
  }
  if (ftruncate(to, done) != 0) FailToWrite(path);
  Sync(to, path);
}

/// Writes the file itself, for which there is no other with its owner and its hard links.
void WriteInPlace(const std::string& path, const std::string& target, std::string_view content) {
  const Descriptor file(open(target.c_str(), O_RDWR | O_CLOEXEC));
  if (file.fd() < 0) FailToWrite(path);
  std::string temporary = target + ".XXXXXX";
  Descriptor copy(mkstemp(temporary.data()));
  if (copy.fd() < 0) {
    Fail("writing", path,
         fmt::format("only the file itself can keep its owner, mode and hard links, and no copy of "
                     "what it holds can be made beside it: {}",
                     std::strerror(errno)));
  }
  copy.RemoveAtEnd(temporary);
  CopyContent(file.fd(), copy.fd(), path);
  try {
    if (lseek(file.fd(), 0, SEEK_SET) != 0) FailToWrite(path);
    WriteAll(file.fd(), content, path);
    if (ftruncate(file.fd(), static_cast<off_t>(content.size())) != 0) FailToWrite(path);
    Sync(file.fd(), path);
  } catch (const Error& failure) {
    try {
      CopyContent(copy.fd(), file.fd(), path);
    } catch (const Error&) {
      copy.RemoveAtEnd("");
      Raise(failure.kind(), "{}: what it held is in {}", failure.what(), temporary);
    }
    throw;
  }
}

void CheckSize(const std::string& name, std::size_t size, std::size_t max_bytes) {
  CheckInputSize(name, size);
  if (size > max_bytes) {
    Fail("reading", name,
         fmt::format("larger than {}, the most that is read of such a file", SizeText(max_bytes)));
  }
}

/// Everything that `read`(buffer, size) gives until it gives nothing.
template <class Read>
std::string Whole(const std::string& name, std::size_t max_bytes, const Read& read) {
  constexpr std::size_t kLeast = 4096;
  const std::size_t most = std::min(max_bytes, MaxInput());
  std::string content;
  std::size_t size = 0;
  for (;;) {
    if (content.size() - size < kLeast) {
      content.resize(std::min(std::max<std::size_t>(65536, 2 * size), most + kLeast));
    }
    const std::size_t n = read(content.data() + size, content.size() - size);
    if (n == 0) break;
    size += n;
    CheckSize(name, size, max_bytes);
  }
  content.resize(size);
  return content;
}

std::string Bytes(const std::string& path, std::size_t max_bytes) {
  const bool standard_input = path == "-";
  const std::string name = InputName(path);
  const Descriptor file(standard_input ? 0 : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) Fail("reading", name, std::strerror(errno));
  struct stat status = {};
  if (fstat(file.fd(), &status) == 0 && S_ISREG(status.st_mode)) {
    CheckSize(name, static_cast<std::size_t>(status.st_size), max_bytes);
  }
  return Whole(name, max_bytes, [&](char* buffer, std::size_t size) {
    return ReadSome(file.fd(), buffer, size, name);
  });
}

std::string WithoutMark(std::string text) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

constexpr std::size_t kPackedBlock = std::size_t{256} << 10;

std::string_view ReasonOf(int status) {
  static constexpr std::pair<int, std::string_view> kReasons[] = {
      {ISAL_INVALID_BLOCK, "invalid block"},
      {ISAL_INVALID_SYMBOL, "invalid code"},
      {ISAL_INVALID_LOOKBACK, "invalid distance"},
      {ISAL_INVALID_WRAPPER, "invalid header"},
      {ISAL_UNSUPPORTED_METHOD, "unknown compression method"},
      {ISAL_INCORRECT_CHECKSUM, "incorrect data check"}};
  const auto* at = std::ranges::find(kReasons, status, &std::pair<int, std::string_view>::first);
  return at == std::end(kReasons) ? "invalid data" : at->second;
}

class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), input_(kPackedBlock) {
    isal_inflate_init(state_.get());
  }

  std::size_t Read(char* buffer, std::size_t size) override {
    size = std::min<std::size_t>(size, 1u << 30);  // ISA-L counts in 32 bits
    state_->next_out = reinterpret_cast<std::uint8_t*>(buffer);
    state_->avail_out = static_cast<std::uint32_t>(size);
    while (state_->avail_out == size) {
      if (between_members_ && !StartMember()) return 0;
      const bool ended = state_->avail_in == 0 && !Fill();
      const int status = isal_inflate(state_.get());
      if (status != ISAL_DECOMP_OK) {
        Fail("reading", name_, fmt::format("damaged gzip data: {}", ReasonOf(status)));
      }
      if (state_->block_state == ISAL_BLOCK_FINISH) {
        between_members_ = true;
      } else if (ended && state_->avail_out == size) {
        Fail("reading", name_, "gzip data ends early (truncated file?)");
      }
    }
    return size - state_->avail_out;
  }

 private:
  bool Fill() {
    const std::size_t n = packed_->Read(input_.data(), input_.size());
    state_->next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    state_->avail_in = static_cast<std::uint32_t>(n);
    return n > 0;
  }

  /// Another member, or zero padding up to the end of the file.
  bool StartMember() {
    for (;;) {
      if (state_->avail_in == 0 && !Fill()) return false;
      if (*state_->next_in != 0) break;
      ++state_->next_in;
      --state_->avail_in;
    }
    if (*state_->next_in != 0x1f) Fail("reading", name_, "bytes after the end of the gzip data");
    isal_inflate_reset(state_.get());
    state_->crc_flag = ISAL_GZIP;
    between_members_ = false;
    return true;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> input_;
  std::unique_ptr<inflate_state> state_ = std::make_unique<inflate_state>();
  bool between_members_ = true;
};

constexpr int kGzipWindow = 15 + 16;  // zlib: largest window, gzip framing only
constexpr std::string_view kGzipMagic = "\x1f\x8b";

class PlainSource : public ByteSource {
 public:
  PlainSource(int fd, std::string name) : file_(fd), name_(std::move(name)) {}

  std::size_t Read(char* buffer, std::size_t size) override {
    return ReadSome(file_.fd(), buffer, size, name_);
  }

 private:
  Descriptor file_;
  std::string name_;
};

class ResumedSource : public ByteSource {
 public:
  ResumedSource(std::string ahead, std::unique_ptr<ByteSource> rest)
      : ahead_(std::move(ahead)), rest_(std::move(rest)) {}

  std::size_t Read(char* buffer, std::size_t size) override {
    if (at_ == ahead_.size()) return rest_ == nullptr ? 0 : rest_->Read(buffer, size);
    const std::size_t n = ahead_.copy(buffer, size, at_);
    at_ += n;
    return n;
  }

 private:
  std::string ahead_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

/// Tells how far the reading has come, and ends in an error behind MaxInput() bytes, so that a
/// small file of gzip cannot cost more.
class LimitedSource : public ByteSource {
 public:
  LimitedSource(std::unique_ptr<ByteSource> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)), reading_(name_) {}

  std::size_t Read(char* buffer, std::size_t size) override {
    CheckBudget();
    const std::size_t n = source_->Read(buffer, size);
    CheckInputSize(name_, taken_ += n);
    reading_.Come(taken_);
    return n;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  InputReading reading_;
  std::size_t taken_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> NewGzipSource(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<GzipSource>(std::move(packed), std::move(name));
}

std::unique_ptr<ByteSource> NewResumedSource(std::string ahead, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<ResumedSource>(std::move(ahead), std::move(rest));
}

std::string ReadAhead(ByteSource& source, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t held = 0;
  while (held < size) {
    const std::size_t n = source.Read(bytes.data() + held, size - held);
    if (n == 0) break;
    held += n;
  }
  bytes.resize(held);
  return bytes;
}

std::unique_ptr<ByteSource> OpenByteSource(const std::string& path, const std::string& name) {
  const int fd = path == "-" ? 0 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) Fail("reading", name, std::strerror(errno));
  std::unique_ptr<ByteSource> source = std::make_unique<PlainSource>(fd, name);
  std::string start = ReadAhead(*source, kGzipMagic.size());
  const bool packed = start == kGzipMagic;
  source = NewResumedSource(std::move(start), std::move(source));
  if (packed) source = NewGzipSource(std::move(source), name);
  start = ReadAhead(*source, kByteOrderMark.size());
  source = NewResumedSource(WithoutMark(std::move(start)), std::move(source));
  return std::make_unique<LimitedSource>(std::move(source), name);
}

std::string Gzip(const std::string& content) {
  z_stream stream = {};
  if (deflateInit2(&stream, 9, Z_DEFLATED, kGzipWindow, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error(ErrorKind::kFailed, "packing: out of memory");
  }
  std::string packed;
  std::size_t taken = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    // zlib counts in 32 bits, so large contents go through in parts.
    const std::size_t part = std::min<std::size_t>(content.size() - taken, 1u << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data() + taken));
    stream.avail_in = static_cast<uInt>(part);
    const int flush = taken + part == content.size() ? Z_FINISH : Z_NO_FLUSH;
    do {
      char block[65536];
      stream.next_out = reinterpret_cast<Bytef*>(block);
      stream.avail_out = sizeof block;
      status = deflate(&stream, flush);
      packed.append(block, sizeof block - stream.avail_out);
    } while (stream.avail_out == 0);
    taken += part;
  }
  deflateEnd(&stream);
  return packed;
}

std::string ReadFile(const std::string& path, std::size_t max_bytes) {
  constexpr std::string_view kPacked = "\x1f\x8b";
  std::string text = Bytes(path, max_bytes);
  if (!text.starts_with(kPacked)) return WithoutMark(std::move(text));
  const auto unpacked = NewGzipSource(NewResumedSource(std::move(text), nullptr), InputName(path));
  return WithoutMark(Whole(InputName(path), max_bytes, [&](char* buffer, std::size_t size) {
    return unpacked->Read(buffer, size);
  }));
}

std::string ReadBytes(const std::string& path) { return Bytes(path, kMaxSmallFile); }

std::string ReadStream(std::istream& in, const std::string& name, std::size_t max_bytes) {
  return WithoutMark(Whole(name, max_bytes, [&](char* buffer, std::size_t size) {
    in.read(buffer, static_cast<std::streamsize>(size));
    if (in.bad()) Fail("reading", name, "input/output error");
    return static_cast<std::size_t>(in.gcount());
  }));
}

void WriteFileAtomically(const std::string& path, std::string_view content,
                         std::optional<unsigned> mode) {
  struct stat status = {};
  const bool exists = stat(path.c_str(), &status) == 0;
  struct stat link = {};
  if (!exists && lstat(path.c_str(), &link) == 0) Fail("writing", path, "is a link to nothing");
  if (exists && S_ISDIR(status.st_mode)) Fail("writing", path, "is a directory");
  if (exists && !S_ISREG(status.st_mode)) return WriteDirectly(path, content);

  // The target of a chain of symbolic links, so that the link stays and its target is replaced.
  std::error_code unresolved;
  const std::filesystem::path real = std::filesystem::canonical(path, unresolved);
  const std::string target = unresolved ? path : real.string();
  const struct stat* old = exists ? &status : nullptr;
  const mode_t kept = exists ? status.st_mode & 07777 : DefaultMode();
  const SignalsHeld held;
  const bool linked = exists && status.st_nlink > 1;
  if (!linked && WriteNameless(path, target, old, mode.value_or(kept), content)) return;
  if (!linked && WriteBeside(path, target, old, mode.value_or(kept), content)) return;
  if (!exists) FailToWrite(path);
  WriteInPlace(path, target, content);
}

void WriteTextFile(const std::string& path, std::string text, std::optional<unsigned> mode) {
  text = MaskKnownSecrets(std::move(text));
  WriteFileAtomically(path, path.ends_with(".gz") ? Gzip(text) : text, mode);
}

std::size_t MaxInput() { return max_input; }

void SetMaxInput(std::size_t bytes) { max_input = bytes; }

std::string SizeText(std::size_t bytes) {
  constexpr std::size_t kMi = std::size_t{1} << 20, kGi = std::size_t{1} << 30;
  if (bytes >= kGi && bytes % kGi == 0) return fmt::format("{} GiB", bytes / kGi);
  return bytes % kMi == 0 ? fmt::format("{} MiB", bytes / kMi) : fmt::format("{} bytes", bytes);
}

void CheckInputSize(const std::string& name, std::size_t bytes) {
  const std::size_t limit = MaxInput();
  if (bytes <= limit) return;
  Raise(ErrorKind::kFailed,
        "reading {}: larger than the limit of {} (unpacked): give a shorter "
        "recording or a part of it, or raise --max-input",
        name, SizeText(limit));
}

void ListenToReading(ReadingListener listener) {
  const std::lock_guard lock(listening);
  listener_of_all = std::move(listener);
}

InputReading::InputReading(std::string name, std::size_t total)
    : name_(std::move(name)), total_(total) {
  Tell("", 0, 0);
}

InputReading::~InputReading() { Tell("", 0, 0); }

void InputReading::Come(std::size_t done) const { Tell(name_, done, total_); }

}  // namespace schedlens
