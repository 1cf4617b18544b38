#include "model/same_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace schedlens {
namespace {

TEST(SameBytes, FindsTheFirstByteThatDiffers) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string text(size, 'x');
    EXPECT_EQ(SameBytes(text.data(), text.data(), size), size);
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = '\x80';
      if (at + 1 < size) other[at + 1] = 'y';
      EXPECT_EQ(SameBytes(text.data(), other.data(), size), at);
    }
  }
}

}  // namespace
}  // namespace schedlens
