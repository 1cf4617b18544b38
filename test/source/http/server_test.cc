#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/http/client.h"

namespace schedlens {
namespace {

TEST(Server, ApiUrlsKeepThePrefixAndDropWhatBrowsersShow) {
  struct Case {
    const char* url;
    const char* want;
  };
  for (const Case& c : {
           Case{"localhost:9090", "http://localhost:9090/api/v1/query"},
           Case{"http://h:9090/", "http://h:9090/api/v1/query"},
           Case{"https://h/prom/", "https://h:443/prom/api/v1/query"},
           Case{"http://h/prom/graph?g0.expr=up", "http://h:80/prom/api/v1/query"},
           Case{"http://h/prometheus/api/v1/", "http://h:80/prometheus/api/v1/query"},
           Case{"http://u:p%40@h/x", "http://u:p%40@h:80/x/api/v1/query"},
           Case{"http://h:8428/vmui", "http://h:8428/api/v1/query"},
           Case{"http://h/select/0/prometheus/vmui/#/?g0.expr=up",
                "http://h:80/select/0/prometheus/api/v1/query"},
           Case{"unix:/run/p.sock", "unix:/run/p.sock:/api/v1/query"},
           Case{"unix:/run/p.sock:/x/", "unix:/run/p.sock:/x/api/v1/query"},
       }) {
    EXPECT_EQ(ApiUrl(c.url, "/api/v1/query"), c.want);
  }
  EXPECT_THROW(ApiUrl("ftp://h", "/"), Error);
}

TEST(Server, OptionsBecomeHeadersAndLimits) {
  SourceOptions options;
  options.headers = {"X-A: one: two", "X-B:"};
  options.tenant = "team-a";
  options.total_timeout_seconds = 7;
  const HttpOptions http = HttpOptionsOf(options);
  const std::vector<std::pair<std::string, std::string>> want = {
      {"X-A", "one: two"}, {"X-B", ""}, {"X-Scope-OrgID", "team-a"}, {"THANOS-TENANT", "team-a"}};
  EXPECT_EQ(http.headers, want);
  EXPECT_EQ(http.query_timeout_seconds, 7);
}

TEST(Server, MalformedHeadersAreRefusedWithoutShowingThem) {
  for (const char* header : {"hunter2", ": hunter2", "A b: hunter2", "A: x\r\nB: hunter2"}) {
    SourceOptions options;
    options.headers = {header};
    try {
      HttpOptionsOf(options);
      FAIL() << header;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(std::string(error.what()).find("hunter2"), std::string::npos);
    }
  }
}

TEST(Server, WhoAnswersIsReadFromTheBuildInfo) {
  struct Case {
    const char* body;
    const char* kind;
    const char* semantics;
    bool known;
  };
  for (
      const Case& c : {
          Case{R"({"status":"success","data":{"version":"2.42.0+ds","revision":"r","branch":"b",)"
               R"("buildUser":"u","buildDate":"d","goVersion":"go1.19.8"}})",
               "prometheus", "2.42", true},
          Case{
              R"({"status":"success","data":{"version":"3.5.1","revision":"r","goVersion":"go1"}})",
              "prometheus", "3.5", true},
          Case{R"({"status":"success","data":{"version":"2.24.0"}})", "victoriametrics",
               "victoriametrics", false},
          Case{R"({"status":"success","data":{"version":"0.31.0","revision":"r","goVersion":"g"}})",
               "thanos", "3.15", false},
          Case{R"({"status":"success","data":{"application":"Grafana Mimir","version":"2.9.0",)"
               R"("revision":"r","goVersion":"g"}})",
               "mimir", "3.15", false},
          Case{R"({"status":"success","data":{"version":"weird","revision":"r"}})", "unknown",
               "3.15", false},
          Case{R"({"data":{"version":7}})", "unknown", "3.15", false},
          Case{"<html>", "unknown", "3.15", false},
          Case{"", "unknown", "3.15", false},
      }) {
    const SourceInfo server = ReadBuildInfo(c.body);
    EXPECT_EQ(server.kind, c.kind) << c.body;
    EXPECT_EQ(ToString(server.semantics), c.semantics) << c.body;
    EXPECT_EQ(server.exact, c.known) << c.body;
  }
}

}  // namespace
}  // namespace schedlens
