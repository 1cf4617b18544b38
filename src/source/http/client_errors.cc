#include "source/http/client_errors.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>

#include "model/url.h"
#include "source/http/client_setup.h"

namespace schedlens {
namespace {

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  return text;
}

}  // namespace

std::string PrintableUrl(const std::string& url) {
  const auto parsed = ParseUrl(url);
  return parsed ? parsed->WithoutSecrets() : "not a URL";
}

std::string NamedRequest(const HttpRequest& request) {
  return fmt::format("{} ({})", request.what, PrintableUrl(request.url));
}

std::string CurlText(const HttpTransfer& transfer, int code) {
  const std::string detail(transfer.error_text.data());
  return OneLine(detail.empty() ? curl_easy_strerror(static_cast<CURLcode>(code)) : detail);
}

Error TransportError(const HttpTransfer& transfer, int code) {
  const std::string where = NamedRequest(*transfer.request);
  const std::string text = CurlText(transfer, code);
  long proxy_status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  if (proxy_status == 407) {
    return {ErrorKind::kAuth, where + ": the proxy wants a user and a password (407)"};
  }
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CONNECT_ERROR:
      return {ErrorKind::kFailed,
              fmt::format("{}: TLS failed: {}: check tls_config (ca_file, server_name, cert_file, "
                          "key_file) in --http.config.file",
                          where, text)};
    case CURLE_COULDNT_CONNECT:
      if (transfer.request->url.starts_with("unix:")) {
        return {ErrorKind::kFailed,
                where +
                    ": cannot connect to the socket: is its path right, and does the server "
                    "listen there?"};
      }
      [[fallthrough]];
    case CURLE_COULDNT_RESOLVE_HOST:
      return {ErrorKind::kFailed,
              fmt::format("{}: cannot connect: {}: check the URL, and the proxy if there is one",
                          where, text)};
    case CURLE_TOO_MANY_REDIRECTS:
      return {ErrorKind::kFailed,
              fmt::format("{}: more than {} redirects: check the URL", where, kMaxRedirects)};
    default:
      return {ErrorKind::kFailed, fmt::format("{}: {} (after {} {})", where, text, transfer.tries,
                                              transfer.tries == 1 ? "try" : "tries")};
  }
}

Error HttpTimeoutError(const HttpRequest& request, double limit_seconds) {
  return {ErrorKind::kTimeout, fmt::format("{}: no complete answer in time (limit {:g} s): raise "
                                           "--timeout or ask for a shorter --window",
                                           NamedRequest(request), limit_seconds)};
}

Error AccessError(const HttpRequest& request, long status) {
  return {ErrorKind::kAuth, fmt::format("{}: the server refuses access ({}): give or check the "
                                        "credentials in --http.config.file or --header, or the "
                                        "--tenant",
                                        NamedRequest(request), status)};
}

}  // namespace schedlens
