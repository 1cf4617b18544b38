#include "model/base64.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(Base64, IsReadWithAndWithoutPaddingAndAcrossLines) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8"), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v\nYmFy\n"), "foobar");
  EXPECT_EQ(DecodeBase64("AP8="), std::string("\0\xff", 2));
}

TEST(Base64, RefusesOtherText) {
  for (const char* bad : {"Z", "Zm9v!", "Zg==Zg", "Zm-v"}) EXPECT_FALSE(DecodeBase64(bad)) << bad;
}

TEST(Base64, WhatIsWrittenIsRead) {
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foo"), "Zm9v");
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i * 7);
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
  }
}

}  // namespace
}  // namespace schedlens
