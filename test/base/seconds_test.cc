#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/text.h"

namespace schedlens {
namespace {

TEST(TimeOfSecondsTest, IsNothingBeyondTheYear9999) {
  EXPECT_EQ(TimeOfSeconds(1795223360.3534), 1795223360353);
  EXPECT_EQ(TimeOfSeconds(-0.0), 0);
  EXPECT_EQ(TimeOfSeconds(-1.5), -1500);
  for (const double seconds : {253402300800.0, -1e17, 1e308, HUGE_VAL, std::nan("")}) {
    EXPECT_EQ(TimeOfSeconds(seconds), std::nullopt) << seconds;
  }
}

template <typename Int>
void ExpectCut() {
  using Limits = std::numeric_limits<Int>;
  EXPECT_EQ(CutTo<Int>(2.9), Int{2});
  EXPECT_EQ(CutTo<Int>(-0.0), Int{0});
  EXPECT_EQ(CutTo<Int>(std::nan("")), Int{0});
  for (const double large : {1e308, HUGE_VAL, 0x1p64}) EXPECT_EQ(CutTo<Int>(large), Limits::max());
  for (const double small : {-1e308, -HUGE_VAL}) EXPECT_EQ(CutTo<Int>(small), Limits::min());
  EXPECT_EQ(CutTo<Int>(-2.9), std::is_signed_v<Int> ? static_cast<Int>(-2) : Int{0});
}

TEST(CutToTest, IsTheNearestThatThereIs) {
  ExpectCut<int>();
  ExpectCut<std::int64_t>();
  ExpectCut<std::size_t>();
  EXPECT_EQ(CutTo<int>(2147483646.5), 2147483646);
}

}  // namespace
}  // namespace schedlens
