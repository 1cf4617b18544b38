#include "base/hash_index.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(HashIndex, FindsWhatWasAddedAlsoAmongEqualHashes) {
  HashIndex index;
  EXPECT_EQ(index.Find(1, [](std::uint32_t) { return true; }), HashIndex::kNone);
  // Three numbers share each hash; hashes differ only above the slots' bits.
  constexpr std::uint32_t kCount = 3000;
  const auto hash = [](std::uint32_t number) { return std::size_t{number / 3} << 20; };
  for (std::uint32_t i = 0; i < kCount; ++i) index.Add(hash(i), i);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(index.Find(hash(i), [&](std::uint32_t number) { return number == i; }), i);
  }
  EXPECT_EQ(index.Find(hash(7), [](std::uint32_t) { return false; }), HashIndex::kNone);
}

}  // namespace
}  // namespace schedlens
