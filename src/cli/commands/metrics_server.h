#ifndef SCHEDLENS_CLI_COMMANDS_METRICS_SERVER_H_
#define SCHEDLENS_CLI_COMMANDS_METRICS_SERVER_H_

// A small HTTP server for one page: GET /metrics. For `simulate --serve`, on loopback by default.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace schedlens {

/// `HOST:PORT`, `:PORT` or `PORT`; without a host 127.0.0.1, port 0 takes a free one. IPv4 or a
/// name that resolves to one.
struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};

/// Throws Error(kUsage) for anything else.
ListenAddress ParseListenAddress(const std::string& text);

class MetricsServer {
 public:
  /// The page now; empty: the process behind it is down (503).
  using Page = std::function<std::string()>;

  /// Listens at once. Throws Error(kFailed) when the address cannot be bound.
  MetricsServer(const ListenAddress& address, Page page);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// `127.0.0.1:41231`, with the port actually bound.
  std::string address() const;
  /// Accepts and answers what comes within `milliseconds`; returns early after the first answer. A
  /// slow or silent client is dropped after half a second; client errors do not throw.
  void Serve(int milliseconds);

 private:
  void Answer(int client);

  int socket_ = -1;
  std::string host_;
  std::uint16_t port_ = 0;
  Page page_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_METRICS_SERVER_H_
