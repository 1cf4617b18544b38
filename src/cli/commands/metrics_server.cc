#include "cli/commands/metrics_server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr int kClientPatienceMs = 500;
constexpr std::size_t kLongestRequest = 16 * 1024;

[[noreturn]] void Fail(const std::string& address, const std::string& why) {
  throw Error(ErrorKind::kFailed, fmt::format("cannot serve on {}: {}", address, why));
}

// Reads until the blank line that ends the request's head. Empty if the client is too slow or sends
// too much.
std::string ReadHead(int client) {
  std::string head;
  char block[2048];
  while (head.find("\r\n\r\n") == std::string::npos && head.size() < kLongestRequest) {
    pollfd ready{client, POLLIN, 0};
    if (poll(&ready, 1, kClientPatienceMs) <= 0) return "";
    const ssize_t got = recv(client, block, sizeof(block), 0);
    if (got <= 0) return "";
    head.append(block, static_cast<std::size_t>(got));
  }
  return head;
}

void SendAll(int client, std::string_view text) {
  while (!text.empty()) {
    pollfd ready{client, POLLOUT, 0};
    if (poll(&ready, 1, kClientPatienceMs) <= 0) return;
    const ssize_t sent = send(client, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string Response(std::string_view status, std::string_view body, bool with_body) {
  return fmt::format(
             "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
             "Content-Length: {}\r\nConnection: close\r\n\r\n",
             status, body.size()) +
         std::string(with_body ? body : "");
}

}  // namespace

ListenAddress ParseListenAddress(const std::string& text) {
  ListenAddress out;
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (colon != std::string::npos && colon > 0) out.host = text.substr(0, colon);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--serve {}: expected PORT, :PORT or HOST:PORT", text));
  }
  return out;
}

MetricsServer::MetricsServer(const ListenAddress& address, Page page)
    : host_(address.host), page_(std::move(page)) {
  const std::string wanted = fmt::format("{}:{}", address.host, address.port);
  addrinfo hints = {};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int status =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (status != 0) Fail(wanted, gai_strerror(status));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  const bool ok = socket_ >= 0 &&
                  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
                  bind(socket_, found->ai_addr, found->ai_addrlen) == 0 && listen(socket_, 16) == 0;
  if (!ok) {
    const std::string why = std::strerror(errno);
    if (socket_ >= 0) close(socket_);
    Fail(wanted, why);
  }
  sockaddr_in bound = {};
  socklen_t size = sizeof(bound);
  getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &size);
  port_ = ntohs(bound.sin_port);
}

MetricsServer::~MetricsServer() { close(socket_); }

std::string MetricsServer::address() const { return fmt::format("{}:{}", host_, port_); }

void MetricsServer::Serve(int milliseconds) {
  pollfd ready{socket_, POLLIN, 0};
  if (poll(&ready, 1, milliseconds) <= 0) return;
  const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  Answer(client);
  close(client);
}

void MetricsServer::Answer(int client) {
  const std::string head = ReadHead(client);
  if (head.empty()) return;
  const std::string_view line = std::string_view(head).substr(0, head.find("\r\n"));
  const bool get = line.starts_with("GET ");
  if (!get && !line.starts_with("HEAD ")) {
    SendAll(client, Response("405 Method Not Allowed", "only GET\n", true));
    return;
  }
  std::string_view path = line.substr(line.find(' ') + 1);
  path = path.substr(0, path.find_first_of(" ?"));
  if (path != "/metrics") {
    SendAll(client, Response("404 Not Found", "see /metrics\n", get));
    return;
  }
  const std::string page = page_();
  SendAll(client, page.empty() ? Response("503 Service Unavailable", "the scheduler is down\n", get)
                               : Response("200 OK", page, get));
}

}  // namespace schedlens
