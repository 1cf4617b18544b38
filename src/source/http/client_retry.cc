#include "source/http/client_retry.h"

#include <curl/curl.h>

#include <algorithm>

namespace schedlens {
namespace {

/// A longer Retry-After outlives every run; the bound keeps the arithmetic finite.
constexpr double kLongestWait = 1e6;

}  // namespace

bool IsRetryableStatus(long status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

bool IsBrokenConnection(int code) {
  return code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

HttpBackoff::HttpBackoff(double first_seconds)
    : first_seconds_(first_seconds), random_(std::random_device{}()) {}

double HttpBackoff::Next(int tries, double retry_after_seconds) {
  std::uniform_real_distribution<double> jitter(0.5, 1.0);
  const double wait =
      first_seconds_ * static_cast<double>(1 << std::min(tries - 1, 30)) * jitter(random_);
  return std::max(wait, std::min(retry_after_seconds, kLongestWait));
}

}  // namespace schedlens
