// Plain and gzip bytes from a file descriptor.

#include "model/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/file.h"
#include "model/gzip_source.h"
#include "model/input_limit.h"
#include "model/input_reading.h"
#include "model/read_ahead.h"
#include "model/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib: largest window, gzip framing only

[[noreturn]] void Fail(const std::string& name, std::string_view why) {
  throw Error(ErrorKind::kFailed, fmt::format("reading {}: {}", name, why));
}

/// A descriptor with the first bytes read ahead, to see what kind of file it is.
class PlainSource : public ByteSource {
 public:
  PlainSource(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
    while (ahead_size_ < sizeof ahead_) {
      const std::size_t n = ReadDescriptor(ahead_ + ahead_size_, sizeof ahead_ - ahead_size_);
      if (n == 0) break;
      ahead_size_ += n;
    }
  }
  PlainSource(const PlainSource&) = delete;
  PlainSource& operator=(const PlainSource&) = delete;
  ~PlainSource() override {
    if (fd_ > 2) close(fd_);
  }

  bool IsFile() const {
    struct stat found = {};
    return fstat(fd_, &found) == 0 && S_ISREG(found.st_mode);
  }
  bool IsGzip() const { return ahead_size_ == 2 && ahead_[0] == '\x1f' && ahead_[1] == '\x8b'; }

  std::size_t Read(char* buffer, std::size_t size) override {
    if (ahead_used_ == ahead_size_) return ReadDescriptor(buffer, size);
    const std::size_t n = std::min(size, ahead_size_ - ahead_used_);
    std::memcpy(buffer, ahead_ + ahead_used_, n);
    ahead_used_ += n;
    return n;
  }

 private:
  std::size_t ReadDescriptor(char* buffer, std::size_t size) {
    for (;;) {
      const ssize_t n = read(fd_, buffer, size);
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) Fail(name_, std::strerror(errno));
    }
  }

  int fd_;
  std::string name_;
  char ahead_[2] = {};
  std::size_t ahead_size_ = 0;
  std::size_t ahead_used_ = 0;
};

/// Tells how far the reading has come, and ends in an error behind MaxInput() bytes, so that a
/// small file of gzip cannot cost more.
class LimitedSource : public ByteSource {
 public:
  LimitedSource(std::unique_ptr<ByteSource> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)), reading_(name_) {}

  std::size_t Read(char* buffer, std::size_t size) override {
    CheckBudget();
    std::size_t n = source_->Read(buffer, size);
    if (taken_ == 0) n = WithoutMark(buffer, n, size);
    CheckInputSize(name_, taken_ += n);
    reading_.Come(taken_);
    return n;
  }

 private:
  /// Of the first `n` bytes those behind a byte order mark, at the front of the buffer.
  std::size_t WithoutMark(char* buffer, std::size_t n, std::size_t size) {
    while (n > 0 && n < kByteOrderMark.size() && n < size) {
      const std::size_t more = source_->Read(buffer + n, size - n);
      if (more == 0) break;
      n += more;
    }
    if (!std::string_view(buffer, n).starts_with(kByteOrderMark)) return n;
    n -= kByteOrderMark.size();
    std::memmove(buffer, buffer + kByteOrderMark.size(), n);
    return n > 0 ? n : source_->Read(buffer, size);
  }

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  InputReading reading_;
  std::size_t taken_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> OpenByteSource(const std::string& path, const std::string& name) {
  const int fd = path == "-" ? 0 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) Fail(name, std::strerror(errno));
  auto plain = std::make_unique<PlainSource>(fd, name);
  const bool packed = plain->IsGzip();
  const bool file = plain->IsFile();
  std::unique_ptr<ByteSource> source = std::move(plain);
  if (packed) source = NewGzipSource(std::move(source), name);
  if (packed && file) source = NewReadAhead(std::move(source));
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

}  // namespace schedlens
