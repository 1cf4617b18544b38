// The block format: the size of the content, then pieces, each taken from the block itself or
// repeated from the content before.

#include "source/capture/snappy.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "schedlens/error.h"
#include "source/capture/wire.h"

namespace schedlens {
namespace {

/// A copy of 64 bytes takes at least two bytes of the block.
constexpr std::size_t kMostGrowth = 32;

[[noreturn]] void Fail() {
  throw Error(ErrorKind::kFailed, "damaged snappy data (is the file cut off?)");
}

class Unpacking {
 public:
  explicit Unpacking(std::string_view packed) : packed_(packed) {}

  std::string Run() {
    size_ = ReadVarint(packed_, &at_);
    if (size_ / kMostGrowth > packed_.size()) Fail();
    out_.reserve(size_);
    while (at_ < packed_.size()) Piece();
    if (out_.size() != size_) Fail();
    return std::move(out_);
  }

 private:
  std::size_t Little(std::size_t bytes) {
    if (bytes > packed_.size() - at_) Fail();
    std::size_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(packed_[at_ + i]);
    }
    at_ += bytes;
    return value;
  }

  void Piece() {
    const std::size_t tag = Little(1);
    const std::size_t upper = tag >> 2;
    switch (tag & 3) {
      case 0:
        return Literal(upper < 60 ? upper + 1 : Little(upper - 59) + 1);
      case 1:
        return Copy((upper & 7) + 4, (tag >> 5) << 8 | Little(1));
      case 2:
        return Copy(upper + 1, Little(2));
      default:
        return Copy(upper + 1, Little(4));
    }
  }

  void Literal(std::size_t length) {
    if (length > packed_.size() - at_ || length > size_ - out_.size()) Fail();
    out_.append(packed_.substr(at_, length));
    at_ += length;
  }

  void Copy(std::size_t length, std::size_t offset) {
    if (offset == 0 || offset > out_.size() || length > size_ - out_.size()) Fail();
    // The piece may overlap what it makes.
    for (std::size_t i = 0; i < length; ++i) out_.push_back(out_[out_.size() - offset]);
  }

  std::string_view packed_;
  std::size_t at_ = 0;
  std::uint64_t size_ = 0;
  std::string out_;
};

}  // namespace

std::string UnpackSnappy(std::string_view packed) { return Unpacking(packed).Run(); }

}  // namespace schedlens
