#pragma once

// The client credentials grant of RFC 6749, 4.4: a token for a client id and its secret.

#include <chrono>
#include <string>

#include "source/http/client.h"
#include "source/http/config.h"

namespace schedlens {

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
