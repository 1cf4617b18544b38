#include <curl/curl.h>
#include <re2/re2.h>

#include <cstdlib>
#include <ctime>
#include <random>

#include "base/file.h"
#include "base/text.h"
#include "source/http/client.h"

namespace schedlens {
namespace {

/// Whether TLS ended because the peer does not take our certificate, or wants one: by the alerts
/// that a server sends about it, as OpenSSL words them.
bool RefusesCertificate(const std::string& text) {
  static const RE2 kAlerts(
      "certificate (?:required|unknown|expired|revoked)|unknown ca|bad certificate|access denied",
      RE2::Latin1);
  return text.find("alert") != std::string::npos && RE2::PartialMatch(text, kAlerts);
}

constexpr std::size_t kMaxErrorBody = std::size_t{1} << 20;

void TakeBody(HttpTransfer& transfer, std::string_view piece) {
  long status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  const bool good = status >= 200 && status < 300;
  transfer.received += piece.size();
  if (transfer.received > transfer.limit) {
    Raise(ErrorKind::kFailed,
          "{}: the answer is larger than the limit of {}: ask for a shorter --window, narrow it "
          "with --selector, or raise --max-answer",
          NamedRequest(*transfer.request), SizeText(transfer.limit));
  }
  if (good && transfer.request->sink) {
    transfer.request->sink(piece);
  } else if (good || transfer.answer.body.size() < kMaxErrorBody) {
    transfer.answer.body.append(piece);
  }
}

/// What stands behind the header's name, which ends in a colon; nothing for another header.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view name) {
  const bool same = line.size() > name.size() &&
                    std::equal(name.begin(), name.end(), line.begin(), [](char want, char got) {
                      return want == (got | 0x20) || want == got;
                    });
  return same ? std::optional(line.substr(name.size())) : std::nullopt;
}

/// curl tells the size of what comes out of the last of several packings only: what the others hold
/// would have no limit.
void CountPackings(HttpTransfer& transfer, std::string_view codings) {
  for (const std::string_view coding : SplitAt(codings, ',')) {
    for (const std::string_view packing : {"gzip", "deflate", "br", "zstd", "compress"}) {
      if (coding.find(packing) != std::string_view::npos) ++transfer.packings;
    }
  }
  if (transfer.packings < 2) return;
  Raise(ErrorKind::kFailed,
        "{}: the answer is compressed more than once, which has no limit of size: let the server "
        "or the proxy before it compress, not both",
        NamedRequest(*transfer.request));
}

std::size_t OnBody(char* data, std::size_t, std::size_t size, void* user) {
  HttpTransfer& transfer = *static_cast<HttpTransfer*>(user);
  try {
    TakeBody(transfer, {data, size});
    return size;
  } catch (...) {
    // curl is C: the exception waits until the transfer has ended.
    transfer.failure = std::current_exception();
    return size == 0 ? 1 : 0;
  }
}

std::size_t OnHeader(char* data, std::size_t, std::size_t size, void* user) {
  HttpTransfer& transfer = *static_cast<HttpTransfer*>(user);
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) {
    transfer.whole_head = false;
    transfer.packings = 0;
  }
  if (line == "\r\n" || line == "\n") transfer.whole_head = true;
  if (const auto date = ValueOf(line, "date:")) {
    const std::time_t time = curl_getdate(std::string(*date).c_str(), nullptr);
    if (time >= 0) transfer.answer.server_seconds = time;
  }
  try {
    for (const std::string_view name : {"content-encoding:", "transfer-encoding:"}) {
      if (const auto codings = ValueOf(line, name)) CountPackings(transfer, *codings);
    }
  } catch (...) {
    transfer.failure = std::current_exception();
    return 0;
  }
  return size;
}

bool IsLoopback(const std::string& host) {
  const bool address = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || (address && host.starts_with("127.")) || host == "[::1]";
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
    if (IsLoopback(url.host)) {
      curl_easy_setopt(easy, CURLOPT_PROXY, "");
    } else if (url.scheme == "http" && std::getenv("http_proxy") == nullptr) {
      curl_easy_setopt(easy, CURLOPT_PROXY, std::getenv("HTTP_PROXY"));
    }
    return;
  }
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, proxy.no_proxy.c_str());
  if (proxy.connect_headers.empty()) return;
  for (const auto& [name, value] : proxy.connect_headers) transfer.proxy_headers.Add(name, value);
  curl_easy_setopt(easy, CURLOPT_HEADEROPT, long{CURLHEADER_SEPARATE});
  curl_easy_setopt(easy, CURLOPT_PROXYHEADER, transfer.proxy_headers.get());
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
  } else if (const char* roots = std::getenv("SSL_CERT_FILE"); roots != nullptr && *roots != 0) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, roots);  // as in Go and OpenSSL: the system's own
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
    transfer.connect_to.Add(fmt::format("::{}:{}", url.host, url.PortOrDefault()));
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, transfer.connect_to.get());
    transfer.headers.Add("Host", fmt::format("{}:{}", url.host, url.PortOrDefault()));
  }
  std::string text = fmt::format("{}://{}:{}{}", url.scheme, host, url.PortOrDefault(), url.path);
  if (!url.query.empty()) text += "?" + url.query;
  return text;
}

/// Any header may hold a secret (a token, a cookie, a tenant): all stay at the request's origin.
void AddHeaders(HttpTransfer& transfer, const HttpOptions& options) {
  HttpHeaderList& list = transfer.headers;
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
    transfer.headers.Add("Authorization", token);
  } else if (!access.authorization.empty()) {
    transfer.headers.Add("Authorization", access.authorization);
  } else if (!basic.username.empty() || !basic.password.empty()) {
    curl_easy_setopt(transfer.easy, CURLOPT_HTTPAUTH, long{CURLAUTH_BASIC});
    curl_easy_setopt(transfer.easy, CURLOPT_USERNAME, basic.username.c_str());
    curl_easy_setopt(transfer.easy, CURLOPT_PASSWORD, basic.password.c_str());
  }
}

/// A certificate's name stands in for the host that the user gave.
bool SameOrigin(const Url& own, const Url& to, const TlsConfig& tls) {
  const std::string host = InSmallLetters(to.host);
  return to.scheme == own.scheme && to.PortOrDefault() == own.PortOrDefault() &&
         (host == InSmallLetters(own.host) ||
          (own.scheme == "https" && host == InSmallLetters(tls.server_name)));
}

[[noreturn]] void Refuse(const HttpTransfer& transfer, const std::string& why) {
  Raise(ErrorKind::kFailed, "{}: {}", NamedRequest(*transfer.request), why);
}

/// A longer Retry-After outlives every run; the bound keeps the arithmetic finite.
constexpr double kLongestWait = 1e6;

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
  return OnOneLine(detail.empty() ? curl_easy_strerror(static_cast<CURLcode>(code)) : detail);
}

Error TransportError(const HttpTransfer& transfer, int code, const std::string& origin) {
  const std::string where = NamedRequest(*transfer.request), text = CurlText(transfer, code);
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
                  said.empty() ? "" : ": " + OnOneLine(said));
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

void HttpHeaderList::Free::operator()(curl_slist* list) const { curl_slist_free_all(list); }

void HttpHeaderList::Add(const std::string& line) {
  list_.reset(curl_slist_append(list_.release(), line.c_str()));
}

void HttpHeaderList::Add(const std::string& name, const std::string& value) {
  // curl reads "Name:" as "remove this header"; a semicolon sends it with an empty value.
  Add(value.empty() ? name + ";" : name + ": " + value);
}

void OpenTransfer(HttpTransfer& transfer, std::size_t limit) {
  static_assert(std::tuple_size_v<decltype(transfer.error_text)> >= CURL_ERROR_SIZE);
  CURL* easy = curl_easy_init();
  transfer.easy = easy;
  transfer.answer = {};
  transfer.received = 0;
  transfer.whole_head = false;
  transfer.limit = limit;
  transfer.error_text[0] = '\0';
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error_text.data());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
}

void CloseTransfer(HttpTransfer& transfer) {
  curl_easy_cleanup(transfer.easy);
  transfer.easy = nullptr;
  for (auto* list : {&transfer.headers, &transfer.proxy_headers, &transfer.connect_to})
    list->Clear();
}

void CheckCredentials(const Url& url, const std::string& what) {
  if ((url.path + url.query + url.fragment).find('@') == std::string::npos) return;
  Raise(ErrorKind::kUsage,
        "{}: an @ behind the URL's host: in a user or password write @ as %40, / as %2F, ? as %3F, "
        "# as %23",
        what);
}

void SetUpTransfer(HttpTransfer& transfer, const HttpOptions& options, const std::string& token) {
  const HttpRequest& request = *transfer.request;
  const auto own = ParseUrl(request.url);
  const auto url = ParseUrl(AddressOf(transfer));
  if (!own || !url) Raise(ErrorKind::kUsage, "{}: not an http, https or unix URL", request.what);
  CheckCredentials(*own, request.what);
  CURL* easy = transfer.easy;
  AddHeaders(transfer, options);
  if (transfer.at_origin) SetCredentials(transfer, options.access, *own, token);
  curl_easy_setopt(easy, CURLOPT_URL, SetUrl(easy, *url, options.access.tls, transfer).c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
  if (!own->unix_socket.empty()) {
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, own->unix_socket.c_str());
  }
  if (!request.form.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.form.size()));
    curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request.form.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // client.cc follows
  curl_easy_setopt(
      easy, CURLOPT_HTTP_VERSION,
      options.access.enable_http2 ? long{CURL_HTTP_VERSION_2TLS} : long{CURL_HTTP_VERSION_1_1});
  if (url->scheme == "https") curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "schedlens");
  SetProxy(easy, options.access.proxy, *url, transfer);
  SetTls(easy, options.access.tls, transfer.at_origin);
}

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
  if (transfer.at_origin && InSmallLetters(to->host) != InSmallLetters(own.host)) {
    transfer.address = fmt::format("{}://{}:{}{}{}", own.scheme, own.host, own.PortOrDefault(),
                                   to->path, to->query.empty() ? "" : "?" + to->query);
  }
}

bool IsRetryableStatus(long status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

bool IsBrokenConnection(int code) {
  return code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

double BackoffSeconds(double first_seconds, int tries, double retry_after_seconds) {
  thread_local std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> jitter(0.5, 1.0);
  const double wait =
      first_seconds * static_cast<double>(1 << std::min(tries - 1, 30)) * jitter(random);
  return std::max(wait, std::min(retry_after_seconds, kLongestWait));
}

}  // namespace schedlens
