#include "cli/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cli/http_exchange.h"
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

/// A server in a thread of its own until the object goes.
class Running {
 public:
  explicit Running(HttpServer::Handler handler, ServerLimits limits = {})
      : server_(ListenAddress(), std::move(handler), limits), thread_([this] {
          while (!stop_) server_.Serve(10);
        }) {}
  ~Running() {
    stop_ = true;
    thread_.join();
  }
  int port() const {
    const std::string address = server_.address();
    return std::stoi(address.substr(address.rfind(':') + 1));
  }

 private:
  std::atomic<bool> stop_{false};
  HttpServer server_;
  std::thread thread_;
};

WebReply Echo(const WebRequest& request) {
  return {.status = 200, .body = request.method + " " + request.path + " " + request.body};
}

ServerLimits Small() {
  ServerLimits limits;
  limits.body_bytes = 1000;
  limits.request = std::chrono::milliseconds(200);
  limits.patience = std::chrono::milliseconds(20);
  return limits;
}

TEST(HttpServer, AnswersOneRequestAConnection) {
  const Running server(Echo, Small());
  const std::string answer = Exchange(server.port(), "GET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nGET /a "));
  EXPECT_THAT(Exchange(server.port(), "HEAD / HTTP/1.1\r\n\r\n"), EndsWith("\r\n\r\n"));
  EXPECT_THAT(Exchange(server.port(), PostText("/w", "some body")), EndsWith("POST /w some body"));
}

TEST(HttpServer, ARequestMayComeInPieces) {
  const Running server(Echo, Small());
  const std::string request = PostText("/w", "some body");
  for (std::size_t cut = 1; cut < request.size(); cut += 7) {
    const int fd = Connect(server.port());
    ASSERT_TRUE(SendText(fd, request.substr(0, cut)));
    ASSERT_TRUE(SendText(fd, request.substr(cut)));
    EXPECT_THAT(ReadToEnd(fd), EndsWith("POST /w some body"));
    close(fd);
  }
}

TEST(HttpServer, RefusesWhatItCannotTake) {
  const Running server(Echo, Small());
  const auto status = [&](const std::string& request) {
    return test::StatusOf(Exchange(server.port(), request));
  };
  EXPECT_EQ(status("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/2\r\n\r\n"), 505);
  EXPECT_EQ(status("POST / HTTP/1.1\r\n\r\n"), 411);
  EXPECT_EQ(status("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
  EXPECT_EQ(status("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(status("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x')), 431);
  EXPECT_EQ(status(PostText("/", std::string(1001, 'x'))), 413);
  EXPECT_EQ(status(PostText("/", std::string(1 << 20, 'x'))), 413)
      << "the answer arrives though the body was not read";
}

TEST(HttpServer, TellsWhoAsksToGoOn) {
  const Running server(Echo, Small());
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

TEST(HttpServer, WhatTheHandlerThrowsIsAnswered) {
  const Running server([](const WebRequest&) -> WebReply { throw std::runtime_error("no"); });
  EXPECT_THAT(
      Exchange(server.port(), "GET / HTTP/1.1\r\n\r\n"),
      testing::AllOf(StartsWith("HTTP/1.1 500 "), EndsWith("\r\n\r\nfailed here: see the log\n")));
}

TEST(HttpServer, AWitnessLearnsWhatIsRefusedAndWhy) {
  std::vector<std::string> told;
  HttpServer server(
      {}, [](const WebRequest&) -> WebReply { throw std::runtime_error("no"); }, Small(),
      [&](int status, const std::string& why) { told.push_back(std::to_string(status) + why); });
  const std::string address = server.address();
  const int port = std::stoi(address.substr(address.find(':') + 1));
  for (const char* request :
       {"POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"}) {
    const int fd = Connect(port);
    SendText(fd, request);
    const std::size_t before = told.size();
    for (int i = 0; i < 1000 && told.size() == before; ++i) server.Serve(100);
    close(fd);
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0], StartsWith("413at most"));
  EXPECT_EQ(told[1], "500no");
}

TEST(HttpServer, ASlowClientIsToldAndDropped) {
  const Running server(Echo, Small());
  const int fd = Connect(server.port());
  SendText(fd, "GET / HT");
  EXPECT_THAT(ReadToEnd(fd), StartsWith("HTTP/1.1 408 "));
  close(fd);
  const int silent = Connect(server.port());
  EXPECT_EQ(ReadToEnd(silent), "");
  close(silent);
}

TEST(HttpServer, SlowClientsKeepNobodyOut) {
  ServerLimits limits = Small();
  limits.connections = 4;
  limits.request = std::chrono::hours(1);
  const Running server(Echo, limits);
  std::vector<int> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(Connect(server.port()));
    SendText(slow.back(), "GET / HT");
  }
  EXPECT_THAT(Exchange(server.port(), "GET /quick HTTP/1.1\r\n\r\n"), EndsWith("GET /quick "));
  for (const int fd : slow) close(fd);
}

TEST(HttpServer, UnreadRequestsTogetherAreBounded) {
  ServerLimits limits = Small();
  limits.body_bytes = 100'000;
  limits.all_bytes = 50'000;
  limits.request = std::chrono::hours(1);
  const Running server(Echo, limits);
  const int first = Connect(server.port());
  SendText(first, PostText("/", std::string(40'000, 'x')).substr(0, 35'000));
  const std::string answer = Exchange(server.port(), PostText("/", std::string(60'000, 'y')));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 "));
  close(first);
}

TEST(HttpServer, ReadsAddresses) {
  EXPECT_EQ(ParseListenAddress("--serve", "9000").host, "127.0.0.1");
  EXPECT_EQ(ParseListenAddress("--serve", ":9000").port, 9000);
  EXPECT_EQ(ParseListenAddress("--serve", "0.0.0.0:80").host, "0.0.0.0");
  for (const char* bad : {"", "x", ":", "1:99999", "h:-1", "h:1x"}) {
    EXPECT_THROW(ParseListenAddress("--serve", bad), Error) << bad;
  }
}

TEST(HttpServer, SaysWhenThePortIsTaken) {
  const HttpServer first(ListenAddress(), Echo);
  try {
    const HttpServer second(ParseListenAddress("--listen", first.address()), Echo);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot serve on 127.0.0.1:"));
  }
}

}  // namespace
}  // namespace schedlens
