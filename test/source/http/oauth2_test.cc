#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/http/client.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

using test::FakeRequest;
using test::FakeServer;
using test::Http;

OAuth2Config Config(const std::string& url) {
  OAuth2Config config;
  config.client_id = "id";
  config.client_secret = "s&c";
  config.scopes = {"read", "more"};
  config.token_url = url + "/token";
  config.endpoint_params = {{"audience", "a b"}};
  return config;
}

HttpOptions QuickOptions() {
  HttpOptions options;
  options.first_backoff_seconds = 0.001;
  options.query_timeout_seconds = 20;
  return options;
}

TEST(OAuth2, TheClientIsNamedInTheHeader) {
  FakeRequest got;
  FakeServer server([&](const FakeRequest& request) {
    got = request;
    return Http(200, R"({"access_token":"tok","token_type":"bearer","expires_in":3600})");
  });
  EXPECT_EQ(FetchToken(Config(server.url()), QuickOptions()).authorization, "Bearer tok");
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.target, "/token");
  EXPECT_EQ(got.headers["authorization"], "Basic aWQ6cyUyNmM=");
  EXPECT_EQ(got.body, "grant_type=client_credentials&scope=read%20more&audience=a%20b");
}

TEST(OAuth2, OrInTheFormWhereTheServerWantsThat) {
  FakeServer server([&](const FakeRequest& request) {
    if (request.headers.contains("authorization")) return Http(401, "{}");
    EXPECT_NE(request.body.find("client_id=id&client_secret=s%26c"), std::string::npos);
    return Http(200, R"({"access_token":"tok"})");
  });
  EXPECT_EQ(FetchToken(Config(server.url()), QuickOptions()).authorization, "Bearer tok");
}

TEST(OAuth2, NoTokenIsAnErrorThatQuotesNothing) {
  for (const char* body : {"{}", "[]", "no json", R"({"access_token":7})", ""}) {
    FakeServer server([&](const FakeRequest&) { return Http(200, body); });
    try {
      FetchToken(Config(server.url()), QuickOptions());
      FAIL() << body;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kAuth);
      EXPECT_EQ(std::string(error.what()).find("s&c"), std::string::npos);
    }
  }
}

TEST(OAuth2, ATokenIsOneHeaderOfVisibleText) {
  for (const std::string& body :
       {std::string(R"({"access_token":"a\r\nX-Other: 1"})"),
        std::string(R"({"access_token":"a","token_type":"b\nX-Other: 1"})"),
        std::string(R"({"access_token":"a\u001b[31m"})"),
        std::string(R"({"access_token":"\u00e4"})"),
        R"({"access_token":")" + std::string(300'000, 'a') + R"("})"}) {
    FakeServer server([&](const FakeRequest&) { return Http(200, body); });
    EXPECT_THROW(FetchToken(Config(server.url()), QuickOptions()), Error) << body.substr(0, 60);
  }
}

TEST(OAuth2, NoRedirectIsFollowedNotEvenWithinTheHost) {
  for (const int status : {301, 302, 303, 307, 308}) {
    FakeServer other([](const FakeRequest&) { return Http(200, R"({"access_token":"tok"})"); });
    FakeServer server([&](const FakeRequest&) {
      return Http(status, "", "Location: " + other.url() + "/token\r\n");
    });
    try {
      FetchToken(Config(server.url()), QuickOptions());
      FAIL() << status;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("give the one behind it as token_url"),
                std::string::npos)
          << error.what();
    }
    EXPECT_EQ(server.requests(), 1);
    EXPECT_EQ(other.requests(), 0);
  }
}

TEST(OAuth2, TheClientSendsTheTokenAndRenewsAnExpiredOne) {
  std::atomic<int> tokens{0};
  FakeServer server([&](const FakeRequest& request) {
    if (request.target == "/token") {
      return Http(200, R"({"access_token":"t)" + std::to_string(++tokens) +
                           R"(","expires_in":1})");  // taken as expired: renewed ten seconds early
    }
    return Http(200, request.headers.at("authorization"));
  });
  HttpOptions options = QuickOptions();
  options.access.oauth2 = Config(server.url());
  HttpClient client(options);
  HttpRequest request;
  request.url = server.url() + "/api";
  request.what = "query up";
  EXPECT_EQ(client.Fetch(request).body, "Bearer t1");
  EXPECT_EQ(client.Fetch(request).body, "Bearer t2");
}

}  // namespace
}  // namespace schedlens
