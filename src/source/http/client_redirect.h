#ifndef SCHEDLENS_SOURCE_HTTP_CLIENT_REDIRECT_H_
#define SCHEDLENS_SOURCE_HTTP_CLIENT_REDIRECT_H_

// Where a redirect may lead. Inside of http_client.cc's family only.

#include <string>

#include "source/http/client_transfer.h"
#include "source/http/config.h"

namespace schedlens {

inline constexpr int kMaxRedirects = 10;

/// Makes `location`, a whole URL, the address where the transfer asks next, with the same method
/// and form. Another scheme, host or port is no longer the request's origin, and neither is
/// anything behind it. Throws Error(kFailed) for a way from https to http, to what is neither, and
/// for one redirect too many.
void Redirect(HttpTransfer& transfer, const std::string& location, const TlsConfig& tls);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CLIENT_REDIRECT_H_
