#include "cli/http_request.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(HttpRequestHead, IsReadOnceItsBlankLineIsThere) {
  const std::string text =
      "POST /a?b HTTP/1.1\r\ncontent-LENGTH:  12 \r\nExpect: 100-Continue\r\n\r\n";
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(ReadRequestHead(text.substr(0, size)).bytes, 0u) << size;
  }
  const RequestHead head = ReadRequestHead(text + "body");
  EXPECT_EQ(head.bytes, text.size());
  EXPECT_EQ(head.request.method, "POST");
  EXPECT_EQ(head.request.path, "/a");
  EXPECT_EQ(head.body_bytes, 12u);
  EXPECT_TRUE(head.wants_to_go_on);
  EXPECT_EQ(head.refused, 0);
}

TEST(HttpRequestHead, SaysWhyItIsRefused) {
  EXPECT_EQ(ReadRequestHead("\r\n\r\n").refused, 400);
  EXPECT_EQ(ReadRequestHead("GET /\r\n\r\n").refused, 400);
  EXPECT_EQ(ReadRequestHead("GET / HTTP/1.0\r\nno colon\r\n\r\n").refused, 400);
  EXPECT_EQ(ReadRequestHead("POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n").refused, 400);
  EXPECT_EQ(ReadRequestHead("GET / HTTP/1.0\r\n\r\n").refused, 0);
}

TEST(HttpRequestHead, NamesItsStatuses) {
  EXPECT_EQ(StatusText(503), "Service Unavailable");
  EXPECT_EQ(StatusText(299), "Unknown");
}

}  // namespace
}  // namespace schedlens
