#include "cli/web/server.h"

// cpp-httplib reads requests and writes answers; who may connect, connections, and what a client
// may cost, are here.

#include <crypt.h>
#include <httplib.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <re2/re2.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "base/url.h"

namespace schedlens {
namespace {

/// Of no password that is known: a user who is not there takes as long as one who is.
const std::string kNobody = "$2b$10$abcdefghijklmnopqrstuu37RkUr9H1EPO4Rc63Ngz60LSVREthYa";

[[noreturn]] void FailTls(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  Raise(ErrorKind::kFailed, "{}: {}", what, reason == nullptr ? "cannot be used" : reason);
}

int TlsVersion(const std::string& name) {
  if (name == "TLS10") return TLS1_VERSION;
  if (name == "TLS11") return TLS1_1_VERSION;
  return name == "TLS12" ? TLS1_2_VERSION : TLS1_3_VERSION;
}

/// Reads the files. Throws Error(kFailed) naming the one that cannot be used.
std::shared_ptr<SSL_CTX> MakeTls(const WebTls& tls) {
  std::shared_ptr<SSL_CTX> made(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX* context = made.get();
  SSL_CTX_set_min_proto_version(context, TlsVersion(tls.min_version));
  SSL_CTX_set_max_proto_version(context, TlsVersion(tls.max_version));
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Of one connection: nothing is kept for a next one.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (SSL_CTX_use_certificate_chain_file(context, tls.cert_file.c_str()) != 1) {
    FailTls("cert_file " + tls.cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    FailTls("key_file " + tls.key_file);
  }
  if (tls.client_auth == "NoClientCert") return made;
  const bool needed = tls.client_auth.starts_with("Require");
  const bool verified = tls.client_auth.find("Verify") != std::string::npos;
  SSL_CTX_set_verify(
      context, SSL_VERIFY_PEER | (needed ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
      verified ? nullptr : +[](int, X509_STORE_CTX*) { return 1; });
  const int read = tls.client_ca_file.empty()
                       ? SSL_CTX_set_default_verify_paths(context)
                       : SSL_CTX_load_verify_file(context, tls.client_ca_file.c_str());
  if (read != 1) FailTls("client_ca_file " + tls.client_ca_file);
  return made;
}

class Doorkeeper {
 public:
  /// Whether the header's value is `Basic` with the name and password of one of the users (names
  /// and bcrypt hashes), or there are none. Hashing takes its time on purpose: one at a time, and
  /// the last right answer counts as long as its hash does.
  bool LetsIn(const std::map<std::string, std::string>& users, const std::string& authorization) {
    if (users.empty()) return true;
    constexpr std::string_view kBasic = "Basic ";
    if (!authorization.starts_with(kBasic)) return false;
    const std::string text =
        DecodeBase64(std::string_view(authorization).substr(kBasic.size())).value_or("");
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || text.find('\0') != std::string::npos) return false;
    const auto user = users.find(text.substr(0, colon));
    const std::string& hash = user == users.end() ? kNobody : user->second;
    const std::lock_guard lock(mutex_);
    if (last_ == text + hash) return true;
    const auto data = std::make_unique<crypt_data>();
    const char* made = crypt_r(text.c_str() + colon + 1, hash.c_str(), data.get());
    const bool same = made != nullptr && std::strlen(made) == hash.size() &&
                      CRYPTO_memcmp(made, hash.data(), hash.size()) == 0;
    if (!same || user == users.end()) return false;
    last_ = text + hash;
    return true;
  }

 private:
  std::mutex mutex_;
  std::string last_;
};

using Clock = std::chrono::steady_clock;
using Tls = std::unique_ptr<SSL, decltype(&SSL_free)>;
using HandlerResponse = httplib::Server::HandlerResponse;

constexpr int kLookMs = 100;  // how soon a wait sees that it is no longer wanted
constexpr std::chrono::milliseconds kDrain{1000};
constexpr std::size_t kMostHead = std::size_t{16} << 10;
constexpr std::size_t kLongestPath = 1024;  // std::regex, which cpp-httplib asks, recurses over it

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
        left_(kMostHead + limits.body_bytes),
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

int Listen(const ListenAddress& address) {
  const auto fail = [&](const std::string& why) {
    Raise(ErrorKind::kFailed, "cannot serve on {}: {}", address.Text(), why);
  };
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (status != 0) fail(gai_strerror(status));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1, no = 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (one->ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
    if (fd >= 0 && bind(fd, one->ai_addr, one->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) {
      return fd;
    }
    error = errno;
    if (fd >= 0) close(fd);
  }
  fail(std::strerror(error));
  return -1;
}

std::uint16_t BoundPort(int fd) {
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

bool SameName(const std::string& one, const std::string& other) {
  return strcasecmp(one.c_str(), other.c_str()) == 0;
}

bool IsAddress(const std::string& host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string::npos;
}

bool IsOurs(const Url& host, const ListenAddress& listen, const std::optional<Url>& external) {
  if (external && SameName(host.host, external->host)) return true;
  if (!listen.IsLoopback() && (!external || IsAddress(host.host))) return true;
  return SameName(host.host, "localhost") || host.host == "[::1]" ||
         (host.host.starts_with("127.") && IsAddress(host.host));
}

}  // namespace

bool ListenAddress::IsLoopback() const {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && IsAddress(host));
}

ListenAddress ParseListenAddress(const std::string& option, const std::string& text) {
  static const RE2 kForm("(?s)(?:(?:\\[(.*[\\[\\]:].*)\\]|([^\\[\\]:]*)):)?(\\d+)", RE2::Latin1);
  ListenAddress out;
  std::string ipv6, name;
  if (!RE2::FullMatch(text, kForm, &ipv6, &name, &out.port)) {
    Raise(ErrorKind::kUsage, "{} {}: expected PORT, :PORT, HOST:PORT or [IPV6]:PORT", option, text);
  }
  if (const std::string host = ipv6 + name; !host.empty()) out.host = host;
  return out;
}

std::unique_ptr<WebServer> StartWebServer(WebServerOptions options) {
  const int listening = Listen(options.address);
  options.address.port = BoundPort(listening);
  try {
    return std::make_unique<HttplibServer>(std::move(options), listening);
  } catch (...) {
    close(listening);
    throw;
  }
}

WebReply CheckSite(const WebRequest& request, const ListenAddress& listen,
                   const std::string& external_url) {
  const auto external = ParseUrl(external_url);
  const auto host = ParseUrl("http://" + request.host);
  const bool probe =
      request.path == "/metrics" || request.path.starts_with("/-/") || request.path == "/healthz";
  if (!request.host.empty() && !probe && !(host && IsOurs(*host, listen, external))) {
    return {.status = 403, .body = "not a name of this server: see --web.external-url\n"};
  }
  if (request.method == "GET" || request.method == "HEAD") return {};
  const auto origin = ParseUrl(request.origin);
  const bool same =
      request.origin.empty() ||
      (origin && host && SameName(origin->host, host->host) &&
       (origin->port == host->port || origin->PortOrDefault() == host->PortOrDefault())) ||
      (origin && external && SameName(origin->host, external->host));
  const std::string& site = request.fetch_site;
  if (same && (site.empty() || site == "same-origin" || site == "none")) return {};
  return {.status = 403, .body = "from a page of another site\n"};
}

std::function<WebReply(const WebRequest&)> MetricsPage(std::function<std::string()> page) {
  return [page = std::move(page)](const WebRequest& request) -> WebReply {
    if (request.method != "GET" && request.method != "HEAD") {
      return {.status = 405, .body = "only GET\n"};
    }
    if (request.path != "/metrics") return {.status = 404, .body = "see /metrics\n"};
    std::string text = page();
    if (text.empty()) return {.status = 503, .body = "the scheduler is down\n"};
    return {.status = 200, .body = std::move(text), .type = kMetricsType};
  };
}

}  // namespace schedlens
