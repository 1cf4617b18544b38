#include "base/url.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(Url, TakesUrlsApart) {
  const Url url =
      ParseUrl("HTTPS://me:p%40ss@prom.example:8443/a/prom/graph?g0.expr=up&g0.tab=1#x").value();
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.user, "me");
  EXPECT_EQ(url.password, "p@ss");
  EXPECT_EQ(url.host, "prom.example");
  EXPECT_EQ(url.PortOrDefault(), 8443);
  EXPECT_EQ(url.path, "/a/prom/graph");
  EXPECT_EQ(url.query, "g0.expr=up&g0.tab=1");
  EXPECT_EQ(url.fragment, "x");
  EXPECT_EQ(url.WithoutSecrets(), "https://prom.example:8443/a/prom/graph");
}

TEST(Url, ReadsTheFormsPeopleType) {
  struct Case {
    const char* text;
    const char* printed;
    int port;
  };
  for (const Case& c :
       {Case{"localhost:9090", "http://localhost:9090", 9090},
        Case{"http://[::1]:9090/p", "http://[::1]:9090/p", 9090},
        Case{"https://h", "https://h", 443}, Case{"unix:/run/p.sock", "unix:/run/p.sock", 80},
        Case{"unix:///run/p.sock:/pre", "unix:/run/p.sock:/pre", 80},
        Case{"http://u@h/", "http://h/", 80}}) {
    const auto url = ParseUrl(c.text);
    ASSERT_TRUE(url) << c.text;
    EXPECT_EQ(url->WithoutSecrets(), c.printed);
    EXPECT_EQ(url->PortOrDefault(), c.port) << c.text;
  }
}

TEST(Url, RefusesWhatIsNone) {
  for (const char* text : {"", "http://", "ftp://h", "http://h:0", "http://h:99999", "http://h:x",
                           "http://a b", "http://[::1", "unix:relative", "http://[::1]x"}) {
    EXPECT_FALSE(ParseUrl(text)) << text;
  }
}

TEST(Url, PercentCodingIsUndone) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(PercentDecode(PercentEncode(all), true), all);
  EXPECT_EQ(PercentEncode("a b+c"), "a%20b%2Bc");
  EXPECT_EQ(PercentDecode("a+b%2Bc", true), "a b+c");
  EXPECT_EQ(PercentDecode("a+b", false), "a+b");
  EXPECT_EQ(PercentDecode("100%", true), "100%");
  EXPECT_EQ(PercentDecode("%zz%4", true), "%zz%4");
}

TEST(Url, QueryStringsKeepTheirOrder) {
  const auto pairs = ParseQueryString("g0.expr=up%3E1&&empty=&flag&g0.expr=b+c");
  const std::vector<std::pair<std::string, std::string>> want = {
      {"g0.expr", "up>1"}, {"empty", ""}, {"flag", ""}, {"g0.expr", "b c"}};
  EXPECT_EQ(pairs, want);
}

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
