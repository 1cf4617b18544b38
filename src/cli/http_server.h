#ifndef SCHEDLENS_CLI_HTTP_SERVER_H_
#define SCHEDLENS_CLI_HTTP_SERVER_H_

// A small HTTP server of one thread: `simulate --serve` and `serve`. One request a connection; slow
// and greedy clients cost a bounded amount of memory and time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>

namespace schedlens {

/// `HOST:PORT`, `:PORT` or `PORT`; without a host 127.0.0.1, port 0 takes a free one. IPv4 or a
/// name that resolves to one.
struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};

/// Throws Error(kUsage) that names `option` for anything else.
ListenAddress ParseListenAddress(const std::string& option, const std::string& text);

struct WebRequest {
  std::string method;
  std::string path;  ///< without the query
  std::string body;
};

struct WebReply {
  int status = 200;
  std::string body = {};
  std::string type = "text/plain; charset=utf-8";
};

struct ServerLimits {
  std::size_t connections = 128;  ///< open at once
  std::size_t head_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = 0;                     ///< a larger body is refused: 413
  std::size_t all_bytes = std::size_t{32} << 20;  ///< of unread requests together, else 503
  std::chrono::milliseconds request{5000};        ///< for a whole request, and for its answer
  /// With every connection taken, the oldest one that still sends gives way after this.
  std::chrono::milliseconds patience{500};
};

class HttpServer {
 public:
  using Handler = std::function<WebReply(const WebRequest&)>;
  /// Told of each answer from 400 on, and why.
  using Witness = std::function<void(int status, const std::string& why)>;

  /// Listens at once. Throws Error(kFailed) when the address cannot be bound.
  HttpServer(const ListenAddress& address, Handler handler, ServerLimits limits = {},
             Witness witness = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// `127.0.0.1:41231`, with the port actually bound.
  std::string address() const;
  /// Waits for at most `milliseconds` until there is something to do, and does that: accepts,
  /// reads, calls the handler, answers. Client errors do not throw; what the handler throws is
  /// answered 500, and only the witness learns its text.
  void Serve(int milliseconds);
  std::size_t connections() const { return clients_.size(); }

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { kReading, kWriting, kDraining };
  struct Client {
    int socket = -1;
    State state = State::kReading;
    std::string in, out;
    std::size_t sent = 0;
    bool told_to_go_on = false;
    Clock::time_point since, until;
  };

  void Accept();
  std::list<Client>::iterator Slowest();
  void Work(Client& client);
  void Read(Client& client);
  void TakeRequest(Client& client);
  void Reply(Client& client, const WebReply& reply, bool with_body = true);
  void Tell(int status, const std::string& why) const;
  void Write(Client& client);
  void Drain(Client& client);
  void Expire(Client& client);
  static void Close(Client& client);
  int WaitFor(int milliseconds) const;

  int socket_ = -1;
  std::string host_;
  std::uint16_t port_ = 0;
  Handler handler_;
  ServerLimits limits_;
  Witness witness_;
  std::list<Client> clients_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_HTTP_SERVER_H_
