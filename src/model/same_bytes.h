#ifndef SCHEDLENS_MODEL_SAME_BYTES_H_
#define SCHEDLENS_MODEL_SAME_BYTES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace schedlens {

/// Eight bytes, the first one lowest.
inline std::uint64_t LoadWord(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// How many bytes two texts have in common from their beginning, of at most `size`.
inline std::size_t SameBytes(const char* a, const char* b, std::size_t size) {
  std::size_t i = 0;
  for (; size - i >= 8; i += 8) {
    const std::uint64_t other = LoadWord(a + i) ^ LoadWord(b + i);
    if (other != 0) return i + static_cast<std::size_t>(std::countr_zero(other)) / 8;
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_SAME_BYTES_H_
