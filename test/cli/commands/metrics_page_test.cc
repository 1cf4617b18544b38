#include <gtest/gtest.h>

#include "cli/web/server.h"

namespace schedlens {
namespace {

WebReply Ask(const std::string& page, const std::string& method, const std::string& path) {
  WebRequest request;
  request.method = method;
  request.path = path;
  return MetricsPage([&] { return page; })(request);
}

TEST(MetricsPage, IsTheOnlyOne) {
  EXPECT_EQ(Ask("a 1\n", "GET", "/metrics").body, "a 1\n");
  EXPECT_EQ(Ask("a 1\n", "GET", "/metrics").type, kMetricsType);
  EXPECT_EQ(Ask("a 1\n", "GET", "/").status, 404);
  EXPECT_EQ(Ask("a 1\n", "POST", "/metrics").status, 405);
}

TEST(MetricsPage, IsNotThereWhileTheProcessIsDown) {
  EXPECT_EQ(Ask("", "GET", "/metrics").status, 503);
}

}  // namespace
}  // namespace schedlens
