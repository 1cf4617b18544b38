#include "model/input_limit.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(InputLimit, RefusesOneByteMore) {
  EXPECT_EQ(MaxInput(), std::size_t{2} << 30);
  CheckInputSize("f", MaxInput());
  EXPECT_THROW(CheckInputSize("f", MaxInput() + 1), Error);
  SetMaxInput(10);
  EXPECT_THROW(CheckInputSize("f", 11), Error);
  SetMaxInput(kDefaultMaxInput);
}

TEST(InputLimit, SizesAreWrittenInTheLargestUnitThatDivides) {
  EXPECT_EQ(SizeText(1000), "1000 bytes");
  EXPECT_EQ(SizeText(std::size_t{512} << 20), "512 MiB");
  EXPECT_EQ(SizeText(std::size_t{1536} << 20), "1536 MiB");
  EXPECT_EQ(SizeText(std::size_t{8} << 30), "8 GiB");
}

}  // namespace
}  // namespace schedlens
