#include "cli/safe_stream.h"

#include <gtest/gtest.h>

#include <sstream>

namespace schedlens {
namespace {

std::string Safe(std::string_view text) {
  std::ostringstream to;
  SafeStream(to) << text;
  return to.str();
}

TEST(SafeStream, SpellsOutWhatActs) {
  for (const auto& [text, shown] :
       {std::pair{"plain\ttext\n", "plain\ttext\n"}, std::pair{"\x1b[2J", "\\u001b[2J"},
        std::pair{"a\rb\x7f", "a\\u000db\\u007f"}, std::pair{"a\r\nb\r", "a\r\nb\\u000d"},
        std::pair{"\xc2\x9b", "\\u009b"}, std::pair{"\xe2\x80\xae", "\\u202e"},
        std::pair{"\xe2\x81\xa6", "\\u2066"}, std::pair{"\xd8\x9c", "\\u061c"},
        std::pair{"时间 é 😀", "时间 é 😀"}, std::pair{"\xff", "\xef\xbf\xbd"},
        std::pair{"\xe2\x80", "\xef\xbf\xbd"},
        std::pair{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}}) {
    EXPECT_EQ(Safe(text), shown);
  }
  EXPECT_EQ(Safe(std::string_view("\0", 1)), "\\u0000");
}

TEST(SafeStream, ACharacterMayComeInPieces) {
  const std::string text = "é时\r\n😀\xe2\x80\xae\xe2\x80x";
  std::ostringstream to;
  SafeStream safe(to);
  for (const char c : text) safe << c;
  safe.flush();
  EXPECT_EQ(to.str(), Safe(text));
}

TEST(SafeStream, WhatIsOursStays) {
  std::ostringstream to;
  SafeStream safe(to);
  safe << "\x1b" << Own{"\x1b[1m"} << "x";
  EXPECT_EQ(to.str(), "\\u001b\x1b[1mx");
  EXPECT_EQ(&safe.target(), &to);
  std::ostringstream plain;
  plain << Own{"\x1b[1m"};
  EXPECT_EQ(plain.str(), "\x1b[1m");
}

TEST(SafeStream, AStreamThatFailsFails) {
  std::ostringstream to;
  SafeStream safe(to);
  to.setstate(std::ios::badbit);
  safe << "x";
  EXPECT_FALSE(safe);
}

TEST(SafeStream, KnownSecretsAreMaskedAlsoAcrossWrites) {
  ForgetSecrets();
  RegisterSecret("s3cret-token");
  std::ostringstream to;
  {
    SafeStream out(to);
    out << "a s3cr";
    out << 'e' << "t-token b s3c";
    EXPECT_EQ(to.str(), "a [secret] b ") << "an end that may be a secret's beginning waits";
    out << std::flush;
    EXPECT_EQ(to.str(), "a [secret] b s3c");
    out << Own{"\x1b[1ms3cret-token"} << "s3cret-";
  }
  EXPECT_EQ(to.str(), "a [secret] b s3c\x1b[1m[secret]s3cret-");
  ForgetSecrets();
}

}  // namespace
}  // namespace schedlens
