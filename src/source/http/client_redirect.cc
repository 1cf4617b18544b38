#include "source/http/client_redirect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "model/url.h"
#include "schedlens/error.h"
#include "source/http/client_errors.h"

namespace schedlens {
namespace {

std::string Small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// A certificate's name stands in for the host that the user gave.
bool SameOrigin(const Url& own, const Url& to, const TlsConfig& tls) {
  const std::string host = Small(to.host);
  return to.scheme == own.scheme && to.PortOrDefault() == own.PortOrDefault() &&
         (host == Small(own.host) || (own.scheme == "https" && host == Small(tls.server_name)));
}

[[noreturn]] void Refuse(const HttpTransfer& transfer, const std::string& why) {
  throw Error(ErrorKind::kFailed, NamedRequest(*transfer.request) + ": " + why);
}

}  // namespace

void Redirect(HttpTransfer& transfer, const std::string& location, const TlsConfig& tls) {
  const std::optional<Url> to =
      location.find("://") == std::string::npos ? std::nullopt : ParseUrl(location);
  if (!to || !to->unix_socket.empty()) {
    Refuse(transfer, "the server redirects to what is no http or https URL: check the URL");
  }
  const Url own = *ParseUrl(transfer.request->url);
  const std::string before = ParseUrl(AddressOf(transfer))->scheme;
  if (before == "https" && to->scheme == "http") {
    Refuse(transfer, fmt::format("the server redirects from https to {}, which is not followed: "
                                 "give a URL that answers over TLS",
                                 to->WithoutSecrets()));
  }
  if (++transfer.redirects > kMaxRedirects) {
    Refuse(transfer, fmt::format("more than {} redirects: check the URL", kMaxRedirects));
  }
  if (!SameOrigin(own, *to, tls)) transfer.at_origin = false;
  transfer.address = location;
  // curl was told the certificate's name; the connection still goes to the host of the user.
  if (transfer.at_origin && Small(to->host) != Small(own.host)) {
    transfer.address = fmt::format("{}://{}:{}{}{}", own.scheme, own.host, own.PortOrDefault(),
                                   to->path, to->query.empty() ? "" : "?" + to->query);
  }
}

}  // namespace schedlens
