#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cli/interrupt.h"

namespace schedlens {
namespace {

/// A thread that nothing guards.
template <class E>
void Throw(const E& error) {
  EndInOneLine();
  std::thread([&] { throw error; }).join();
}

TEST(LastResort, AnUncaughtExceptionIsOneLine) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const testing::ExitedWithCode failed(1);
  EXPECT_EXIT(Throw(std::bad_alloc()), failed, "^schedlens: out of memory; use a shorter window");
  EXPECT_EXIT(Throw(std::runtime_error("no thread")), failed, "^schedlens: no thread\n$");
  const auto take_all = [] {
    EndInOneLine();
    std::vector<char>().reserve(std::size_t{1} << 60);
  };
  EXPECT_EXIT(take_all(), failed, "^schedlens: out of memory; use a shorter window");
  EXPECT_EXIT(Throw(7), failed, "^schedlens: ended by an exception of unknown kind\n$");
}

}  // namespace
}  // namespace schedlens
