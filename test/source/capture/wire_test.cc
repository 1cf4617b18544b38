#include "source/capture/wire.h"

#include <gtest/gtest.h>

#include <string>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using std::string_literals::operator""s;

TEST(Wire, GoesThroughTheFieldsOfAMessage) {
  const std::string message =
      "\x08\x96\x01"                          // 1: 150
      "\x11\x00\x00\x00\x00\x00\x00\xf8\x3f"  // 2: 1.5
      "\x1a\x02hi"                            // 3: "hi"
      "\x25\x01\x02\x03\x04"                  // 4: four bytes
      "\x2a\x00"s;                            // 5: empty
  Wire wire(message);
  ASSERT_TRUE(wire.Next());
  EXPECT_EQ(wire.field(), 1u);
  EXPECT_EQ(wire.Varint(), 150u);
  ASSERT_TRUE(wire.Next());
  EXPECT_EQ(wire.Double(), 1.5);
  ASSERT_TRUE(wire.Next());
  EXPECT_EQ(wire.Bytes(), "hi");
  ASSERT_TRUE(wire.Next());
  wire.Skip();
  ASSERT_TRUE(wire.Next());
  EXPECT_EQ(wire.Bytes(), "");
  EXPECT_FALSE(wire.Next());
}

TEST(Wire, RefusesWhatEndsEarlyOrIsOfAnotherType) {
  for (const std::string& message :
       {"\x08"s, "\x08\x80"s, "\x09\x00"s, "\x0a\x05hi"s, "\x0b"s, "\x0d\x00"s, "\x00\x00"s,
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"s,
        "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s}) {
    EXPECT_THROW(
        {
          for (Wire wire(message); wire.Next();) wire.Skip();
        },
        Error)
        << testing::PrintToString(message);
  }
  Wire wire("\x08\x01");
  ASSERT_TRUE(wire.Next());
  EXPECT_THROW(wire.Bytes(), Error);
}

}  // namespace
}  // namespace schedlens
