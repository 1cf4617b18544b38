// Plain and gzip bytes from a file descriptor. Gzip by ISA-L: a third of zlib's time on metrics,
// and as a stream, where libdeflate wants the whole text in memory.

#include "base/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::size_t kPackedBlock = std::size_t{256} << 10;

[[noreturn]] void FailReading(const std::string& name, std::string_view why) {
  throw Error(ErrorKind::kFailed, fmt::format("reading {}: {}", name, why));
}

std::string_view ReasonOf(int status) {
  switch (status) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid code";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance";
    case ISAL_INVALID_WRAPPER:
      return "invalid header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    default:
      return "invalid data";
  }
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
        FailReading(name_, fmt::format("damaged gzip data: {}", ReasonOf(status)));
      }
      if (state_->block_state == ISAL_BLOCK_FINISH) {
        between_members_ = true;
      } else if (ended && state_->avail_out == size) {
        FailReading(name_, "gzip data ends early (truncated file?)");
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
    if (*state_->next_in != 0x1f) FailReading(name_, "bytes after the end of the gzip data");
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

/// A descriptor with the first bytes read ahead, to see what kind of file it is.
class PlainSource : public ByteSource {
 public:
  PlainSource(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
    while (ahead_.size() < kGzipMagic.size()) {
      char byte = 0;
      if (ReadSome(fd_, &byte, 1, name_) == 0) break;
      ahead_ += byte;
    }
  }
  PlainSource(const PlainSource&) = delete;
  PlainSource& operator=(const PlainSource&) = delete;
  ~PlainSource() override {
    if (fd_ > 2) close(fd_);
  }

  /// To be asked before the first Read.
  bool IsGzip() const { return ahead_ == kGzipMagic; }

  std::size_t Read(char* buffer, std::size_t size) override {
    if (ahead_.empty()) return ReadSome(fd_, buffer, size, name_);
    const std::size_t n = ahead_.copy(buffer, size);
    ahead_.erase(0, n);
    return n;
  }

 private:
  static constexpr std::string_view kGzipMagic = "\x1f\x8b";

  int fd_;
  std::string name_;
  std::string ahead_;
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

std::unique_ptr<ByteSource> NewGzipSource(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<GzipSource>(std::move(packed), std::move(name));
}

std::unique_ptr<ByteSource> OpenByteSource(const std::string& path, const std::string& name) {
  const int fd = path == "-" ? 0 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) FailReading(name, std::strerror(errno));
  auto plain = std::make_unique<PlainSource>(fd, name);
  const bool packed = plain->IsGzip();
  std::unique_ptr<ByteSource> source = std::move(plain);
  if (packed) source = NewGzipSource(std::move(source), name);
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
