#include "source/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <random>

#include "model/url.h"
#include "schedlens/error.h"
#include "source/oauth2.h"

namespace schedlens {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long kMaxRedirects = 10;
constexpr std::size_t kMaxErrorBody = std::size_t{1} << 20;
/// How often the multi loop looks at `interrupted`.
constexpr int kPollMs = 100;
/// A longer Retry-After outlives every run; the bound keeps the arithmetic finite.
constexpr double kLongestWait = 1e6;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Clock::duration ToDuration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// An owned curl_slist.
class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { curl_slist_free_all(list_); }
  void Add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  void Add(const std::string& name, const std::string& value) {
    // curl reads "Name:" as "remove this header"; a semicolon sends it with an empty value.
    Add(value.empty() ? name + ";" : name + ": " + value);
  }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

/// One request on its way: what it needs as long as curl works on it.
struct Transfer {
  const HttpRequest* request = nullptr;
  std::size_t index = 0;
  int tries = 0;
  Clock::time_point not_before;
  Clock::time_point started;

  CURL* easy = nullptr;
  std::unique_ptr<HeaderList> headers, proxy_headers, connect_to;
  std::array<char, CURL_ERROR_SIZE> error_text{};
  HttpAnswer answer;
  std::size_t received = 0;
  std::size_t limit = 0;
  bool whole_head = false;  ///< the blank line after the headers has come
  std::exception_ptr failure;
};

std::string Where(const HttpRequest& request) {
  return fmt::format("{} ({})", request.what, PrintableUrl(request.url));
}

void TakeBody(Transfer& transfer, std::string_view piece) {
  long status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  const bool good = status >= 200 && status < 300;
  transfer.received += piece.size();
  if (good && transfer.received > transfer.limit) {
    throw Error(ErrorKind::kFailed,
                fmt::format("{}: the answer is larger than the limit of {} MiB: ask for a shorter "
                            "--window or narrow it with --selector",
                            Where(*transfer.request), transfer.limit >> 20));
  }
  if (good && transfer.request->sink) {
    transfer.request->sink(piece);
  } else if (good || transfer.answer.body.size() < kMaxErrorBody) {
    transfer.answer.body.append(piece);
  }
}

std::size_t OnBody(char* data, std::size_t, std::size_t size, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
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
  Transfer& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) transfer.whole_head = false;
  if (line == "\r\n" || line == "\n") transfer.whole_head = true;
  constexpr std::string_view kDate = "date:";
  if (line.size() > kDate.size() &&
      std::equal(kDate.begin(), kDate.end(), line.begin(),
                 [](char want, char got) { return want == (got | 0x20) || want == got; })) {
    const std::time_t time = curl_getdate(std::string(line.substr(kDate.size())).c_str(), nullptr);
    if (time >= 0) transfer.answer.server_seconds = time;
  }
  return size;
}

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "[::1]";
}

void SetProxy(CURL* easy, const ProxyConfig& proxy, const Url& url, Transfer& transfer) {
  if (proxy.from_environment) {
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
  transfer.proxy_headers = std::make_unique<HeaderList>();
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

void SetTls(CURL* easy, const TlsConfig& tls) {
  if (!tls.ca.empty() || !tls.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // the given roots replace the system's
    if (tls.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
  }
  SetPem(easy, CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB, tls.ca_file, tls.ca);
  SetPem(easy, CURLOPT_SSLCERT, CURLOPT_SSLCERT_BLOB, tls.cert_file, tls.cert);
  SetPem(easy, CURLOPT_SSLKEY, CURLOPT_SSLKEY_BLOB, tls.key_file, tls.key);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, tls.insecure_skip_verify ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, tls.insecure_skip_verify ? 0L : 2L);
  const long highest = tls.max_version.empty() ? 0L : TlsVersion(tls.max_version) << 16;
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, TlsVersion(tls.min_version) | highest);
}

/// `server_name` is the name the certificate must carry and the one sent in the handshake: the URL
/// names it, the connection goes where the user said.
std::string SetUrl(CURL* easy, const Url& url, const TlsConfig& tls, Transfer& transfer) {
  std::string host = url.host;
  if (!tls.server_name.empty() && url.scheme == "https") {
    host = tls.server_name;
    transfer.connect_to = std::make_unique<HeaderList>();
    transfer.connect_to->Add(fmt::format("::{}:{}", url.host, url.PortOrDefault()));
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, transfer.connect_to->get());
    transfer.headers->Add("Host", fmt::format("{}:{}", url.host, url.PortOrDefault()));
  }
  std::string text = fmt::format("{}://{}:{}{}", url.scheme, host, url.PortOrDefault(), url.path);
  if (!url.query.empty()) text += "?" + url.query;
  return text;
}

bool IsRetryableStatus(long status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// The connection was there and broke. A server that cannot be reached at all is no such case.
bool IsBrokenConnection(CURLcode code) {
  return code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  return text;
}

std::string CurlText(const Transfer& transfer, CURLcode code) {
  const std::string detail(transfer.error_text.data());
  return OneLine(detail.empty() ? curl_easy_strerror(code) : detail);
}

Error TransportError(const Transfer& transfer, CURLcode code) {
  const std::string where = Where(*transfer.request);
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
    case CURLE_COULDNT_RESOLVE_HOST:
      return {ErrorKind::kFailed,
              fmt::format("{}: cannot connect: {}: check the URL", where, text)};
    case CURLE_TOO_MANY_REDIRECTS:
      return {ErrorKind::kFailed,
              fmt::format("{}: more than {} redirects: check the URL", where, kMaxRedirects)};
    default:
      return {ErrorKind::kFailed, fmt::format("{}: {} (after {} {})", where, text, transfer.tries,
                                              transfer.tries == 1 ? "try" : "tries")};
  }
}

void InitCurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

std::string PrintableUrl(const std::string& url) {
  const auto parsed = ParseUrl(url);
  return parsed ? parsed->WithoutSecrets() : "not a URL";
}

class HttpClient::Impl {
 public:
  explicit Impl(HttpOptions options)
      : options_(std::move(options)),
        deadline_(Clock::now() + ToDuration(options_.total_timeout_seconds)),
        random_(std::random_device{}()) {
    InitCurl();
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, long{options_.concurrency});
  }
  ~Impl() { curl_multi_cleanup(multi_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::vector<HttpAnswer> FetchAll(const std::vector<HttpRequest>& requests);

 private:
  void SetUp(Transfer& transfer);
  void SetCredentials(Transfer& transfer, const Url& url);
  void AddHeaders(Transfer& transfer);
  void Start(Transfer& transfer);
  void Drop(Transfer& transfer);
  void DropActive();
  /// True when the transfer is done; false when it shall be tried again.
  bool Finish(Transfer& transfer, CURLcode code);
  void ScheduleRetry(Transfer& transfer, long retry_after);
  void StartReady(std::deque<Transfer*>& waiting);
  std::size_t TakeFinished(std::deque<Transfer*>& waiting);
  void Wait(const std::deque<Transfer*>& waiting);
  void CheckLimits(const HttpRequest& request) const;
  Error TimeoutError(const HttpRequest& request) const;

  HttpOptions options_;
  Clock::time_point deadline_;
  std::mt19937 random_;
  CURLM* multi_ = nullptr;
  std::vector<Transfer*> active_;
  std::optional<OAuth2Token> token_;
};

Error HttpClient::Impl::TimeoutError(const HttpRequest& request) const {
  const double limit = std::min(options_.query_timeout_seconds, options_.total_timeout_seconds);
  return {ErrorKind::kTimeout, fmt::format("{}: no complete answer in time (limit {:g} s): raise "
                                           "--timeout or ask for a shorter --window",
                                           Where(request), limit)};
}

void HttpClient::Impl::CheckLimits(const HttpRequest& request) const {
  if (options_.interrupted && options_.interrupted()) {
    throw Error(ErrorKind::kInterrupted, Where(request) + ": interrupted");
  }
  if (Clock::now() >= deadline_) throw TimeoutError(request);
}

void HttpClient::Impl::AddHeaders(Transfer& transfer) {
  HeaderList& list = *transfer.headers;
  for (const auto& [name, value] : options_.access.headers) list.Add(name, value);
  for (const auto& [name, value] : options_.headers) list.Add(name, value);
  for (const auto& [name, value] : transfer.request->headers) list.Add(name, value);
  list.Add("Expect:");  // no round trip before a form is sent
}

void HttpClient::Impl::SetCredentials(Transfer& transfer, const Url& url) {
  const HttpConfig& access = options_.access;
  BasicAuth basic = access.basic_auth.value_or(BasicAuth{url.user, url.password});
  if (access.oauth2) {
    if (!token_ || Clock::now() >= token_->expires) {
      HttpOptions options;
      options.total_timeout_seconds =
          std::chrono::duration<double>(deadline_ - Clock::now()).count();
      options.query_timeout_seconds = options_.query_timeout_seconds;
      options.interrupted = options_.interrupted;
      options.log = options_.log;
      token_ = FetchToken(*access.oauth2, std::move(options));
    }
    transfer.headers->Add("Authorization", token_->authorization);
  } else if (!access.authorization.empty()) {
    transfer.headers->Add("Authorization", access.authorization);
  } else if (!basic.username.empty() || !basic.password.empty()) {
    curl_easy_setopt(transfer.easy, CURLOPT_HTTPAUTH, long{CURLAUTH_BASIC});
    curl_easy_setopt(transfer.easy, CURLOPT_USERNAME, basic.username.c_str());
    curl_easy_setopt(transfer.easy, CURLOPT_PASSWORD, basic.password.c_str());
  }
}

void HttpClient::Impl::SetUp(Transfer& transfer) {
  const HttpRequest& request = *transfer.request;
  const auto url = ParseUrl(request.url);
  if (!url) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: not an http, https or unix URL", request.what));
  }
  CURL* easy = transfer.easy;
  AddHeaders(transfer);
  SetCredentials(transfer, *url);
  curl_easy_setopt(easy, CURLOPT_URL, SetUrl(easy, *url, options_.access.tls, transfer).c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers->get());
  const std::string& socket = url->unix_socket.empty() ? options_.unix_socket : url->unix_socket;
  if (!socket.empty()) curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket.c_str());
  if (!request.form.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.form.size()));
    curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request.form.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, options_.access.follow_redirects ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, kMaxRedirects);
  // A query asks and changes nothing, so a redirected form stays a form.
  curl_easy_setopt(easy, CURLOPT_POSTREDIR, long{CURL_REDIR_POST_ALL});
  curl_easy_setopt(
      easy, CURLOPT_HTTP_VERSION,
      options_.access.enable_http2 ? long{CURL_HTTP_VERSION_2TLS} : long{CURL_HTTP_VERSION_1_1});
  if (url->scheme == "https") curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "schedlens");
  SetProxy(easy, options_.access.proxy, *url, transfer);
  SetTls(easy, options_.access.tls);
}

void HttpClient::Impl::Start(Transfer& transfer) {
  CheckLimits(*transfer.request);
  ++transfer.tries;
  transfer.easy = curl_easy_init();
  transfer.headers = std::make_unique<HeaderList>();
  transfer.answer = {};
  transfer.received = 0;
  transfer.whole_head = false;
  transfer.limit = options_.max_answer_bytes;
  transfer.error_text[0] = '\0';
  active_.push_back(&transfer);
  SetUp(transfer);

  CURL* easy = transfer.easy;
  const double left = std::chrono::duration<double>(deadline_ - Clock::now()).count();
  const double limit = std::max(0.001, std::min(left, options_.query_timeout_seconds));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(limit * 1000) + 1);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limit * 1000) + 1);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error_text.data());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  transfer.started = Clock::now();
  curl_multi_add_handle(multi_, easy);
}

void HttpClient::Impl::Drop(Transfer& transfer) {
  curl_multi_remove_handle(multi_, transfer.easy);
  curl_easy_cleanup(transfer.easy);
  transfer.easy = nullptr;
  transfer.headers.reset();
  transfer.proxy_headers.reset();
  transfer.connect_to.reset();
  active_.erase(std::remove(active_.begin(), active_.end(), &transfer), active_.end());
}

void HttpClient::Impl::DropActive() {
  while (!active_.empty()) Drop(*active_.back());
}

void HttpClient::Impl::ScheduleRetry(Transfer& transfer, long retry_after) {
  std::uniform_real_distribution<double> jitter(0.5, 1.0);
  double wait = options_.first_backoff_seconds * static_cast<double>(1 << (transfer.tries - 1)) *
                jitter(random_);
  wait = std::max(wait, std::min(static_cast<double>(retry_after), kLongestWait));
  transfer.not_before = Clock::now() + ToDuration(wait);
  if (transfer.not_before >= deadline_) {
    throw Error(ErrorKind::kTimeout,
                fmt::format("{}: the server wants {:.3g} s of patience, more than --timeout leaves",
                            Where(*transfer.request), wait));
  }
  if (transfer.request->restart) transfer.request->restart();
}

bool HttpClient::Impl::Finish(Transfer& transfer, CURLcode code) {
  const HttpRequest& request = *transfer.request;
  // curl takes a connection that closes within the headers for an empty answer.
  if (code == CURLE_OK && !transfer.whole_head) code = CURLE_GOT_NOTHING;
  long status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  if (options_.log) {
    options_.log(fmt::format("{} {} -> {} in {:.3f} s, {} bytes",
                             request.form.empty() ? "GET" : "POST", PrintableUrl(request.url),
                             code == CURLE_OK ? std::to_string(status) : CurlText(transfer, code),
                             SecondsSince(transfer.started), transfer.received));
  }
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  if (code == CURLE_OPERATION_TIMEDOUT) throw TimeoutError(request);
  const bool again = transfer.tries < options_.tries;
  if (code != CURLE_OK) {
    if (!IsBrokenConnection(code) || !again) throw TransportError(transfer, code);
    ScheduleRetry(transfer, 0);
    return false;
  }
  if (status == 401 || status == 403) {
    throw Error(ErrorKind::kAuth,
                fmt::format("{}: the server refuses access ({}): give credentials in "
                            "--http.config.file or --header, or a --tenant",
                            Where(request), status));
  }
  const bool settled = request.settled && request.settled(transfer.answer);
  if (IsRetryableStatus(status) && again && !settled) {
    curl_off_t retry_after = 0;
    curl_easy_getinfo(transfer.easy, CURLINFO_RETRY_AFTER, &retry_after);
    ScheduleRetry(transfer, static_cast<long>(retry_after));
    return false;
  }
  transfer.answer.status = static_cast<int>(status);
  const char* type = nullptr;
  curl_easy_getinfo(transfer.easy, CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) transfer.answer.content_type = type;
  if (request.done) request.done(transfer.answer);
  return true;
}

void HttpClient::Impl::StartReady(std::deque<Transfer*>& waiting) {
  const auto now = Clock::now();
  for (auto it = waiting.begin();
       it != waiting.end() && active_.size() < static_cast<std::size_t>(options_.concurrency);) {
    if ((*it)->not_before > now) {
      ++it;
      continue;
    }
    Transfer* transfer = *it;
    it = waiting.erase(it);
    Start(*transfer);
  }
}

std::size_t HttpClient::Impl::TakeFinished(std::deque<Transfer*>& waiting) {
  std::size_t finished = 0;
  int queued = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &queued)) {
    if (message->msg != CURLMSG_DONE) continue;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    const bool done = Finish(*transfer, message->data.result);
    Drop(*transfer);
    if (done) {
      ++finished;
    } else {
      waiting.push_back(transfer);
    }
  }
  return finished;
}

void HttpClient::Impl::Wait(const std::deque<Transfer*>& waiting) {
  auto until = std::min(deadline_, Clock::now() + std::chrono::milliseconds(kPollMs));
  for (const Transfer* transfer : waiting) {
    if (active_.size() < static_cast<std::size_t>(options_.concurrency)) {
      until = std::min(until, transfer->not_before);
    }
  }
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::max<std::int64_t>(ms, 0)), nullptr);
}

std::vector<HttpAnswer> HttpClient::Impl::FetchAll(const std::vector<HttpRequest>& requests) {
  std::vector<std::unique_ptr<Transfer>> transfers;
  std::deque<Transfer*> waiting;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    transfers.push_back(std::make_unique<Transfer>());
    transfers.back()->request = &requests[i];
    transfers.back()->index = i;
    waiting.push_back(transfers.back().get());
  }
  try {
    for (std::size_t left = requests.size(); left > 0;) {
      StartReady(waiting);
      int running = 0;
      curl_multi_perform(multi_, &running);
      const std::size_t finished = TakeFinished(waiting);
      left -= finished;
      if (left == 0) break;
      CheckLimits(active_.empty() ? *waiting.front()->request : *active_.front()->request);
      if (finished == 0) Wait(waiting);
    }
  } catch (...) {
    DropActive();
    throw;
  }
  std::vector<HttpAnswer> answers;
  answers.reserve(requests.size());
  for (const auto& transfer : transfers) answers.push_back(std::move(transfer->answer));
  return answers;
}

HttpClient::HttpClient(HttpOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
HttpClient::~HttpClient() = default;

std::vector<HttpAnswer> HttpClient::FetchAll(const std::vector<HttpRequest>& requests) {
  return impl_->FetchAll(requests);
}

HttpAnswer HttpClient::Fetch(const HttpRequest& request) {
  return std::move(impl_->FetchAll({request}).front());
}

}  // namespace schedlens
