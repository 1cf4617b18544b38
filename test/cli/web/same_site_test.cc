#include <gtest/gtest.h>

#include "cli/web/server.h"

namespace schedlens {
namespace {

constexpr char kExternal[] = "https://schedlens.example.com/";

struct Row {
  const char* listen;
  const char* external;
  WebRequest request;
  int status;
};

WebRequest Post(const char* host, const char* origin = "", const char* site = "") {
  return {.method = "POST",
          .path = "/",
          .body = {},
          .host = host,
          .origin = origin,
          .fetch_site = site};
}

WebRequest Get(const char* path, const char* host, const char* origin = "") {
  WebRequest request = Post(host, origin);
  request.method = "GET";
  request.path = path;
  return request;
}

TEST(CheckSite, RefusesPagesOfOtherSitesAndOtherNames) {
  const Row rows[] = {
      // Alertmanager and curl say nothing of a page.
      {"9099", "", Post("localhost:9099"), 200},
      {"9099", "", Post("127.0.0.1:9099"), 200},
      {"9099", "", Post(""), 200},
      {"0.0.0.0:9099", "", Post("schedlens:9099"), 200},
      // Pages.
      {"9099", "", Post("localhost:9099", "http://evil.example"), 403},
      {"9099", "", Post("localhost:9099", "null"), 403},
      {"9099", "", Post("localhost:9099", "", "cross-site"), 403},
      {"9099", "", Post("localhost:9099", "", "same-site"), 403},
      {"9099", "", Post("localhost:9099", "http://localhost:9099", "same-origin"), 200},
      {"9099", "", Post("localhost:9099", "http://localhost:3000"), 403},
      {"0.0.0.0:9099", "", Post("schedlens:9099", "http://evil.example"), 403},
      {"0.0.0.0:9099", kExternal, Post("schedlens.example.com", "https://schedlens.example.com"),
       200},
      // A page may link here, but change nothing.
      {"9099", "", Get("/", "localhost:9099", "http://evil.example"), 200},
      // A name of somebody else's that leads here.
      {"9099", "", Post("evil.example:9099", "http://evil.example:9099"), 403},
      {"9099", "", Post("127.evil.example:9099"), 403},
      {"9099", "", Get("/", "evil.example:9099"), 403},
      {"[::1]:9099", "", Post("[::1]:9099"), 200},
      {"0.0.0.0:9099", kExternal, Post("evil.example:9099"), 403},
      {"0.0.0.0:9099", kExternal, Post("SCHEDLENS.example.com"), 200},
      {"0.0.0.0:9099", kExternal, Post("10.1.2.3:9099"), 200},
      {"9099", "", Post("10.1.2.3:9099"), 403},
      // Probes and scrapes go to whatever name they were given.
      {"0.0.0.0:9099", kExternal, Get("/metrics", "schedlens.monitoring.svc:9099"), 200},
      {"0.0.0.0:9099", kExternal, Get("/-/ready", "schedlens.monitoring.svc:9099"), 200},
  };
  for (const Row& row : rows) {
    const ListenAddress listen = ParseListenAddress("--listen", row.listen);
    EXPECT_EQ(CheckSite(row.request, listen, row.external).status, row.status)
        << row.listen << " " << row.external << " " << row.request.method << " " << row.request.path
        << " " << row.request.host << " " << row.request.origin << " " << row.request.fetch_site;
  }
}

}  // namespace
}  // namespace schedlens
