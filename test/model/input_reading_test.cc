#include "model/input_reading.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace schedlens {
namespace {

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
