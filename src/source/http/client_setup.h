#ifndef SCHEDLENS_SOURCE_HTTP_CLIENT_SETUP_H_
#define SCHEDLENS_SOURCE_HTTP_CLIENT_SETUP_H_

// What curl is told before a request goes out. Inside of http_client.cc's family only.

#include <string>

#include "source/http/client.h"
#include "source/http/client_transfer.h"

namespace schedlens {

inline constexpr long kMaxRedirects = 10;

/// Address, method, headers, credentials, TLS, proxy and redirects for an opened transfer. `token`
/// is the value of the Authorization header that OAuth 2 gave, empty without it. Throws
/// Error(kUsage) for what is no URL.
void SetUpTransfer(HttpTransfer& transfer, const HttpOptions& options, const std::string& token);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CLIENT_SETUP_H_
