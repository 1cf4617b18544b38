#include "model/input.h"

#include <fmt/format.h>
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

TEST(InputReading, TellsItsBeginningItsWayAndItsEnd) {
  std::string told;
  ListenToReading([&](const std::string& name, std::size_t done, std::size_t total) {
    told += fmt::format("[{} {}/{}]", name, done, total);
  });
  {
    const InputReading reading("m.om", 30);
    reading.Come(10);
    reading.Come(30);
  }
  EXPECT_EQ(told, "[ 0/0][m.om 10/30][m.om 30/30][ 0/0]");
  ListenToReading({});
  InputReading("nobody listens").Come(1);
  EXPECT_EQ(told.size(), 36u);
}

}  // namespace
}  // namespace schedlens
