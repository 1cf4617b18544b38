#ifndef SCHEDLENS_SOURCE_HTTP_CLIENT_SETUP_H_
#define SCHEDLENS_SOURCE_HTTP_CLIENT_SETUP_H_

// What curl is told before a request goes out. Inside of http_client.cc's family only.

#include <string>

#include "model/url.h"
#include "source/http/client.h"
#include "source/http/client_transfer.h"

namespace schedlens {

/// Throws Error(kUsage) where an `@` stands behind the host: the host is then a part of a user or a
/// password, and no server is asked for it. `what` is named.
void CheckCredentials(const Url& url, const std::string& what);

/// Address, method, headers, credentials, TLS and proxy for an opened transfer. `token` is the
/// value of the Authorization header that OAuth 2 gave, empty without it. Headers,
/// credentials and the client's certificate are left out where a redirect has led away from the
/// request's origin. Throws Error(kUsage) for what is no URL.
void SetUpTransfer(HttpTransfer& transfer, const HttpOptions& options, const std::string& token);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CLIENT_SETUP_H_
