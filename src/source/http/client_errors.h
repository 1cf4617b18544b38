#ifndef SCHEDLENS_SOURCE_HTTP_CLIENT_ERRORS_H_
#define SCHEDLENS_SOURCE_HTTP_CLIENT_ERRORS_H_

// What is said of a request that failed: one line, no secrets. Inside of http_client.cc's family
// only. Codes are curl's CURLcode.

#include <string>

#include "schedlens/error.h"
#include "source/http/client.h"
#include "source/http/client_transfer.h"

namespace schedlens {

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

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CLIENT_ERRORS_H_
