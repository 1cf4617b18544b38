#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "cli/commands/diagnose.h"

namespace schedlens {
namespace {

TEST(SideBySideTest, EachIsCalledOnce) {
  for (const std::size_t count : {0, 1, 2, 100}) {
    std::vector<std::atomic<int>> calls(count);
    SideBySide(count, [&](std::size_t i) { ++calls[i]; });
    for (const auto& one : calls) EXPECT_EQ(one, 1);
  }
}

TEST(SideBySideTest, ThrowsWhatTheFirstByNumberThrewOnceAllHaveEnded) {
  std::atomic<int> begun = 0, ended = 0;
  try {
    SideBySide(1000, [&](std::size_t i) {
      ++begun;
      if (i == 3) {
        ++ended;
        throw std::runtime_error("three");
      }
      ++ended;
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "three");
  }
  EXPECT_EQ(begun, ended);
  EXPECT_GE(begun, 4);
}

TEST(SideBySideTest, OfSeveralThatThrowTheFirstCounts) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(SideBySide(2,
                            [](std::size_t i) {
                              if (i == 0) throw std::invalid_argument("first");
                              throw std::runtime_error("second");
                            }),
                 std::exception);
  }
}

}  // namespace
}  // namespace schedlens
