#pragma once

// A server of the tests' own on a loopback port or a unix socket: it answers exactly the bytes a
// test says, and misbehaves exactly as a test says. Plain sockets, one thread a connection.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace schedlens::test {

struct FakeRequest {
  std::string method;
  std::string target;                          ///< path and query as sent
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

struct FakeReply {
  std::string bytes;    ///< sent as they are, status line and all
  std::string again{};  ///< then this, so many times, so that a large body needs no memory
  std::size_t times = 0;
  std::string tail{};  ///< then this
  bool reset = false;  ///< then the connection is reset
  bool hang = false;   ///< then nothing more comes until the peer gives up
  bool close = false;  ///< then the connection is closed in order
  int dribble_ms = 0;  ///< one byte every so often
};

inline FakeReply Http(int status, const std::string& body,
                      const std::string& headers = "Content-Type: application/json\r\n") {
  return {.bytes = "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers +
                   "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body};
}

class FakeServer {
 public:
  using Handler = std::function<FakeReply(const FakeRequest&)>;

  /// Listens on a free loopback port, or on `unix_path` when that is not empty.
  explicit FakeServer(Handler handler, const std::string& unix_path = "")
      : handler_(std::move(handler)) {
    if (::pipe(stop_pipe_) != 0) throw std::runtime_error("pipe");
    if (unix_path.empty()) {
      ListenLoopback();
    } else {
      ListenUnix(unix_path);
    }
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~FakeServer() {
    stopping_ = true;
    if (::write(stop_pipe_[1], "x", 1) != 1) std::abort();
    acceptor_.join();
    for (std::thread& thread : connections_) thread.join();
    ::close(listener_);
    ::close(stop_pipe_[0]);
    ::close(stop_pipe_[1]);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int requests() const { return requests_; }
  /// The last one that came; nothing in it before.
  FakeRequest last() const {
    const std::lock_guard<std::mutex> lock(last_mutex_);
    return last_;
  }
  /// How many replies have been sent whole.
  int answered() const { return answered_; }
  /// The most requests that were being answered at one moment.
  int most_at_once() const { return most_at_once_; }

 private:
  void ListenLoopback() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("cannot listen on loopback");
    }
    port_ = ntohs(address.sin_port);
  }

  void ListenUnix(const std::string& path) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(listener_, 64) != 0) {
      throw std::runtime_error("cannot listen on " + path);
    }
  }

  /// False when the server stops first.
  bool WaitReadable(int fd, int timeout_ms = -1) const {
    pollfd fds[2] = {{fd, POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}};
    ::poll(fds, 2, timeout_ms);
    return fds[1].revents == 0 && fds[0].revents != 0;
  }

  void Accept() {
    while (WaitReadable(listener_)) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd >= 0) connections_.emplace_back([this, fd] { Serve(fd); });
    }
  }

  bool ReadMore(int fd, std::string& buffer) const {
    if (!WaitReadable(fd)) return false;
    char block[16384];
    const ssize_t n = ::recv(fd, block, sizeof(block), 0);
    if (n <= 0) return false;
    buffer.append(block, static_cast<std::size_t>(n));
    return true;
  }

  bool ReadRequest(int fd, std::string& buffer, FakeRequest& request) const {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      if (!ReadMore(fd, buffer)) return false;
    }
    const std::string head = buffer.substr(0, end + 2);
    buffer.erase(0, end + 4);
    const std::size_t blank = head.find(' ');
    request.method = head.substr(0, blank);
    request.target = head.substr(blank + 1, head.find(' ', blank + 1) - blank - 1);
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t stop = head.find("\r\n", at);
      const std::string line = head.substr(at, stop - at);
      const std::size_t colon = line.find(':');
      std::string name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      std::size_t value = colon == std::string::npos ? line.size() : colon + 1;
      while (value < line.size() && line[value] == ' ') ++value;
      request.headers[name] = line.substr(value);
      at = stop + 2;
    }
    const std::size_t length = request.headers.contains("content-length")
                                   ? std::stoul(request.headers["content-length"])
                                   : 0;
    while (buffer.size() < length) {
      if (!ReadMore(fd, buffer)) return false;
    }
    request.body = buffer.substr(0, length);
    buffer.erase(0, length);
    return true;
  }

  static bool SendAll(int fd, const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t n = ::send(fd, data, size, MSG_NOSIGNAL);
      if (n <= 0) return false;
      data += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }

  bool Send(int fd, const FakeReply& reply) const {
    if (reply.dribble_ms == 0) {
      bool sent = SendAll(fd, reply.bytes.data(), reply.bytes.size());
      for (std::size_t i = 0; sent && i < reply.times; ++i) {
        sent = SendAll(fd, reply.again.data(), reply.again.size());
      }
      return sent && SendAll(fd, reply.tail.data(), reply.tail.size());
    }
    for (const char& c : reply.bytes) {
      pollfd stop{stop_pipe_[0], POLLIN, 0};
      if (::poll(&stop, 1, reply.dribble_ms) != 0 || !SendAll(fd, &c, 1)) return false;
    }
    return true;
  }

  void Serve(int fd) {
    std::string buffer;
    FakeRequest request;
    while (!stopping_ && ReadRequest(fd, buffer, request)) {
      ++requests_;
      const int now = ++at_once_;
      for (int most = most_at_once_;
           now > most && !most_at_once_.compare_exchange_weak(most, now);) {
      }
      {
        const std::lock_guard<std::mutex> lock(last_mutex_);
        last_ = request;
      }
      const FakeReply reply = handler_(request);
      const bool sent = Send(fd, reply);
      --at_once_;
      if (sent) ++answered_;
      if (reply.hang) WaitReadable(fd);
      if (reply.reset) {
        const linger now_or_never{1, 0};
        ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now_or_never, sizeof(now_or_never));
      }
      if (!sent || reply.reset || reply.hang || reply.close) break;
      request = {};
    }
    ::close(fd);
  }

  Handler handler_;
  mutable std::mutex last_mutex_;
  FakeRequest last_;
  int listener_ = -1;
  int port_ = 0;
  int stop_pipe_[2] = {-1, -1};
  std::atomic<bool> stopping_{false};
  std::atomic<int> requests_{0};
  std::atomic<int> answered_{0};
  std::atomic<int> at_once_{0};
  std::atomic<int> most_at_once_{0};
  std::thread acceptor_;
  std::list<std::thread> connections_;
};

}  // namespace schedlens::test
