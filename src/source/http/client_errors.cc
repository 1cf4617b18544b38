#include "source/http/client_errors.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>

#include "model/url.h"

namespace schedlens {
namespace {

/// Alerts of TLS that a server sends about a client's certificate, as OpenSSL words them.
constexpr const char* kCertificateAlerts[] = {
    "certificate required", "unknown ca",          "bad certificate", "certificate unknown",
    "certificate expired",  "certificate revoked", "access denied"};

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  return text;
}

/// Whether TLS ended because the peer does not take our certificate, or wants one.
bool RefusesCertificate(const std::string& text) {
  if (text.find("alert") == std::string::npos) return false;
  return std::any_of(std::begin(kCertificateAlerts), std::end(kCertificateAlerts),
                     [&](const char* alert) { return text.find(alert) != std::string::npos; });
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

Error TransportError(const HttpTransfer& transfer, int code, const std::string& origin) {
  const std::string where = NamedRequest(*transfer.request);
  const std::string text = CurlText(transfer, code);
  long proxy_status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  if (proxy_status == 407) return ProxyAccessError(transfer);
  if (RefusesCertificate(text)) {
    return {ErrorKind::kAuth,
            fmt::format("{}: the server refuses the client certificate: {}: check {}", where, text,
                        origin.empty() ? "cert_file and key_file in --http.config.file" : origin)};
  }
  if (code == CURLE_SSL_CONNECT_ERROR && text.find("wrong version number") != std::string::npos) {
    return {ErrorKind::kFailed, where + ": the server answers without TLS: try http:// in the URL"};
  }
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CONNECT_ERROR:
      return {ErrorKind::kFailed,
              fmt::format("{}: TLS failed: {}: check {}", where, text,
                          origin.empty() ? "tls_config (ca_file, server_name, cert_file, key_file) "
                                           "in --http.config.file"
                                         : "the certificates of " + origin)};
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
    default:
      // A server may hang up on a certificate that it does not take before its reason is read.
      return {
          ErrorKind::kFailed,
          fmt::format("{}: {} (after {} {}){}", where, text, transfer.tries,
                      transfer.tries == 1 ? "try" : "tries",
                      origin.empty() ? "" : ": if it goes on, check the credentials of " + origin)};
  }
}

Error ProxyAccessError(const HttpTransfer& transfer) {
  return {ErrorKind::kAuth,
          NamedRequest(*transfer.request) + ": the proxy wants a user and a password (407)"};
}

Error HttpTimeoutError(const HttpRequest& request, double limit_seconds) {
  return {ErrorKind::kTimeout, fmt::format("{}: no complete answer in time (limit {:g} s): raise "
                                           "--timeout or ask for a shorter --window",
                                           NamedRequest(request), limit_seconds)};
}

Error AccessError(const HttpTransfer& transfer, long status, const std::string& origin,
                  const std::string& said) {
  const std::string what =
      fmt::format("{}: the server refuses access ({}{}): ", NamedRequest(*transfer.request), status,
                  said.empty() ? "" : ": " + OneLine(said));
  if (!transfer.at_origin) {
    return {ErrorKind::kAuth,
            fmt::format("{}it redirects to {}, where credentials and headers are not sent: give "
                        "the URL behind the redirect",
                        what, PrintableUrl(AddressOf(transfer)))};
  }
  return {ErrorKind::kAuth,
          what + (origin.empty() ? "give or check the credentials in --http.config.file or "
                                   "--header, or the --tenant"
                                 : "check the credentials of " + origin)};
}

}  // namespace schedlens
