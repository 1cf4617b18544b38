#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/http/config.h"
#include "source/open_source.h"

namespace schedlens {

// HTTP requests in flight together, with time limits, retries and a size limit.

/// The total time counts from the client's construction on.
struct HttpOptions : RequestLimits {
  HttpConfig access;
  std::vector<std::pair<std::string, std::string>> headers;  ///< added to every request
  int tries = 4;
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::optional<std::int64_t> server_seconds;  ///< the server's clock (Date header), Unix time
};

struct HttpRequest {
  std::string url;   ///< credentials in it become basic authentication
  std::string form;  ///< POST of a form when not empty, else GET
  std::string what;  ///< for messages: "query up", "rules"
  std::vector<std::pair<std::string, std::string>> headers;
  /// Gets the body of a 2xx answer piece by piece instead of HttpAnswer::body; may throw. `restart`
  /// is called before a further try, so that what the sink has seen is forgotten.
  std::function<void(std::string_view)> sink;
  std::function<void()> restart;
  /// Says of an answer whose status would be tried again that it is final all the same.
  std::function<bool(const HttpAnswer&)> settled;
  /// Gets the final answer as soon as it is there, before FetchAll returns; may throw, which ends
  /// all requests of the call.
  std::function<void(const HttpAnswer&)> done;
};

/// Keeps connections between calls. Not for several threads at once.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Answers in the order of the requests. 429, 502, 503, 504 and broken connections are tried
  /// again (Retry-After honoured), other statuses are returned as they are, except 401 and 403:
  /// Error(kAuth). Throws Error(kTimeout), Error(kInterrupted) within 100 ms (see
  /// base/work_budget.h), and Error(kFailed) for a server
  /// that cannot be reached, a certificate that does not verify, an answer over the size limit. The
  /// first failure ends all requests of the call; those complete by then are `done` before.
  std::vector<HttpAnswer> FetchAll(const std::vector<HttpRequest>& requests);
  HttpAnswer Fetch(const HttpRequest& request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A URL as messages show it: no credentials, no query.
std::string PrintableUrl(const std::string& url);

// The client credentials grant of RFC 6749, 4.4: a token for a client id and its secret.

struct OAuth2Token {
  std::string authorization;  ///< value of the Authorization header; a secret
  std::chrono::steady_clock::time_point expires;
};

/// Asks `config.token_url`. The client is named in the Authorization header; where the server
/// refuses that, in the form, as Go's oauth2 package does. `options` gives limits and logging;
/// access is the configuration's own. No redirect is followed: Error(kFailed). Throws Error(kAuth)
/// when no token comes back, else what HttpClient throws.
OAuth2Token FetchToken(const OAuth2Config& config, HttpOptions options);

}  // namespace schedlens
