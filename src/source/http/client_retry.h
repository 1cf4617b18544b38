#ifndef SCHEDLENS_SOURCE_HTTP_CLIENT_RETRY_H_
#define SCHEDLENS_SOURCE_HTTP_CLIENT_RETRY_H_

// Which failures may pass, and how long to wait before asking again. Inside of http_client.cc's
// family only.

#include <random>

namespace schedlens {

/// 429, 502, 503, 504.
bool IsRetryableStatus(long status);

/// The connection was there and broke (`code` is a CURLcode). A server that cannot be reached at
/// all is no such case.
bool IsBrokenConnection(int code);

/// Waits that double from try to try, jittered to [0.5, 1] of that.
class HttpBackoff {
 public:
  explicit HttpBackoff(double first_seconds);
  /// Seconds to wait after try number `tries` (from 1), and not less than the server asks for.
  double Next(int tries, double retry_after_seconds);

 private:
  double first_seconds_;
  std::mt19937 random_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CLIENT_RETRY_H_
