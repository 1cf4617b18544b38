#include "source/capture/xor_chunk.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using std::string_literals::operator""s;

/// Writes chunks as the TSDB does, but with the widest form of each value.
class Writer {
 public:
  void Bits(std::uint64_t value, unsigned count) {
    for (unsigned i = count; i-- > 0; ++used_) {
      if (used_ % 8 == 0) bytes_ += '\0';
      if ((value >> i & 1) != 0)
        bytes_.back() = static_cast<char>(bytes_.back() | 1 << (7 - used_ % 8));
    }
  }
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) Bits((value & 0x7F) | 0x80, 8);
    Bits(value, 8);
  }
  void Change(std::int64_t change) {
    const auto fits = [&](int bits) {
      return -((std::int64_t{1} << (bits - 1)) - 1) <= change && change <= std::int64_t{1}
                                                                               << (bits - 1);
    };
    if (change == 0) return Bits(0, 1);
    if (fits(14)) return Prefixed(0b10, 2, change, 14);
    if (fits(17)) return Prefixed(0b110, 3, change, 17);
    if (fits(20)) return Prefixed(0b1110, 4, change, 20);
    Prefixed(0b1111, 4, change, 64);
  }
  void Value(std::uint64_t changed) {
    if (changed == 0) return Bits(0, 1);
    const unsigned leading = std::min(31, std::countl_zero(changed));
    const unsigned trailing = static_cast<unsigned>(std::countr_zero(changed));
    const unsigned size = 64 - leading - trailing;
    Bits(0b11, 2);
    Bits(leading, 5);
    Bits(size & 63, 6);
    Bits(changed >> trailing, size);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Prefixed(std::uint64_t prefix, unsigned length, std::int64_t change, unsigned size) {
    Bits(prefix, length);
    Bits(static_cast<std::uint64_t>(change), size);
  }
  std::string bytes_;
  unsigned used_ = 0;
};

std::string Written(const std::vector<Sample>& samples) {
  Writer writer;
  writer.Bits(samples.size(), 16);
  std::int64_t step = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(samples[i].v);
    if (i == 0) {
      const TimeMs t = samples[0].t;
      writer.Varint(static_cast<std::uint64_t>(t) << 1 ^ static_cast<std::uint64_t>(t >> 63));
      writer.Bits(bits, 64);
      continue;
    }
    const std::int64_t next = samples[i].t - samples[i - 1].t;
    if (i == 1) {
      writer.Varint(static_cast<std::uint64_t>(next));
    } else {
      writer.Change(next - step);
    }
    step = next;
    writer.Value(bits ^ std::bit_cast<std::uint64_t>(samples[i - 1].v));
  }
  return writer.bytes();
}

TEST(XorChunk, ReadsWhatWasWritten) {
  EXPECT_TRUE(ReadXorChunk("\x00\x00"s).empty());
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Sample> samples;
    TimeMs t = -50'000;
    const std::int64_t spread = std::int64_t{1} << (random() % 36);
    for (std::size_t i = 0, n = 1 + random() % 120; i < n; ++i) {
      t += 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spread));
      const double value = random() % 3 == 0 && !samples.empty()
                               ? samples.back().v
                               : static_cast<double>(random() % 1000) / 8;
      samples.push_back({t, value});
    }
    EXPECT_EQ(ReadXorChunk(Written(samples)), samples) << round;
  }
}

TEST(XorChunk, RefusesWhatEndsEarly) {
  const std::string chunk = Written({{1000, 1}, {2000, 2.5}, {3500, 2.5}, {9000, 1e300}});
  for (std::size_t size = 0; size + 1 < chunk.size(); ++size) {
    EXPECT_THROW(ReadXorChunk(std::string_view(chunk).substr(0, size)), Error) << size;
  }
  EXPECT_THROW(ReadXorChunk("\xff\xff"s), Error);
}

}  // namespace
}  // namespace schedlens
