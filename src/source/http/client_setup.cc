#include "source/http/client_setup.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "model/secrets.h"
#include "model/url.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "[::1]";
}

/// curl reads the rest of them itself.
void RegisterProxies() {
  for (const char* name :
       {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    if (const char* url = std::getenv(name)) RegisterSecretsOfUrl(url);
  }
}

void SetProxy(CURL* easy, const ProxyConfig& proxy, const Url& url, HttpTransfer& transfer) {
  if (proxy.from_environment) {
    RegisterProxies();
    // As in Go: the environment's proxy is never used to reach this machine itself.
    if (IsLoopback(url.host)) curl_easy_setopt(easy, CURLOPT_PROXY, "");
    const char* upper = std::getenv("HTTP_PROXY");
    if (upper != nullptr && url.scheme == "http" && !IsLoopback(url.host) &&
        std::getenv("http_proxy") == nullptr) {
      curl_easy_setopt(easy, CURLOPT_PROXY, upper);
    }
    return;
  }
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, proxy.no_proxy.c_str());
  if (proxy.connect_headers.empty()) return;
  transfer.proxy_headers = std::make_unique<HttpHeaderList>();
  for (const auto& [name, value] : proxy.connect_headers) transfer.proxy_headers->Add(name, value);
  curl_easy_setopt(easy, CURLOPT_HEADEROPT, long{CURLHEADER_SEPARATE});
  curl_easy_setopt(easy, CURLOPT_PROXYHEADER, transfer.proxy_headers->get());
}

void SetPem(CURL* easy, CURLoption file_option, CURLoption blob_option, const std::string& file,
            const std::string& text) {
  if (!file.empty()) curl_easy_setopt(easy, file_option, file.c_str());
  if (text.empty()) return;
  curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  curl_easy_setopt(easy, blob_option, &blob);
}

long TlsVersion(const std::string& name) {
  if (name == "TLS10") return CURL_SSLVERSION_TLSv1_0;
  if (name == "TLS11") return CURL_SSLVERSION_TLSv1_1;
  if (name == "TLS12") return CURL_SSLVERSION_TLSv1_2;
  if (name == "TLS13") return CURL_SSLVERSION_TLSv1_3;
  return CURL_SSLVERSION_DEFAULT;
}

/// The client's certificate is shown to the origin only: it is who the user is.
void SetTls(CURL* easy, const TlsConfig& tls, bool at_origin) {
  if (!tls.ca.empty() || !tls.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // the given roots replace the system's
    if (tls.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
  }
  SetPem(easy, CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB, tls.ca_file, tls.ca);
  if (at_origin) {
    SetPem(easy, CURLOPT_SSLCERT, CURLOPT_SSLCERT_BLOB, tls.cert_file, tls.cert);
    SetPem(easy, CURLOPT_SSLKEY, CURLOPT_SSLKEY_BLOB, tls.key_file, tls.key);
  }
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, tls.insecure_skip_verify ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, tls.insecure_skip_verify ? 0L : 2L);
  const long highest = tls.max_version.empty() ? 0L : TlsVersion(tls.max_version) << 16;
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, TlsVersion(tls.min_version) | highest);
}

/// `server_name` is the name the certificate must carry and the one sent in the handshake: the URL
/// names it, the connection goes where the user said.
std::string SetUrl(CURL* easy, const Url& url, const TlsConfig& tls, HttpTransfer& transfer) {
  std::string host = url.host;
  if (!tls.server_name.empty() && url.scheme == "https") {
    host = tls.server_name;
    transfer.connect_to = std::make_unique<HttpHeaderList>();
    transfer.connect_to->Add(fmt::format("::{}:{}", url.host, url.PortOrDefault()));
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, transfer.connect_to->get());
    transfer.headers->Add("Host", fmt::format("{}:{}", url.host, url.PortOrDefault()));
  }
  std::string text = fmt::format("{}://{}:{}{}", url.scheme, host, url.PortOrDefault(), url.path);
  if (!url.query.empty()) text += "?" + url.query;
  return text;
}

/// Any header may hold a secret (a token, a cookie, a tenant): all stay at the request's origin.
void AddHeaders(HttpTransfer& transfer, const HttpOptions& options) {
  HttpHeaderList& list = *transfer.headers;
  list.Add("Expect:");  // no round trip before a form is sent
  if (!transfer.at_origin) return;
  for (const auto& [name, value] : options.access.headers) list.Add(name, value);
  for (const auto& [name, value] : options.headers) list.Add(name, value);
  for (const auto& [name, value] : transfer.request->headers) list.Add(name, value);
}

void SetCredentials(HttpTransfer& transfer, const HttpConfig& access, const Url& url,
                    const std::string& token) {
  const BasicAuth basic = access.basic_auth.value_or(BasicAuth{url.user, url.password});
  if (!token.empty()) {
    transfer.headers->Add("Authorization", token);
  } else if (!access.authorization.empty()) {
    transfer.headers->Add("Authorization", access.authorization);
  } else if (!basic.username.empty() || !basic.password.empty()) {
    curl_easy_setopt(transfer.easy, CURLOPT_HTTPAUTH, long{CURLAUTH_BASIC});
    curl_easy_setopt(transfer.easy, CURLOPT_USERNAME, basic.username.c_str());
    curl_easy_setopt(transfer.easy, CURLOPT_PASSWORD, basic.password.c_str());
  }
}

}  // namespace

void CheckCredentials(const Url& url, const std::string& what) {
  if ((url.path + url.query + url.fragment).find('@') == std::string::npos) return;
  throw Error(ErrorKind::kUsage,
              what +
                  ": an @ behind the URL's host: in a user or password write @ as %40, / as %2F, "
                  "? as %3F, # as %23");
}

void SetUpTransfer(HttpTransfer& transfer, const HttpOptions& options, const std::string& token) {
  const HttpRequest& request = *transfer.request;
  const auto own = ParseUrl(request.url);
  const auto url = ParseUrl(AddressOf(transfer));
  if (!own || !url) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: not an http, https or unix URL", request.what));
  }
  CheckCredentials(*own, request.what);
  CURL* easy = transfer.easy;
  AddHeaders(transfer, options);
  if (transfer.at_origin) SetCredentials(transfer, options.access, *own, token);
  curl_easy_setopt(easy, CURLOPT_URL, SetUrl(easy, *url, options.access.tls, transfer).c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers->get());
  const std::string& socket = own->unix_socket.empty() ? options.unix_socket : own->unix_socket;
  if (!socket.empty()) curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket.c_str());
  if (!request.form.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.form.size()));
    curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request.form.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // client_redirect.h does
  curl_easy_setopt(
      easy, CURLOPT_HTTP_VERSION,
      options.access.enable_http2 ? long{CURL_HTTP_VERSION_2TLS} : long{CURL_HTTP_VERSION_1_1});
  if (url->scheme == "https") curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "schedlens");
  SetProxy(easy, options.access.proxy, *url, transfer);
  SetTls(easy, options.access.tls, transfer.at_origin);
}

}  // namespace schedlens
