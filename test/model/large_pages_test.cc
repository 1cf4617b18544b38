#include "model/large_pages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace schedlens {
namespace {

// That pages are large is the kernel's affair; what is asked of it must harm nothing that is in
// use.
TEST(LargePages, LeaveWhatIsInTheHeap) {
  std::vector<std::unique_ptr<char[]>> blocks;
  constexpr std::size_t kSize = std::size_t{1} << 20;
  for (int i = 0; i < 100; ++i) {
    GrowHeapInLargePages();
    blocks.push_back(std::make_unique_for_overwrite<char[]>(kSize));
    std::memset(blocks.back().get(), i, kSize);
  }
  blocks.erase(blocks.begin() + 50, blocks.end());
  GrowHeapInLargePages();
  for (int i = 0; i < 50; ++i) {
    const char* const bytes = blocks[static_cast<std::size_t>(i)].get();
    EXPECT_EQ(bytes[0], i);
    EXPECT_EQ(bytes[kSize - 1], i);
  }
}

}  // namespace
}  // namespace schedlens
