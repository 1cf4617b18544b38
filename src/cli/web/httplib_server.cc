// cpp-httplib reads requests and writes answers; connections, and what a client may cost, are here.

#include "cli/web/httplib_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "cli/web/access.h"

namespace schedlens {
namespace {

using Clock = std::chrono::steady_clock;
using Tls = std::unique_ptr<SSL, decltype(&SSL_free)>;
using HandlerResponse = httplib::Server::HandlerResponse;

constexpr int kLookMs = 100;  // how soon a wait sees that it is no longer wanted
constexpr std::chrono::milliseconds kDrain{1000};
constexpr std::size_t kLongestPath = 1024;  // std::regex, which cpp-httplib asks, recurses over it

/// What the connections know of each other.
struct Load {
  std::atomic<std::size_t> busy{0};
  std::atomic<bool> stopping{false};
};

/// A client's bytes, up to a limit and a time.
class Connection : public httplib::Stream {
 public:
  Connection(int fd, const WebLimits& limits, const Load& load)
      : fd_(fd),
        limits_(limits),
        load_(load),
        left_(limits.head_bytes + limits.body_bytes),
        until_(since_ + limits.request) {}
  ~Connection() override { close(fd_); }

  bool Secure(SSL_CTX* context) {
    tls_.reset(SSL_new(context));
    if (!tls_ || SSL_set_fd(tls_.get(), fd_) != 1) return false;
    return Until(POLLIN, [&] { return SSL_accept(tls_.get()); }) > 0;
  }

  ssize_t read(char* to, std::size_t size) override {
    if (next_ == held_.size()) {
      held_.resize(std::min(left_, kBlock));
      const ssize_t got = held_.empty() ? -1 : Receive(held_.data(), held_.size());
      held_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      next_ = 0;
      left_ -= held_.size();
      if (got <= 0) return got;
    }
    const std::size_t size_now = std::min(size, held_.size() - next_);
    std::copy_n(held_.data() + next_, size_now, to);
    next_ += size_now;
    return static_cast<ssize_t>(size_now);
  }

  ssize_t write(const char* from, std::size_t size) override {
    if (!writing_) until_ = Clock::now() + limits_.request;
    writing_ = true;
    return Until(POLLOUT, [&] {
      return tls_ ? SSL_write(tls_.get(), from, static_cast<int>(std::min(size, kBlock)))
                  : send(fd_, from, size, MSG_NOSIGNAL);
    });
  }

  /// What the client still sends must be read, or the answer is lost in a reset.
  void End() {
    if (!writing_) return;
    if (tls_) SSL_shutdown(tls_.get());
    shutdown(fd_, SHUT_WR);
    until_ = Clock::now() + kDrain;
    char block[kBlock];
    while (WaitFor(POLLIN) && recv(fd_, block, sizeof(block), 0) > 0) continue;
  }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return fd_; }

 private:
  static constexpr std::size_t kBlock = 16384;

  ssize_t Receive(char* to, std::size_t size) {
    return Until(POLLIN, [&] {
      return tls_ ? SSL_read(tls_.get(), to, static_cast<int>(size)) : recv(fd_, to, size, 0);
    });
  }

  /// Takes the step again until it is done: its result. -1 when it fails or the time is over.
  template <class Step>
  ssize_t Until(short events, const Step& step) {
    for (;;) {
      ERR_clear_error();
      const ssize_t done = step();
      if (done > 0 || (done == 0 && !tls_)) return done;
      if (tls_) {
        const int why = SSL_get_error(tls_.get(), static_cast<int>(done));
        if (why == SSL_ERROR_ZERO_RETURN) return 0;
        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return -1;
        events = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
      } else if (errno != EAGAIN && errno != EINTR) {
        return -1;
      }
      if (!WaitFor(events)) return -1;
    }
  }

  bool WaitFor(short events) const {
    for (;;) {
      const auto now = Clock::now();
      const bool crowded = load_.busy >= limits_.connections && (events & POLLIN) != 0;
      if (load_.stopping || now >= (crowded ? std::min(until_, since_ + limits_.patience) : until_))
        return false;
      pollfd ready{fd_, events, 0};
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - now).count();
      if (poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, kLookMs))) > 0) return true;
    }
  }

  const int fd_;
  const WebLimits& limits_;
  const Load& load_;
  Tls tls_{nullptr, SSL_free};
  std::string held_;
  std::size_t next_ = 0, left_;
  bool writing_ = false;
  const Clock::time_point since_ = Clock::now();
  Clock::time_point until_;
};

class HttplibServer : public WebServer, private httplib::Server {
 public:
  HttplibServer(WebServerOptions options, int listening)
      : options_(std::move(options)), listening_(listening) {
    const WebConfig config = Config();
    if (config.tls) MakeTls(*config.tls);
    secure_ = config.tls.has_value();
    set_payload_max_length(options_.limits.body_bytes);
    set_pre_routing_handler([this](const auto& request, auto& response) {
      return Before(request, response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
    });
    Post(".*", Handler([this](const auto& request, auto& response) { Handle(request, response); }));
    set_error_handler(Handler([this](const auto&, auto& response) { Explain(response); }));
    set_logger([this](const auto&, const auto& response) {
      if (response.status >= 400 && response.status != 500) Tell(response.status, response.body);
    });
    // Signals are the main thread's.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (std::size_t i = 0; i < options_.limits.connections; ++i) {
      threads_.emplace_back([this] { Accept(); });
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~HttplibServer() override {
    load_.stopping = true;
    shutdown(listening_, SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
    close(listening_);
  }

  std::string url() const override {
    return (secure_ ? "https://" : "http://") + options_.address.Text();
  }

 private:
  WebConfig Config() const { return options_.config ? options_.config() : WebConfig(); }

  void Accept() {
    while (!load_.stopping) {
      const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd < 0) {  // no descriptors left, perhaps
        poll(nullptr, 0, kLookMs);
        continue;
      }
      ++load_.busy;
      try {
        Serve(fd);
      } catch (const std::exception& error) {
        Tell(500, error.what());
      }
      --load_.busy;
    }
  }

  void Serve(int fd) {
    Connection connection(fd, options_.limits, load_);
    const WebConfig config = Config();
    if (config.tls && !connection.Secure(MakeTls(*config.tls).get())) return;
    Current() = &config;
    bool closed = false;
    // A header may ask for the same bytes thousands of times.
    process_request(connection, true, closed, [](httplib::Request& request) {
      request.ranges.clear();
      request.headers.erase("Range");
    });
    connection.End();
  }

  /// The configuration of the connection that this thread serves.
  static const WebConfig*& Current() {
    static thread_local const WebConfig* current = nullptr;
    return current;
  }

  /// What must be known before a body is read, and all requests without one. True: it is answered.
  bool Before(const httplib::Request& request, httplib::Response& response) {
    for (const auto& [name, value] : Current()->headers) response.set_header(name, value);
    const auto refuse = [&](int status, const std::string& why) {
      Put({.status = status, .body = why}, response);
      return true;
    };
    if (!doorkeeper_.LetsIn(Current()->users, request.get_header_value("Authorization"))) {
      response.set_header("WWW-Authenticate", "Basic");
      return refuse(401, "no such user and password\n");
    }
    if (request.path.size() > kLongestPath) return refuse(414, "path too long\n");
    if (options_.guard) {
      const WebReply reply = options_.guard(Read(request));
      if (reply.status >= 400) return refuse(reply.status, reply.body);
    }
    if (request.method != "POST") {
      Handle(request, response);
      return true;
    }
    // Two lengths that differ are an attack on whoever passed the request on, and what is packed
    // has no bound.
    const std::string length = request.get_header_value("Content-Length");
    if (length.empty() || request.has_header("Transfer-Encoding")) {
      return refuse(411, "tell the body's length\n");
    }
    if (request.has_header("Content-Encoding")) return refuse(415, "not compressed, please\n");
    if (request.get_header_value_count("Content-Length") != 1 ||
        length.find_first_not_of("0123456789") != std::string::npos) {
      return refuse(400, "bad request\n");
    }
    return false;
  }

  void Handle(const httplib::Request& request, httplib::Response& response) const {
    try {
      Put(options_.handler(Read(request)), response);
    } catch (const std::exception& error) {
      Tell(500, error.what());
      Put({.status = 500, .body = "failed here: see the log\n"}, response);
    }
  }

  static WebRequest Read(const httplib::Request& request) {
    return {.method = request.method,
            .path = request.path,
            .body = request.body,
            .host = request.get_header_value("Host"),
            .origin = request.get_header_value("Origin"),
            .fetch_site = request.get_header_value("Sec-Fetch-Site")};
  }

  static void Put(const WebReply& reply, httplib::Response& response) {
    response.status = reply.status;
    response.set_content(reply.body, reply.type);
  }

  /// Of what cpp-httplib refuses by itself.
  void Explain(httplib::Response& response) const {
    if (!response.body.empty()) return;
    const bool large = response.status == 413;
    response.set_content(
        large ? fmt::format("at most {} bytes\n", options_.limits.body_bytes) : "bad request\n",
        "text/plain; charset=utf-8");
  }

  void Tell(int status, const std::string& why) const {
    if (options_.witness) options_.witness(status, why);
  }

  const WebServerOptions options_;
  const int listening_;
  bool secure_ = false;
  Load load_;
  Doorkeeper doorkeeper_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<WebServer> ServeOn(int listening, WebServerOptions options) {
  return std::make_unique<HttplibServer>(std::move(options), listening);
}

}  // namespace schedlens
