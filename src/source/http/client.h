#pragma once

#include <array>
#include <chrono>
#include <exception>

#include "base/url.h"
#include "source/http/config.h"
#include "source/open_source.h"

struct curl_slist;

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

// One request on its way: what curl is told before it goes out, what its answer brings, where a
// redirect may lead, which failures may pass and when to ask again, and what is said of one that
// failed: one line, no secrets. Codes are curl's CURLcode.

using HttpClock = std::chrono::steady_clock;

/// An owned curl_slist.
class HttpHeaderList {
 public:
  void Add(const std::string& line);
  void Add(const std::string& name, const std::string& value);
  void Clear() { list_.reset(); }
  curl_slist* get() const { return list_.get(); }

 private:
  struct Free {
    void operator()(curl_slist* list) const;
  };
  std::unique_ptr<curl_slist, Free> list_;
};

/// What a request needs as long as curl works on it.
struct HttpTransfer {
  const HttpRequest* request = nullptr;
  int tries = 0;
  int redirects = 0;      ///< followed since the try began
  std::string address;    ///< where the try has been redirected to; empty: the request's own URL
  bool at_origin = true;  ///< never redirected away from the request's scheme, host and port
  HttpClock::time_point not_before;
  HttpClock::time_point started;

  void* easy = nullptr;  ///< curl's handle, of one try
  HttpHeaderList headers, proxy_headers, connect_to;
  std::array<char, 256> error_text{};
  HttpAnswer answer;
  std::size_t received = 0;
  std::size_t limit = 0;       ///< bytes of an answer
  int packings = 0;            ///< how often the answer is compressed
  bool whole_head = false;     ///< the blank line after the headers has come
  std::exception_ptr failure;  ///< what a callback threw
};

/// A fresh handle for one more try, nothing received; the answer goes to the transfer and its
/// request's sink. `limit` is what an answer may have in bytes.
void OpenTransfer(HttpTransfer& transfer, std::size_t limit);

/// The URL that the try asks now.
inline const std::string& AddressOf(const HttpTransfer& transfer) {
  return transfer.address.empty() ? transfer.request->url : transfer.address;
}

/// Ends the try; the answer stays.
void CloseTransfer(HttpTransfer& transfer);

/// `query up (http://host:9090/api/v1/query)`.
std::string NamedRequest(const HttpRequest& request);

/// curl's own words on one line.
std::string CurlText(const HttpTransfer& transfer, int code);

/// For a transfer that came to no answer. `origin` is where its credentials come from, empty for
/// --http.config.file. A client certificate that the server refuses is Error(kAuth).
Error TransportError(const HttpTransfer& transfer, int code, const std::string& origin);

/// The answer 407, of a proxy on the way.
Error ProxyAccessError(const HttpTransfer& transfer);
Error HttpTimeoutError(const HttpRequest& request, double limit_seconds);

/// For status 401 or 403; `said` is what the server says about it, or empty.
Error AccessError(const HttpTransfer& transfer, long status, const std::string& origin,
                  const std::string& said);

/// Throws Error(kUsage) where an `@` stands behind the host: the host is then a part of a user or a
/// password, and no server is asked for it. `what` is named.
void CheckCredentials(const Url& url, const std::string& what);

/// Address, method, headers, credentials, TLS and proxy for an opened transfer. `token` is the
/// value of the Authorization header that OAuth 2 gave, empty without it. Headers,
/// credentials and the client's certificate are left out where a redirect has led away from the
/// request's origin. Throws Error(kUsage) for what is no URL.
void SetUpTransfer(HttpTransfer& transfer, const HttpOptions& options, const std::string& token);

inline constexpr int kMaxRedirects = 10;

/// Makes `location`, a whole URL, the address where the transfer asks next, with the same method
/// and form. Another scheme, host or port is no longer the request's origin, and neither is
/// anything behind it. Throws Error(kFailed) for a way from https to http, to what is neither, and
/// for one redirect too many.
void Redirect(HttpTransfer& transfer, const std::string& location, const TlsConfig& tls);

/// 429, 502, 503, 504.
bool IsRetryableStatus(long status);

/// The connection was there and broke (`code` is a CURLcode). A server that cannot be reached at
/// all is no such case.
bool IsBrokenConnection(int code);

/// Seconds to wait after try number `tries` (from 1): doubled from try to try, jittered to [0.5, 1]
/// of that, and not less than the server asks for.
double BackoffSeconds(double first_seconds, int tries, double retry_after_seconds);

// What is said of an answer whose status is no success: the server's own words where it has some,
// and what to do.

/// Throws Error(kind) with `what`, the printable URL and the text on one line.
[[noreturn]] void ThrowOf(const std::string& what, const std::string& url, ErrorKind kind,
                          const std::string& text);
[[noreturn]] void ThrowOf(const HttpRequest& request, ErrorKind kind, const std::string& text);

/// The error for a status other than success.
[[noreturn]] void ThrowStatus(const HttpRequest& request, const HttpAnswer& answer);

/// Whether an error's text tells a server's limit on what one query may load or answer: less may
/// be answered.
bool TellsALimit(std::string_view text);

/// `message` of the Status object with which a Kubernetes API server refuses; empty for anything
/// else.
std::string KubernetesMessage(const std::string& body);

// A server as the options name it: where its API is and how to speak to it.

/// Limits, credentials and headers of the options. Throws Error(kUsage) for a malformed header
/// (without quoting its value) and what ReadHttpConfig throws.
HttpOptions HttpOptionsOf(const SourceOptions& options);

/// `path` ("/api/v1/query") below the server's URL and its prefix; a pasted `/graph`, `/query`,
/// `/api/v1` or `/vmui` at the end of the URL is dropped. Throws Error(kUsage) for what is no URL.
std::string ApiUrl(const std::string& url, std::string_view path);

/// What the body of `/api/v1/status/buildinfo` says about who answers: kind, version as the server
/// says it and semantics, those of the newest Prometheus where its version is not known; `exact`
/// for a Prometheus whose version is. Anything unexpected is kind "unknown".
SourceInfo ReadBuildInfo(std::string_view body);

}  // namespace schedlens
