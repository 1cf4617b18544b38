#pragma once

// The web server of `serve` and `simulate --serve`. cpp-httplib is behind it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "source/http/config.h"

namespace schedlens {

struct ListenAddress {
  std::string host = "127.0.0.1";  ///< IPv6 without brackets
  std::uint16_t port = 0;          ///< 0 takes a free one

  /// `HOST:PORT`, `[HOST]:PORT` for IPv6.
  std::string Text() const {
    const bool brackets = host.find(':') != std::string::npos;
    return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
  /// Whether only this machine can connect.
  bool IsLoopback() const;
};

/// `HOST:PORT`, `[::]:PORT`, `:PORT` or `PORT`; without a host 127.0.0.1. Throws Error(kUsage) that
/// names `option` for anything else.
ListenAddress ParseListenAddress(const std::string& option, const std::string& text);

struct WebRequest {
  std::string method;
  std::string path;  ///< without the query
  std::string body;
  std::string host, origin, fetch_site;  ///< headers; empty: not sent
};

struct WebReply {
  int status = 200;
  std::string body = {};
  std::string type = "text/plain; charset=utf-8";
};

struct WebLimits {
  std::size_t connections = 64;             ///< a thread each; more wait in the kernel's queue
  std::size_t body_bytes = 0;               ///< a larger body is refused: 413
  std::chrono::milliseconds request{5000};  ///< for a whole request, and for its answer
  /// With every connection taken, those that have been sending for longer are dropped.
  std::chrono::milliseconds patience{500};
};

struct WebServerOptions {
  ListenAddress address;
  /// Called by several threads at a time. What it throws is answered 500; only the witness learns
  /// the text.
  std::function<WebReply(const WebRequest&)> handler;
  /// Asked before the body is read, which is empty then: a reply below 400 lets the request pass.
  std::function<WebReply(const WebRequest&)> guard = {};
  /// Told of each answer from 400 on, and why.
  std::function<void(int status, const std::string& why)> witness = {};
  /// TLS, users and headers, asked for each connection, so that a renewed certificate counts at
  /// once. Null: plain HTTP.
  std::function<WebConfig()> config = {};
  WebLimits limits = {};
};

/// Serves until it is destroyed. One request a connection; slow and greedy clients cost a bounded
/// amount of memory and time.
class WebServer {
 public:
  virtual ~WebServer() = default;
  /// `http://127.0.0.1:41231`, with the port actually bound.
  virtual std::string url() const = 0;
};

/// Listens at once. Throws Error(kFailed) when the address cannot be bound, and what the
/// configuration throws.
std::unique_ptr<WebServer> StartWebServer(WebServerOptions options);

/// Refuses (403) what changes something and comes from a page of another site, by its `Origin` or
/// `Sec-Fetch-Site`; and a `Host` that is none of our names, by which such a page would be of our
/// site: where only this machine can connect all but its own names, where `external_url` (empty:
/// not told) says our name all but that and addresses. Status 200: let it pass.
WebReply CheckSite(const WebRequest& request, const ListenAddress& listen,
                   const std::string& external_url);

/// The content type of the text that Prometheus scrapes.
inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// Answers GET /metrics with the page as it is now, and nothing else; where that is empty the
/// process behind it is down (503).
std::function<WebReply(const WebRequest&)> MetricsPage(std::function<std::string()> page);

}  // namespace schedlens
