#include <gtest/gtest.h>

#include "cli/options/source.h"
#include "schedlens/error.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

/// A Grafana that answers whoever has its token.
test::FakeServer Grafana() {
  return test::FakeServer([](const test::FakeRequest& request) {
    const auto token = request.headers.find("authorization");
    if (token == request.headers.end() || token->second != "Bearer t") return test::Http(401, "{}");
    if (request.target == "/api/v1/provisioning/alert-rules/r1") {
      return test::Http(200, R"({"condition":"B","data":[
          {"refId":"A","datasourceUid":"p1","model":{"expr":"sched:p99"}},
          {"refId":"B","datasourceUid":"__expr__","model":{"type":"threshold","expression":"A",
           "conditions":[{"evaluator":{"type":"gt","params":[3]}}]}}]})");
    }
    if (request.target == "/api/datasources/name/My%20Prom") {
      return test::Http(200, R"({"uid":"p2"})");
    }
    return test::Http(404, "{}");
  });
}

AlertRequest Linked(const std::string& url) {
  return {.alert = url, .webhook = {}, .webhook_name = {}};
}

TEST(FollowGrafana, ARulesPageIsItsExpressionAndItsDataSource) {
  test::FakeServer grafana = Grafana();
  AlertRequest request = Linked(grafana.url() + "/alerting/grafana/r1/view?orgId=1");
  SourceOptions source;
  source.headers = {"Authorization: Bearer t"};
  FollowGrafana(&request, &source);
  EXPECT_EQ(request.alert, "(sched:p99) > 3");
  EXPECT_EQ(source.prometheus, grafana.url() + "/api/datasources/proxy/uid/p1");

  request = Linked(grafana.url() + "/alerting/My%20Prom/pri%24My%20Prom%24f%24g%24Slow%241/view");
  source.prometheus.clear();
  FollowGrafana(&request, &source);
  EXPECT_EQ(request.alert, "Slow");
  EXPECT_TRUE(request.is_name);
  EXPECT_EQ(source.prometheus, grafana.url() + "/api/datasources/proxy/uid/p2");
}

TEST(FollowGrafana, KeepsAGivenSourceAndTellsWhoIsRefused) {
  test::FakeServer grafana = Grafana();
  const std::string page = grafana.url() + "/alerting/grafana/r1/view";
  AlertRequest request = Linked(page);
  SourceOptions source;
  source.headers = {"Authorization: Bearer t"};
  source.capture = "file.om";
  FollowGrafana(&request, &source);
  EXPECT_EQ(request.alert, "(sched:p99) > 3");
  EXPECT_EQ(source.prometheus, "");

  SourceOptions nobody;
  request = Linked(page);
  try {
    FollowGrafana(&request, &nobody);
    ADD_FAILURE() << "answered";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kAuth);
  }
}

TEST(FollowGrafana, CredentialsForAnotherServerAreNotSentToIt) {
  int asked = 0;
  test::FakeServer grafana([&](const test::FakeRequest&) {
    ++asked;
    return test::Http(401, "{}");
  });
  const std::string page = grafana.url() + "/alerting/grafana/r1/view";
  std::vector<SourceOptions> all(3);
  all[0].headers = {"Authorization: Bearer t"};
  all[1].tenant = "team";
  all[2].http_config_file = "http.yml";
  for (SourceOptions& source : all) {
    source.prometheus = "http://prom.example:9090";
    AlertRequest request = Linked(page);
    try {
      FollowGrafana(&request, &source);
      ADD_FAILURE() << "sent";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find("sent to no other server"), std::string::npos);
    }
  }
  EXPECT_EQ(asked, 0);
}

/// Who pastes a link types a header for it, or none: what settings hold is for another server.
TEST(FollowGrafana, CredentialsOfSettingsAreNotForALink) {
  int asked = 0;
  test::FakeServer grafana([&](const test::FakeRequest&) {
    ++asked;
    return test::Http(401, "{}");
  });
  for (const char* page : {"/alerting/grafana/r1/view",
                           "/alerting/My%20Prom/pri%24My%20Prom%24f%24g%24Slow%241/view"}) {
    SourceOptions source;
    source.headers = {"Authorization: Bearer t"};
    source.credentials_from = "config.yaml:3";
    AlertRequest request = Linked(grafana.url() + page);
    try {
      FollowGrafana(&request, &source);
      ADD_FAILURE() << "sent";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(std::string(error.what()),
                "--alert leads to " + grafana.url() +
                    ", and credentials from config.yaml:3 are sent to no server that only a link "
                    "names: give --prometheus, or the credentials for it on the command line");
    }
    EXPECT_EQ(asked, 0);
    source.credentials_from.clear();
    request = Linked(grafana.url() + page);
    EXPECT_THROW(FollowGrafana(&request, &source), Error) << "refused by the server";
    EXPECT_EQ(asked, 1);
    asked = 0;
  }
}

TEST(FollowGrafana, TheSameServerGetsThem) {
  test::FakeServer grafana = Grafana();
  AlertRequest request = Linked(grafana.url() + "/alerting/grafana/r1/view");
  SourceOptions source;
  source.headers = {"Authorization: Bearer t"};
  source.prometheus = grafana.url() + "/api/datasources/proxy/uid/p9";
  FollowGrafana(&request, &source);
  EXPECT_EQ(request.alert, "(sched:p99) > 3");
  EXPECT_EQ(source.prometheus, grafana.url() + "/api/datasources/proxy/uid/p9");
}

TEST(SameServer, IsSchemeHostAndPort) {
  EXPECT_TRUE(SameServer("http://h/a", "http://H:80/b?c"));
  EXPECT_TRUE(SameServer("h:9090", "http://u:p@h:9090"));
  EXPECT_FALSE(SameServer("http://h:9090", "http://h:3000"));
  EXPECT_FALSE(SameServer("http://h", "https://h"));
  EXPECT_FALSE(SameServer("http://h", "http://g"));
  EXPECT_FALSE(SameServer("unix:/run/a", "unix:/run/a"));
  EXPECT_FALSE(SameServer("", ""));
  EXPECT_FALSE(SameServer("kubernetes:a/b:9", "http://h"));
}

TEST(FollowGrafana, AnExplorePageIsItsDataSourceAndADashboardIsNone) {
  AlertRequest none;
  SourceOptions source;
  source.prometheus =
      "http://g/explore?left=%7B%22datasource%22:%22p1%22,%22queries%22:"
      "%5B%7B%22expr%22:%22up%22%7D%5D%7D";
  FollowGrafana(&none, &source);
  EXPECT_EQ(source.prometheus, "http://g/api/datasources/proxy/uid/p1");
  source.prometheus = "http://g/d/abc/board?from=now-1h&to=now";
  EXPECT_THROW(FollowGrafana(&none, &source), Error);
  source.prometheus = "http://prom:9090/";
  FollowGrafana(&none, &source);
  EXPECT_EQ(source.prometheus, "http://prom:9090/");
}

}  // namespace
}  // namespace schedlens
