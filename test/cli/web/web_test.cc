#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cli/http_exchange.h"
#include "cli/process.h"
#include "cli/web/server.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using test::Connect;
using test::Exchange;
using test::PostText;
using test::ReadToEnd;
using test::SendText;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

WebReply Echo(const WebRequest& request) {
  return {.status = 200, .body = request.method + " " + request.path + " " + request.body};
}

WebServerOptions Small(std::function<WebReply(const WebRequest&)> handler = Echo) {
  WebServerOptions options;
  options.handler = std::move(handler);
  options.limits.connections = 4;
  options.limits.body_bytes = 1000;
  options.limits.request = std::chrono::milliseconds(200);
  options.limits.patience = std::chrono::milliseconds(20);
  return options;
}

int PortOf(const WebServer& server) {
  return std::stoi(server.url().substr(server.url().rfind(':') + 1));
}

/// A server until the object goes.
class Running {
 public:
  explicit Running(WebServerOptions options) : server_(StartWebServer(std::move(options))) {}
  int port() const { return PortOf(*server_); }
  int Status(const std::string& request) const { return test::StatusOf(Exchange(port(), request)); }

 private:
  std::unique_ptr<WebServer> server_;
};

TEST(WebServer, AnswersOneRequestAConnection) {
  const Running server(Small());
  const std::string answer = Exchange(server.port(), "GET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nGET /a "));
  EXPECT_THAT(Exchange(server.port(), "HEAD / HTTP/1.1\r\n\r\n"), EndsWith("\r\n\r\n"));
  EXPECT_THAT(Exchange(server.port(), PostText("/w", "some body")), EndsWith("POST /w some body"));
}

TEST(WebServer, ARequestMayComeInPieces) {
  const Running server(Small());
  const std::string request = PostText("/w", "some body");
  for (std::size_t cut = 1; cut < request.size(); cut += 7) {
    const int fd = Connect(server.port());
    ASSERT_TRUE(SendText(fd, request.substr(0, cut)));
    ASSERT_TRUE(SendText(fd, request.substr(cut)));
    EXPECT_THAT(ReadToEnd(fd), EndsWith("POST /w some body"));
    close(fd);
  }
}

TEST(WebServer, RefusesWhatItCannotTake) {
  const Running server(Small());
  EXPECT_EQ(server.Status("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(server.Status("GET / HTTP/2\r\n\r\n"), 400);
  EXPECT_EQ(server.Status("POST / HTTP/1.1\r\n\r\n"), 411);
  EXPECT_EQ(server.Status("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
  EXPECT_EQ(server.Status("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(server.Status("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
            400);
  EXPECT_EQ(
      server.Status("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Encoding: gzip\r\n\r\na"),
      415);
  EXPECT_EQ(server.Status("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x')), 400);
  EXPECT_EQ(server.Status("GET /" + std::string(5000, 'x') + " HTTP/1.1\r\n\r\n"), 414);
  EXPECT_EQ(server.Status(PostText("/", std::string(1001, 'x'))), 413);
  EXPECT_EQ(server.Status(PostText("/", std::string(1 << 20, 'x'))), 413)
      << "the answer arrives though the body was not read";
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 10'000; ++i) many += "A: b\r\n";
  EXPECT_EQ(server.Status(many + "\r\n"), 400) << "a bounded head";
}

TEST(WebServer, ARangeDoesNotMultiplyTheAnswer) {
  const Running server(Small([](const WebRequest&) -> WebReply {
    return {.status = 200, .body = std::string(10'000, 'x')};
  }));
  std::string range = "GET / HTTP/1.1\r\nRange: bytes=0-";
  for (int i = 0; i < 1000; ++i) range += ",0-";
  EXPECT_LT(Exchange(server.port(), range + "\r\n\r\n").size(), 11'000u);
}

TEST(WebServer, TellsWhoAsksToGoOn) {
  const Running server(Small());
  const int fd = Connect(server.port());
  SendText(fd, "POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  char block[64];
  const ssize_t got = recv(fd, block, sizeof(block), 0);
  EXPECT_EQ(std::string(block, static_cast<std::size_t>(std::max<ssize_t>(got, 0))),
            "HTTP/1.1 100 Continue\r\n\r\n");
  SendText(fd, "ok");
  EXPECT_THAT(ReadToEnd(fd), EndsWith("POST / ok"));
  close(fd);
}

TEST(WebServer, AGuardIsAskedBeforeTheBodyIsRead) {
  WebServerOptions options = Small();
  options.guard = [](const WebRequest& request) -> WebReply {
    if (request.origin == "http://evil") return {.status = 403, .body = "no\n"};
    return {};
  };
  const Running server(std::move(options));
  EXPECT_THAT(Exchange(server.port(),
                       "POST / HTTP/1.1\r\nOrigin: http://evil\r\nContent-Length: 9\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 403 "), EndsWith("no\n")));
  EXPECT_EQ(server.Status("GET / HTTP/1.1\r\n\r\n"), 200);
}

TEST(WebServer, WhatTheHandlerThrowsOnlyTheWitnessLearns) {
  std::mutex mutex;
  std::vector<std::string> told;
  WebServerOptions options =
      Small([](const WebRequest&) -> WebReply { throw std::runtime_error("secret"); });
  options.witness = [&](int status, const std::string& why) {
    const std::lock_guard lock(mutex);
    told.push_back(std::to_string(status) + why);
  };
  const Running server(std::move(options));
  EXPECT_THAT(
      Exchange(server.port(), "GET / HTTP/1.1\r\n\r\n"),
      testing::AllOf(StartsWith("HTTP/1.1 500 "), EndsWith("\r\n\r\nfailed here: see the log\n")));
  EXPECT_EQ(server.Status("POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n"), 413);
  const std::lock_guard lock(mutex);
  EXPECT_THAT(told, testing::ElementsAre("500secret", "413at most 1000 bytes\n"));
}

TEST(WebServer, ASlowClientIsDropped) {
  const Running server(Small());
  for (const char* begun : {"", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"}) {
    const int fd = Connect(server.port());
    SendText(fd, begun);
    const std::string answer = ReadToEnd(fd);  // ends
    EXPECT_TRUE(answer.empty() || test::StatusOf(answer) == 400) << begun << answer;
    close(fd);
  }
}

TEST(WebServer, ADrippingClientHasNoMoreTimeThanOthers) {
  const Running server(Small());
  const int fd = Connect(server.port());
  const auto start = std::chrono::steady_clock::now();
  while (SendText(fd, "x") && std::chrono::steady_clock::now() - start < std::chrono::seconds(30)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // as slow as such clients are
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  close(fd);
}

TEST(WebServer, SlowClientsKeepNobodyOut) {
  WebServerOptions options = Small();
  options.limits.request = std::chrono::hours(1);
  const Running server(std::move(options));
  std::vector<int> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(Connect(server.port()));
    SendText(slow.back(), "GET / HT");
  }
  EXPECT_THAT(Exchange(server.port(), "GET /quick HTTP/1.1\r\n\r\n"), EndsWith("GET /quick "));
  for (const int fd : slow) close(fd);
}

TEST(WebServer, ReadsAddresses) {
  const auto text = [](const std::string& option) {
    return ParseListenAddress("--serve", option).Text();
  };
  EXPECT_EQ(text("9000"), "127.0.0.1:9000");
  EXPECT_EQ(text(":9000"), "127.0.0.1:9000");
  EXPECT_EQ(text("0.0.0.0:80"), "0.0.0.0:80");
  EXPECT_EQ(text("[::]:80"), "[::]:80");
  EXPECT_EQ(ParseListenAddress("--serve", "[::1]:80").host, "::1");
  for (const char* bad : {"", "x", ":", "1:99999", "h:-1", "h:1x", "::1:80", "[h]:80", "[]:80"}) {
    EXPECT_THROW(ParseListenAddress("--serve", bad), Error) << bad;
  }
  for (const char* loopback : {"80", "localhost:80", "127.0.0.2:80", "[::1]:80"}) {
    EXPECT_TRUE(ParseListenAddress("--serve", loopback).IsLoopback()) << loopback;
  }
  EXPECT_FALSE(ParseListenAddress("--serve", "[::]:80").IsLoopback());
}

TEST(WebServer, SaysWhenThePortIsTaken) {
  const Running first(Small());
  WebServerOptions options = Small();
  options.address.port = static_cast<std::uint16_t>(first.port());
  try {
    StartWebServer(std::move(options));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot serve on 127.0.0.1:"));
    EXPECT_THAT(error.what(), HasSubstr("in use"));
  }
}

Finished Curl(std::vector<std::string> words) {
  words.insert(words.begin(), {"curl", "-sS", "--max-time", "30", "-o", "-", "-w", "%{http_code}"});
  return RunProgram(words);
}

TEST(WebServer, ListensOnBothKindsOfAddresses) {
  if (!std::filesystem::exists("/proc/net/if_inet6")) GTEST_SKIP() << "no IPv6";
  WebServerOptions options = Small();
  options.address = ParseListenAddress("--listen", "[::]:0");
  const auto server = StartWebServer(std::move(options));
  EXPECT_THAT(server->url(), StartsWith("http://[::]:"));
  const std::string path = fmt::format(":{}/a", PortOf(*server));
  EXPECT_EQ(Curl({"-g", "http://[::1]" + path}).out, "GET /a 200");
  EXPECT_EQ(Curl({"http://127.0.0.1" + path}).out, "GET /a 200");
}

/// A certificate of its own for 127.0.0.1, as NAME.pem and NAME.key.
void MakeCertificate(const TempDir& dir, const std::string& name) {
  const Finished made =
      RunProgram({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                  dir / (name + ".key"), "-out", dir / (name + ".pem"), "-days", "2", "-subj",
                  "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1"});
  ASSERT_EQ(made.code, 0) << made.err;
}

constexpr char kUsers[] =  // `prom`: `pass:word`
    "basic_auth_users: {prom: $2b$04$abcdefghijklmnopqrstuu7govE5p0NSk1WUEk5C2Qm3hpPC6VJ66}\n";

TEST(WebServer, SpeaksTlsToUsersAndFollowsTheFile) {
  const TempDir dir;
  MakeCertificate(dir, "first");
  MakeCertificate(dir, "second");
  const auto write = [&](const std::string& name) {
    dir.Write("web.yml",
              fmt::format("tls_server_config: {{cert_file: {0}.pem, key_file: {0}.key}}\n"
                          "http_server_config: {{headers: {{X-Frame-Options: deny}}}}\n",
                          name) +
                  kUsers);
  };
  write("first");
  WebServerOptions options = Small();
  options.config = [&] { return ReadWebConfig(dir / "web.yml"); };
  const auto server = StartWebServer(std::move(options));
  EXPECT_THAT(server->url(), StartsWith("https://127.0.0.1:"));
  const auto ask = [&](std::vector<std::string> more) {
    more.push_back(server->url() + "/a");
    return Curl(more);
  };
  const std::string first = dir / "first.pem", second = dir / "second.pem";
  EXPECT_THAT(ask({"--cacert", first}).out, EndsWith("401"));
  EXPECT_THAT(ask({"--cacert", first, "-u", "prom:wrong"}).out, EndsWith("401"));
  EXPECT_THAT(ask({"--cacert", first, "-u", "other:pass:word"}).out, EndsWith("401"));
  for (int i = 0; i < 2; ++i) {
    const Finished right = ask({"--cacert", first, "-u", "prom:pass:word", "-i"});
    EXPECT_THAT(right.out, EndsWith("GET /a 200")) << right.err;
    EXPECT_THAT(right.out, HasSubstr("X-Frame-Options: deny"));
  }
  EXPECT_NE(ask({"--cacert", first, "--tls-max", "1.1"}).code, 0);
  EXPECT_THAT(ask({"--cacert", first, "-u", "prom:pass:word", "-d", "body"}).out,
              EndsWith("POST /a body200"));
  EXPECT_NE(ask({"--cacert", second}).code, 0);
  write("second");  // renewed
  EXPECT_EQ(ask({"--cacert", second, "-u", "prom:pass:word"}).out, "GET /a 200");
}

TEST(WebServer, AsksClientsForTheirCertificate) {
  const TempDir dir;
  MakeCertificate(dir, "server");
  MakeCertificate(dir, "client");
  MakeCertificate(dir, "stranger");
  dir.Write("web.yml",
            "tls_server_config: {cert_file: server.pem, key_file: server.key, "
            "client_ca_file: client.pem, client_auth_type: RequireAndVerifyClientCert}\n");
  WebServerOptions options = Small();
  options.config = [&] { return ReadWebConfig(dir / "web.yml"); };
  const auto server = StartWebServer(std::move(options));
  const auto as = [&](const std::string& who) {
    return Curl({"--cacert", dir / "server.pem", "--cert", dir / (who + ".pem"), "--key",
                 dir / (who + ".key"), server->url() + "/a"});
  };
  EXPECT_EQ(as("client").out, "GET /a 200");
  EXPECT_NE(as("stranger").code, 0);
  EXPECT_NE(Curl({"--cacert", dir / "server.pem", server->url()}).code, 0);
}

TEST(WebServer, ACertificateThatCannotBeUsedIsToldAtOnce) {
  const TempDir dir;
  MakeCertificate(dir, "one");
  MakeCertificate(dir, "other");
  for (const char* files :
       {"cert_file: none.pem, key_file: one.key", "cert_file: one.pem, key_file: other.key"}) {
    dir.Write("web.yml", fmt::format("tls_server_config: {{{}}}\n", files));
    WebServerOptions options = Small();
    options.config = [&] { return ReadWebConfig(dir / "web.yml"); };
    try {
      StartWebServer(std::move(options));
      ADD_FAILURE() << files;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("_file " + dir.path()));
    }
  }
}

}  // namespace
}  // namespace schedlens
