#include "source/http/client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/work_budget.h"
#include "schedlens/error.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

using test::FakeReply;
using test::FakeRequest;
using test::FakeServer;
using test::Http;

HttpOptions Quick() {
  HttpOptions options;
  options.first_backoff_seconds = 0.001;
  options.query_timeout_seconds = 20;
  options.total_timeout_seconds = 300;
  return options;
}

HttpRequest Get(const std::string& url) {
  HttpRequest request;
  request.url = url;
  request.what = "query up";
  return request;
}

ProxyConfig By(const FakeServer& proxy, const std::string& not_for = "",
               std::vector<std::pair<std::string, std::string>> headers = {}) {
  return {.url = proxy.url(),
          .no_proxy = not_for,
          .from_environment = false,
          .connect_headers = std::move(headers)};
}

/// Kind and message of what the call throws; kind 0 when it throws nothing.
std::pair<int, std::string> Failure(HttpOptions options, const HttpRequest& request) {
  try {
    HttpClient client(std::move(options));
    client.Fetch(request);
  } catch (const Error& error) {
    return {static_cast<int>(error.kind()), error.what()};
  }
  return {0, ""};
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(HttpClient, AnswersInTheOrderAskedWithFourInFlight) {
  // Every answer waits until four requests are being answered, or none would ever come.
  std::atomic<int> inside{0};
  std::atomic<bool> four{false};
  FakeServer server([&](const FakeRequest& request) {
    if (++inside == 4) four = true;
    while (!four) std::this_thread::yield();
    return Http(200, request.target);
  });
  std::vector<HttpRequest> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(Get(fmt::format("{}/{}", server.url(), i)));
  HttpClient client(Quick());
  const auto answers = client.FetchAll(requests);
  ASSERT_EQ(answers.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(answers[i].body, fmt::format("/{}", i));
  EXPECT_LE(server.most_at_once(), 4);
}

TEST(HttpClient, TriesAgainWhatMayPass) {
  for (const int status : {429, 502, 503, 504}) {
    std::atomic<int> count{0};
    FakeServer server([&](const FakeRequest&) {
      return ++count <= 2 ? Http(status, "busy") : Http(200, "fine");
    });
    HttpClient client(Quick());
    EXPECT_EQ(client.Fetch(Get(server.url())).body, "fine") << status;
    EXPECT_EQ(count, 3);
  }
}

TEST(HttpClient, ABrokenConnectionIsTriedAgainAndItsPieceForgotten) {
  std::atomic<int> count{0};
  FakeServer server([&](const FakeRequest&) {
    if (++count > 2) return Http(200, "whole");
    FakeReply reply = Http(200, "0123456789");
    reply.bytes.resize(reply.bytes.size() - 5);
    reply.reset = count == 1;
    reply.close = count == 2;
    return reply;
  });
  std::string seen;
  HttpRequest request = Get(server.url());
  request.sink = [&](std::string_view piece) { seen += piece; };
  request.restart = [&] { seen.clear(); };
  HttpClient client(Quick());
  client.Fetch(request);
  EXPECT_EQ(seen, "whole");
}

TEST(HttpClient, AnAnswerCutWithinItsHeadersIsTriedAgain) {
  const std::string whole = Http(200, "whole").bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::atomic<int> count{0};
    FakeServer server([&](const FakeRequest&) {
      FakeReply reply{.bytes = whole};
      if (++count == 1) reply.bytes.resize(size);
      reply.close = true;
      return reply;
    });
    HttpClient client(Quick());
    const HttpAnswer answer = client.Fetch(Get(server.url()));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "whole") << size;
    EXPECT_EQ(count, 2) << size;
  }
}

TEST(HttpClient, GivesUpAfterFourTries) {
  FakeServer server([](const FakeRequest&) { return Http(503, "down"); });
  HttpClient client(Quick());
  const HttpAnswer answer = client.Fetch(Get(server.url()));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "down");
  EXPECT_EQ(server.requests(), 4);
}

TEST(HttpClient, OtherStatusesAreAnsweredOnceAndReturned) {
  for (const int status : {400, 404, 422, 500}) {
    FakeServer server([&](const FakeRequest&) { return Http(status, "no"); });
    HttpClient client(Quick());
    EXPECT_EQ(client.Fetch(Get(server.url())).status, status);
    EXPECT_EQ(server.requests(), 1);
  }
}

TEST(HttpClient, RefusedAccessIsItsOwnKind) {
  for (const int status : {401, 403}) {
    FakeServer server([&](const FakeRequest&) { return Http(status, "no"); });
    const auto [kind, message] = Failure(
        Quick(), Get("http://me:hunter2@127.0.0.1:" + std::to_string(server.port()) + "/x?q=up"));
    EXPECT_EQ(kind, 4);
    EXPECT_NE(message.find(std::to_string(status)), std::string::npos);
    EXPECT_EQ(message.find("hunter2"), std::string::npos);
    EXPECT_EQ(server.requests(), 1);
  }
}

TEST(HttpClient, RetryAfterIsHonoured) {
  std::atomic<int> count{0};
  FakeServer server([&](const FakeRequest&) {
    return ++count == 1 ? Http(429, "", "Retry-After: 1\r\n") : Http(200, "fine");
  });
  HttpClient client(Quick());
  std::string body;
  EXPECT_GE(Seconds([&] { body = client.Fetch(Get(server.url())).body; }), 1.0);
  EXPECT_EQ(body, "fine");
}

TEST(HttpClient, ARetryAfterBeyondTheTimeLeftEndsAtOnce) {
  FakeServer server([](const FakeRequest&) { return Http(429, "", "Retry-After: 86400\r\n"); });
  EXPECT_EQ(Failure(Quick(), Get(server.url())).first, 124);
  EXPECT_EQ(server.requests(), 1);
}

TEST(HttpClient, TimeLimitsHoldForHangsAndSlowTrickles) {
  for (const bool hang : {true, false}) {
    FakeServer server([&](const FakeRequest&) {
      FakeReply reply = Http(200, std::string(1000, 'x'));
      reply.hang = hang;
      if (hang) reply.bytes.clear();
      reply.dribble_ms = 20;
      return reply;
    });
    HttpOptions options = Quick();
    options.query_timeout_seconds = 0.4;
    std::pair<int, std::string> failure;
    const double seconds = Seconds([&] { failure = Failure(options, Get(server.url())); });
    EXPECT_EQ(failure.first, 124) << failure.second;
    EXPECT_GE(seconds, 0.36);
    EXPECT_EQ(server.requests(), 1) << "a timeout is not tried again";
  }
}

TEST(HttpClient, TheTotalLimitCountsFromConstruction) {
  FakeServer server([](const FakeRequest&) { return Http(503, "busy"); });
  HttpOptions options = Quick();
  options.total_timeout_seconds = 0.3;
  options.tries = 1000;
  options.first_backoff_seconds = 0.05;
  EXPECT_EQ(Failure(options, Get(server.url())).first, 124);
}

TEST(HttpClient, InterruptionEndsAHang) {
  FakeServer server([](const FakeRequest&) { return FakeReply{.bytes = "", .hang = true}; });
  Interrupt(true);
  EXPECT_EQ(Failure(Quick(), Get(server.url())).first, 130);
  Interrupt(false);
}

TEST(HttpClient, WhatIsCompleteWhenAnotherFailsIsHandedOut) {
  std::atomic<bool> open{false};
  FakeServer server([&](const FakeRequest& request) {
    while (request.target != "/gate" && !open) std::this_thread::yield();
    return Http(200, "x");
  });
  HttpOptions options = Quick();
  options.concurrency = 3;
  std::vector<HttpRequest> requests = {Get(server.url() + "/fails"), Get(server.url() + "/right"),
                                       Get(server.url() + "/gate")};
  bool right = false;
  requests[0].done = [](const HttpAnswer&) { throw Error(ErrorKind::kFailed, "not this one"); };
  requests[1].done = [&](const HttpAnswer&) { right = true; };
  // While the client is busy here, the two others get their answers: it finds both at once.
  requests[2].done = [&](const HttpAnswer&) {
    open = true;
    while (server.answered() < 3) std::this_thread::yield();
  };
  EXPECT_THROW(HttpClient(options).FetchAll(requests), Error);
  EXPECT_TRUE(right);
}

TEST(HttpClient, UnreachableServersAreNamed) {
  int port = 0;
  {
    port = FakeServer([](const FakeRequest&) { return Http(200, ""); }).port();
  }
  const auto [kind, message] = Failure(Quick(), Get(fmt::format("http://127.0.0.1:{}/prom", port)));
  EXPECT_EQ(kind, 1);
  EXPECT_NE(message.find("cannot connect"), std::string::npos) << message;
  EXPECT_NE(message.find(fmt::format("http://127.0.0.1:{}/prom", port)), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(HttpClient, AnAnswerOverTheLimitEnds) {
  FakeServer server([](const FakeRequest&) { return Http(200, std::string(3 << 20, 'x')); });
  HttpOptions options = Quick();
  options.max_answer_bytes = 1 << 20;
  const auto [kind, message] = Failure(options, Get(server.url()));
  EXPECT_EQ(kind, 1);
  EXPECT_NE(message.find("larger than the limit of 1 MiB"), std::string::npos) << message;
}

/// What comes out of the inner packing is what curl would tell of: the outer one alone could be
/// endless.
TEST(HttpClient, AnAnswerThatIsPackedTwiceIsRefused) {
  const std::string twice = Gzip(Gzip(std::string(3 << 20, 'x')));
  for (const char* headers :
       {"Content-Encoding: gzip, gzip\r\n", "content-encoding: gzip\r\nContent-Encoding: gzip\r\n",
        "Content-Encoding: x-gzip,deflate\r\n",
        "Transfer-Encoding: gzip\r\nContent-Encoding: br\r\n"}) {
    FakeServer server([&](const FakeRequest&) { return Http(200, twice, headers); });
    const auto [kind, message] = Failure(Quick(), Get(server.url()));
    EXPECT_EQ(kind, 1);
    EXPECT_NE(message.find("compressed more than once"), std::string::npos) << message;
  }
  FakeServer once([](const FakeRequest&) {
    return Http(200, Gzip("all"), "Content-Encoding: gzip, identity\r\n");
  });
  EXPECT_EQ(HttpClient(Quick()).Fetch(Get(once.url())).body, "all");
}

TEST(HttpClient, APackedAnswerAndAnErrorsPageHaveTheLimitToo) {
  const std::string packed = Gzip(std::string(3 << 20, 'x'));
  for (const int status : {200, 500}) {
    FakeServer server(
        [&](const FakeRequest&) { return Http(status, packed, "Content-Encoding: gzip\r\n"); });
    HttpOptions options = Quick();
    options.max_answer_bytes = 1 << 20;
    EXPECT_NE(Failure(options, Get(server.url())).second.find("larger than the limit of 1 MiB"),
              std::string::npos);
  }
}

/// Every way to hand a client a secret.
HttpOptions Secretive() {
  HttpOptions options = Quick();
  options.access.authorization = "Bearer secret-token";
  options.access.headers = {{"X-Api-Key", "secret-key"}, {"Cookie", "sid=secret-cookie"}};
  options.headers = {{"X-Scope-OrgID", "secret-tenant"}, {"Proxy-Authorization", "secret-proxy"}};
  return options;
}

/// What a request brought to a server, in one text.
std::string AsText(const FakeRequest& request) {
  std::string text = request.method + " " + request.target + "\n";
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\n";
  return text + request.body;
}

TEST(HttpClient, RedirectsKeepFormsAndNoSecretsForOtherOrigins) {
  std::string got;
  FakeServer target([&](const FakeRequest& request) {
    got = AsText(request);
    return Http(200, "there");
  });
  for (const int status : {301, 302, 303, 307, 308}) {
    FakeServer first([&](const FakeRequest& request) {
      EXPECT_NE(AsText(request).find("secret-token"), std::string::npos);
      return Http(status, "", "Location: " + target.url() + "/b\r\n");
    });
    HttpOptions options = Secretive();
    HttpRequest request = Get(first.url());
    request.form = "query=up";
    request.headers = {{"X-Own", "secret-own"}};
    EXPECT_EQ(HttpClient(options).Fetch(request).body, "there");
    EXPECT_TRUE(got.starts_with("POST /b\n")) << got;
    EXPECT_TRUE(got.ends_with("query=up")) << got;
    EXPECT_EQ(got.find("secret"), std::string::npos) << "another port is another origin: " << got;

    request.url = fmt::format("http://secret-user:secret-word@127.0.0.1:{}/", first.port());
    HttpClient(options).Fetch(request);
    EXPECT_EQ(got.find("authorization"), std::string::npos) << got;

    options.access.follow_redirects = false;
    EXPECT_EQ(HttpClient(options).Fetch(request).status, status);
  }
}

TEST(HttpClient, ARedirectWithinTheOriginKeepsTheSecrets) {
  std::string got;
  FakeServer server([&](const FakeRequest& request) {
    if (request.target == "/") return Http(302, "", "Location: /prometheus/\r\n");
    got = AsText(request);
    return Http(200, "there");
  });
  EXPECT_EQ(HttpClient(Secretive()).Fetch(Get(server.url() + "/")).body, "there");
  for (const char* secret : {"token", "key", "cookie", "tenant"}) {
    EXPECT_NE(got.find(fmt::format("secret-{}", secret)), std::string::npos) << got;
  }
}

TEST(HttpClient, WhatCameBackFromAnotherOriginIsNotTrustedAgain) {
  std::string got;
  std::string away;
  FakeServer first([&](const FakeRequest& request) {
    if (request.target == "/back") {
      got = AsText(request);
      return Http(200, "there");
    }
    return Http(302, "", "Location: " + away + "\r\n");
  });
  FakeServer other(
      [&](const FakeRequest&) { return Http(302, "", "Location: " + first.url() + "/back\r\n"); });
  away = other.url();
  HttpClient(Secretive()).Fetch(Get(first.url() + "/"));
  EXPECT_EQ(got.find("secret"), std::string::npos) << got;
}

TEST(HttpClient, ARefusalBehindARedirectSaysWhereTheSecretsStayed) {
  FakeServer target([](const FakeRequest&) { return Http(401, ""); });
  FakeServer first([&](const FakeRequest&) {
    return Http(302, "", "Location: " + target.url() + "/login?next=%2F\r\n");
  });
  const auto [kind, message] = Failure(Secretive(), Get(first.url()));
  EXPECT_EQ(kind, 4);
  EXPECT_NE(message.find("redirects to " + target.url() + "/login, where credentials"),
            std::string::npos)
      << message;
}

TEST(HttpClient, ARedirectedTryCountsOnceAndStartsOverWhenItFails) {
  std::atomic<int> count{0};
  FakeServer server([&](const FakeRequest& request) {
    if (request.target == "/") return Http(307, "", "Location: /a\r\n");
    return ++count < 4 ? Http(503, "busy") : Http(200, "fine");
  });
  EXPECT_EQ(HttpClient(Quick()).Fetch(Get(server.url() + "/")).body, "fine");
  EXPECT_EQ(server.requests(), 8);
}

TEST(HttpClient, EndlessRedirectsEnd) {
  FakeServer server([](const FakeRequest&) { return Http(302, "", "Location: /again\r\n"); });
  const auto [kind, message] = Failure(Quick(), Get(server.url()));
  EXPECT_EQ(kind, 1);
  EXPECT_NE(message.find("redirects"), std::string::npos);
}

TEST(HttpClient, CredentialsAndHeadersAreSent) {
  FakeRequest got;
  FakeServer server([&](const FakeRequest& request) {
    got = request;
    return Http(200, "");
  });
  HttpOptions options = Quick();
  options.access.basic_auth = BasicAuth{"me", "pass"};
  options.access.headers = {{"X-A", "1"}, {"X-Empty", ""}};
  options.headers = {{"X-Scope-OrgID", "team"}};
  HttpClient(options).Fetch(Get(server.url()));
  EXPECT_EQ(got.headers["authorization"], "Basic bWU6cGFzcw==");
  EXPECT_EQ(got.headers["x-a"], "1");
  EXPECT_TRUE(got.headers.contains("x-empty"));
  EXPECT_EQ(got.headers["x-scope-orgid"], "team");
  EXPECT_NE(got.headers["accept-encoding"].find("gzip"), std::string::npos);

  HttpClient(Quick()).Fetch(Get(fmt::format("http://u:p@127.0.0.1:{}", server.port())));
  EXPECT_EQ(got.headers["authorization"], "Basic dTpw");
}

TEST(HttpClient, ProxiesGetTheWholeUrl) {
  std::string target;
  FakeServer proxy([&](const FakeRequest& request) {
    target = request.target;
    return Http(200, "by proxy");
  });
  HttpOptions options = Quick();
  options.access.proxy = By(proxy, "direct.invalid");
  HttpClient client(options);
  EXPECT_EQ(client.Fetch(Get("http://prom.invalid:9090/x")).body, "by proxy");
  EXPECT_EQ(target, "http://prom.invalid:9090/x");
  EXPECT_EQ(Failure(options, Get("http://direct.invalid/x")).first, 1);
}

TEST(HttpClient, AProxyThatWantsCredentialsIsNamedSo) {
  FakeServer proxy([](const FakeRequest&) { return Http(407, "who are you"); });
  HttpOptions options = Quick();
  options.access.proxy = By(proxy);
  for (const char* url : {"http://prom.invalid:9090/x", "https://prom.invalid:9090/x"}) {
    const auto [kind, message] = Failure(options, Get(url));
    EXPECT_EQ(kind, static_cast<int>(ErrorKind::kAuth)) << url;
    EXPECT_EQ(message,
              fmt::format("query up ({}): the proxy wants a user and a password (407)", url));
  }
}

TEST(HttpClient, AProxyGetsHeadersOfItsOwn) {
  std::map<std::string, std::string> headers;
  FakeServer proxy([&](const FakeRequest& request) {
    headers = request.headers;
    return Http(403, "");
  });
  HttpOptions options = Quick();
  options.access.proxy = By(proxy, "", {{"X-Proxy", "a"}});
  EXPECT_NE(Failure(options, Get("https://prom.invalid/x")).first, 0);
  EXPECT_EQ(headers["x-proxy"], "a");
}

TEST(HttpClient, TheEnvironmentsProxyIsNotUsedForThisMachine) {
  FakeServer proxy([](const FakeRequest&) { return Http(200, "by proxy"); });
  FakeServer server([](const FakeRequest&) { return Http(200, "itself"); });
  const char* names[] = {"HTTP_PROXY", "http_proxy", "no_proxy", "NO_PROXY"};
  for (const char* name : names) unsetenv(name);
  setenv("HTTP_PROXY", proxy.url().c_str(), 1);
  HttpOptions options = Quick();
  options.access.proxy.from_environment = true;
  EXPECT_EQ(HttpClient(options).Fetch(Get(server.url())).body, "itself");
  EXPECT_EQ(HttpClient(options).Fetch(Get("http://prom.invalid:9090/x")).body, "by proxy");
  unsetenv("HTTP_PROXY");
}

TEST(HttpClient, TroubleWithTlsSaysWhatToLookAt) {
  FakeServer plain([](const FakeRequest&) { return Http(200, "no TLS here"); });
  const std::string url = fmt::format("https://127.0.0.1:{}/x", plain.port());
  HttpOptions options = Quick();
  options.access.tls.server_name = "prom.example";
  options.access.tls.min_version = "TLS12";
  options.access.tls.max_version = "TLS13";
  options.access.tls.ca_file = "/no/such/ca.pem";
  EXPECT_NE(Failure(options, Get(url)).second.find("check tls_config (ca_file,"),
            std::string::npos);
  options.access.tls = {};
  options.access.tls.cert = options.access.tls.key = "no PEM";
  options.access.origin = "context c of f";
  const std::string message = Failure(options, Get(url)).second;
  EXPECT_NE(message.find("TLS failed"), std::string::npos) << message;
  EXPECT_NE(message.find("check the certificates of context c of f"), std::string::npos) << message;
}

TEST(HttpClient, AServerThatHangsUpIsSaidToAfterTheLastTry) {
  FakeServer server([](const FakeRequest&) { return FakeReply{.bytes = "", .reset = true}; });
  HttpOptions options = Quick();
  options.access.origin = "context c of f";
  const std::string message = Failure(options, Get(server.url())).second;
  EXPECT_NE(message.find("(after 4 tries): if it goes on, check the credentials of context c of f"),
            std::string::npos)
      << message;
}

TEST(HttpClient, WhatIsNoUrlIsAMistakeOfTheUsers) {
  EXPECT_EQ(Failure(Quick(), Get("ftp://h/x")),
            std::pair(2, std::string("query up: not an http, https "
                                     "or unix URL")));
  EXPECT_NE(Failure(Quick(), Get("http://me:12/w@h/x")).second.find("write @ as %40"),
            std::string::npos);
}

TEST(HttpClient, UnixSockets) {
  const std::string path = fmt::format("{}/p.sock", ::testing::TempDir());
  std::filesystem::remove(path);
  FakeServer server([](const FakeRequest& request) { return Http(200, request.target); }, path);
  HttpClient client(Quick());
  EXPECT_EQ(client.Fetch(Get("unix:" + path + ":/prefix/api")).body, "/prefix/api");
}

TEST(HttpClient, ASocketThatIsNotThereIsNoPort) {
  HttpClient client(Quick());
  try {
    client.Fetch(Get("unix:/no/such/socket:/api"));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot connect to the socket"), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find("localhost"), std::string::npos) << error.what();
  }
}

TEST(HttpClient, LogsTriesWithoutSecrets) {
  FakeServer server([](const FakeRequest&) { return Http(200, "abc"); });
  std::string log;
  HttpOptions options = Quick();
  options.log = [&](const std::string& line) { log += line; };
  HttpClient(options).Fetch(Get(fmt::format("http://u:geheim@127.0.0.1:{}/a?q=b", server.port())));
  EXPECT_NE(log.find(fmt::format("GET http://127.0.0.1:{}/a -> 200", server.port())),
            std::string::npos)
      << log;
  EXPECT_EQ(log.find("geheim"), std::string::npos);
}

}  // namespace
}  // namespace schedlens
