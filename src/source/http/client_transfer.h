#pragma once

// One request on its way: what curl is told before it goes out, what its answer brings, where a
// redirect may lead, which failures may pass and when to ask again, and what is said of one that
// failed: one line, no secrets. Of client.cc alone. Codes are curl's CURLcode.

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>

#include "base/url.h"
#include "schedlens/error.h"
#include "source/http/client.h"
#include "source/http/config.h"

struct curl_slist;

namespace schedlens {

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

}  // namespace schedlens
