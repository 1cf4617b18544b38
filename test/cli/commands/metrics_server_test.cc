#include "cli/commands/metrics_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Sends the request in the given pieces and reads the answer to its end.
std::string Ask(const MetricsServer& server, const std::vector<std::string>& pieces) {
  const std::string address = server.address();
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  for (const std::string& piece : pieces) {
    EXPECT_EQ(send(fd, piece.data(), piece.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(piece.size()));
  }
  shutdown(fd, SHUT_WR);
  std::string answer;
  char block[4096];
  for (ssize_t got = 0; (got = recv(fd, block, sizeof(block), 0)) > 0;) {
    answer.append(block, static_cast<std::size_t>(got));
  }
  close(fd);
  return answer;
}

std::string Serve(const std::string& page, const std::vector<std::string>& pieces) {
  MetricsServer server(ListenAddress(), [&] { return page; });
  std::string answer;
  std::thread client([&] { answer = Ask(server, pieces); });
  server.Serve(5000);
  client.join();
  return answer;
}

TEST(MetricsServer, AnswersTheOnePage) {
  const std::string answer = Serve("a 1\n", {"GET /met", "rics?x=1 HTTP/1.1\r\nHost: h\r\n\r\n"});
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("text/plain; version=0.0.4"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\na 1\n"));
  EXPECT_THAT(Serve("a 1\n", {"HEAD /metrics HTTP/1.1\r\n\r\n"}), testing::EndsWith("\r\n\r\n"));
}

TEST(MetricsServer, RefusesWhatItDoesNotServe) {
  EXPECT_THAT(Serve("a 1\n", {"GET / HTTP/1.1\r\n\r\n"}), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Serve("a 1\n", {"POST /metrics HTTP/1.1\r\n\r\n"}), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Serve("", {"GET /metrics HTTP/1.1\r\n\r\n"}), StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(Serve("a 1\n", {"GET /metrics"}), "") << "no end of the head";
}

TEST(MetricsServer, ReadsAddresses) {
  EXPECT_EQ(ParseListenAddress("9000").host, "127.0.0.1");
  EXPECT_EQ(ParseListenAddress(":9000").port, 9000);
  EXPECT_EQ(ParseListenAddress("0.0.0.0:80").host, "0.0.0.0");
  for (const char* bad : {"", "x", ":", "1:99999", "h:-1", "h:1x"}) {
    EXPECT_THROW(ParseListenAddress(bad), Error) << bad;
  }
}

TEST(MetricsServer, SaysWhenThePortIsTaken) {
  const MetricsServer first(ListenAddress(), [] { return ""; });
  try {
    const MetricsServer second(ParseListenAddress(first.address()), [] { return ""; });
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot serve on 127.0.0.1:"));
  }
}

}  // namespace
}  // namespace schedlens
