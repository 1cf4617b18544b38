#include "source/capture/xor_chunk.h"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "schedlens/error.h"

namespace schedlens {
namespace {

[[noreturn]] void FailChunk() { throw Error(ErrorKind::kFailed, "damaged XOR chunk"); }

/// Bits from the highest of each byte on.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t Read(unsigned count) {
    if (count > 8 * bytes_.size() - at_) FailChunk();
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i, ++at_) {
      const auto byte = static_cast<unsigned char>(bytes_[at_ / 8]);
      value = value << 1 | (byte >> (7 - at_ % 8) & 1U);
    }
    return value;
  }

  /// A base-128 number of whole bytes, wherever it begins.
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = Read(8);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    FailChunk();
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Differences of differences: as many bits as ones before the first zero say.
std::uint64_t ReadChange(Bits& bits) {
  static constexpr unsigned kSizes[] = {0, 14, 17, 20, 64};
  unsigned ones = 0;
  while (ones < 4 && bits.Read(1) == 1) ++ones;
  const unsigned size = kSizes[ones];
  if (size == 0) return 0;
  const std::uint64_t value = bits.Read(size);
  const bool negative = size < 64 && value > std::uint64_t{1} << (size - 1);
  return negative ? value - (std::uint64_t{1} << size) : value;
}

/// The next value's bits, by those that differ from the last one's.
class Values {
 public:
  double Next(Bits& bits) {
    if (bits.Read(1) == 0) return std::bit_cast<double>(value_);
    if (bits.Read(1) == 1) {
      leading_ = static_cast<unsigned>(bits.Read(5));
      significant_ = static_cast<unsigned>(bits.Read(6));
      if (significant_ == 0) significant_ = 64;
      if (leading_ + significant_ > 64) FailChunk();
    }
    const unsigned trailing = 64 - leading_ - significant_;
    value_ ^= bits.Read(significant_) << trailing;
    return std::bit_cast<double>(value_);
  }
  double First(Bits& bits) {
    value_ = bits.Read(64);
    return std::bit_cast<double>(value_);
  }

 private:
  std::uint64_t value_ = 0;
  unsigned leading_ = 0;
  unsigned significant_ = 64;
};

}  // namespace

std::vector<Sample> ReadXorChunk(std::string_view chunk) {
  Bits bits(chunk);
  const auto count = static_cast<std::size_t>(bits.Read(16));
  std::vector<Sample> samples;
  if (count == 0) return samples;
  // Times and differences wrap around in hostile chunks: unsigned, where that is defined.
  const std::uint64_t zigzag = bits.Varint();
  std::uint64_t time = zigzag >> 1 ^ (~(zigzag & 1) + 1);
  std::uint64_t step = 0;
  Values values;
  samples.push_back({static_cast<TimeMs>(time), values.First(bits)});
  while (samples.size() < count) {
    step = samples.size() == 1 ? bits.Varint() : step + ReadChange(bits);
    time += step;
    samples.push_back({static_cast<TimeMs>(time), values.Next(bits)});
  }
  return samples;
}

}  // namespace schedlens
