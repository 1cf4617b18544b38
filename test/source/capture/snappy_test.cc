#include "source/capture/snappy.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using std::string_literals::operator""s;

TEST(Snappy, UnpacksLiteralsAndCopies) {
  EXPECT_EQ(UnpackSnappy("\x00"s), "");
  EXPECT_EQ(UnpackSnappy("\x03\x08"
                         "abc"),
            "abc");
  // "ab", then 5 bytes from 2 back, which the copy itself makes.
  EXPECT_EQ(UnpackSnappy("\x07\x04"
                         "ab\x05\x02"),
            "abababa");
  EXPECT_EQ(UnpackSnappy("\x04\x04"
                         "ab\x06\x02\x00"s),
            "abab");
  EXPECT_EQ(UnpackSnappy("\x04\x04"
                         "ab\x07\x02\x00\x00\x00"s),
            "abab");
  const std::string longer(300, 'x');
  EXPECT_EQ(UnpackSnappy("\xac\x02\xf4\x2b\x01" + longer), longer);
}

TEST(Snappy, RefusesWhatIsNoBlock) {
  for (const std::string& packed :
       {""s, "\x05"s, "\x03\x08"s + "ab", "\x02\x08"s + "abc", "\x04\x08"s + "abc", "\x08\x05\x01"s,
        "\x08\x04"s + "ab\x05\x03", "\x08\x04"s + "ab\x05\x00"s,
        "\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00"s,
        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"s}) {
    EXPECT_THROW(UnpackSnappy(packed), Error) << testing::PrintToString(packed);
  }
}

}  // namespace
}  // namespace schedlens
