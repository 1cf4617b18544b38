#include "cli/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <vector>

#include "cli/http_request.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::chrono::milliseconds kDrain{1000};
constexpr std::size_t kBlock = 64 * 1024;

[[noreturn]] void Fail(const std::string& address, const std::string& why) {
  throw Error(ErrorKind::kFailed, fmt::format("cannot serve on {}: {}", address, why));
}

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

ListenAddress ParseListenAddress(const std::string& option, const std::string& text) {
  ListenAddress out;
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (colon != std::string::npos && colon > 0) out.host = text.substr(0, colon);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}: expected PORT, :PORT or HOST:PORT", option, text));
  }
  return out;
}

HttpServer::HttpServer(const ListenAddress& address, Handler handler, ServerLimits limits,
                       Witness witness)
    : host_(address.host),
      handler_(std::move(handler)),
      limits_(limits),
      witness_(std::move(witness)) {
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
  socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  const bool ok =
      socket_ >= 0 && setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
      bind(socket_, found->ai_addr, found->ai_addrlen) == 0 && listen(socket_, SOMAXCONN) == 0;
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

HttpServer::~HttpServer() {
  for (Client& client : clients_) Close(client);
  close(socket_);
}

std::string HttpServer::address() const { return fmt::format("{}:{}", host_, port_); }

/// Until the next deadline, or as long as the caller waits.
int HttpServer::WaitFor(int milliseconds) const {
  auto wait = std::chrono::milliseconds(milliseconds);
  const auto now = Clock::now();
  for (const Client& client : clients_) {
    wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(client.until - now));
  }
  if (clients_.size() >= limits_.connections) wait = std::min(wait, limits_.patience);
  return static_cast<int>(std::max<std::int64_t>(wait.count(), 0));
}

void HttpServer::Serve(int milliseconds) {
  std::vector<pollfd> ready;
  for (const Client& client : clients_) {
    const short events = client.state == State::kWriting ? POLLOUT : POLLIN;
    ready.push_back({client.socket, events, 0});
  }
  const bool room = clients_.size() < limits_.connections || Slowest() != clients_.end();
  ready.push_back({room ? socket_ : -1, POLLIN, 0});
  if (poll(ready.data(), ready.size(), WaitFor(milliseconds)) < 0) return;
  std::size_t at = 0;
  for (Client& client : clients_) {
    if (ready[at++].revents != 0) Work(client);
    if (client.socket >= 0 && Clock::now() >= client.until) Expire(client);
  }
  clients_.remove_if([](const Client& client) { return client.socket < 0; });
  if (ready.back().revents != 0) Accept();
}

/// The client that has been sending its request for the longest time, if that is too long.
std::list<HttpServer::Client>::iterator HttpServer::Slowest() {
  // In the order of their coming.
  const auto slow = std::find_if(clients_.begin(), clients_.end(), [](const Client& client) {
    return client.state == State::kReading;
  });
  const bool patient = slow == clients_.end() || Clock::now() - slow->since < limits_.patience;
  return patient ? clients_.end() : slow;
}

void HttpServer::Accept() {
  if (const auto slow = Slowest();
      clients_.size() >= limits_.connections && slow != clients_.end()) {
    Close(*slow);
    clients_.erase(slow);
  }
  while (clients_.size() < limits_.connections) {
    const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return;
    const auto now = Clock::now();
    clients_.push_back(
        {.socket = client, .in = {}, .out = {}, .since = now, .until = now + limits_.request});
    Read(clients_.back());  // most requests are there already
    if (clients_.back().socket < 0) clients_.pop_back();
  }
}

void HttpServer::Work(Client& client) {
  switch (client.state) {
    case State::kReading:
      return Read(client);
    case State::kWriting:
      return Write(client);
    case State::kDraining:
      return Drain(client);
  }
}

void HttpServer::Read(Client& client) {
  static thread_local char block[kBlock];
  while (client.state == State::kReading) {
    const ssize_t got = recv(client.socket, block, sizeof(block), 0);
    if (got < 0 && WouldBlock(errno)) return;
    if (got <= 0) return Close(client);
    std::size_t held = static_cast<std::size_t>(got);
    for (const Client& other : clients_) held += other.in.size();
    if (held > limits_.all_bytes) return Reply(client, {.status = 503, .body = "try later\n"});
    client.in.append(block, static_cast<std::size_t>(got));
    TakeRequest(client);
    if (client.socket < 0) return;
  }
}

/// Answers once the request is there whole.
void HttpServer::TakeRequest(Client& client) {
  RequestHead head = ReadRequestHead(client.in);
  if (head.bytes == 0 && client.in.size() <= limits_.head_bytes) return;
  if (head.bytes == 0 || head.bytes > limits_.head_bytes) {
    return Reply(client, {.status = 431, .body = "headers too large\n"});
  }
  if (head.refused != 0) return Reply(client, {.status = head.refused, .body = "bad request\n"});
  if (head.body_bytes > limits_.body_bytes) {
    return Reply(client,
                 {.status = 413, .body = fmt::format("at most {} bytes\n", limits_.body_bytes)});
  }
  if (client.in.size() < head.bytes + head.body_bytes) {
    if (!head.wants_to_go_on || client.told_to_go_on) return;
    client.told_to_go_on = true;
    constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    if (send(client.socket, kGoOn.data(), kGoOn.size(), MSG_NOSIGNAL) < 0) Close(client);
    return;
  }
  head.request.body = client.in.substr(head.bytes, head.body_bytes);
  WebReply reply;
  try {
    reply = handler_(head.request);
  } catch (const std::exception& error) {
    Tell(500, error.what());
    reply = {.status = 500, .body = "failed here: see the log\n"};
  }
  Reply(client, reply, head.request.method != "HEAD");
}

void HttpServer::Reply(Client& client, const WebReply& reply, bool with_body) {
  if (reply.status >= 400 && reply.status != 500) Tell(reply.status, reply.body);
  client.in = std::string();
  client.out = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      reply.status, StatusText(reply.status), reply.type, reply.body.size(),
      with_body ? reply.body : "");
  client.state = State::kWriting;
  client.until = Clock::now() + limits_.request;
  Write(client);
}

void HttpServer::Tell(int status, const std::string& why) const {
  if (witness_) witness_(status, why);
}

void HttpServer::Write(Client& client) {
  while (client.sent < client.out.size()) {
    const ssize_t sent = send(client.socket, client.out.data() + client.sent,
                              client.out.size() - client.sent, MSG_NOSIGNAL);
    if (sent < 0 && WouldBlock(errno)) return;
    if (sent <= 0) return Close(client);
    client.sent += static_cast<std::size_t>(sent);
  }
  // What the client still sends must be read, or the answer is lost in a reset.
  client.out = std::string();
  shutdown(client.socket, SHUT_WR);
  client.state = State::kDraining;
  client.until = Clock::now() + kDrain;
  Drain(client);
}

void HttpServer::Drain(Client& client) {
  static thread_local char block[kBlock];
  const ssize_t got = recv(client.socket, block, sizeof(block), 0);
  if (got == 0 || (got < 0 && !WouldBlock(errno))) Close(client);
}

void HttpServer::Expire(Client& client) {
  if (client.state == State::kReading && !client.in.empty()) {
    return Reply(client, {.status = 408, .body = "too slow\n"});
  }
  Close(client);
}

void HttpServer::Close(Client& client) {
  close(client.socket);
  client.socket = -1;
}

}  // namespace schedlens
