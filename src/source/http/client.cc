#include "source/http/client.h"

#include <curl/curl.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "base/work_budget.h"

namespace schedlens {
namespace {

using nlohmann::json;

/// How often the multi loop looks whether it is interrupted.
constexpr int kPollMs = 100;

HttpClock::duration ToDuration(double seconds) {
  return std::chrono::duration_cast<HttpClock::duration>(std::chrono::duration<double>(seconds));
}

/// A token without `expires_in` is good for the run; one with it is renewed a little early.
constexpr double kForever = 24 * 3600;
constexpr double kEarly = 10;
/// A longer one fits no server's limit on headers.
constexpr std::size_t kLongestToken = std::size_t{256} << 10;

void AddField(std::string& form, const std::string& name, const std::string& value) {
  form += (form.empty() ? "" : "&") + PercentEncode(name) + "=" + PercentEncode(value);
}

std::string Form(const OAuth2Config& config, bool name_client) {
  std::string form;
  AddField(form, "grant_type", "client_credentials");
  const std::string scopes = fmt::format("{}", fmt::join(config.scopes, " "));
  if (!scopes.empty()) AddField(form, "scope", scopes);
  for (const auto& [name, value] : config.endpoint_params) AddField(form, name, value);
  if (name_client) {
    AddField(form, "client_id", config.client_id);
    AddField(form, "client_secret", config.client_secret);
  }
  return form;
}

/// What may stand in a header: the token's server is not to add others.
bool IsHeaderText(const std::string& text) {
  return text.size() <= kLongestToken &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 127; });
}

/// Nothing when the answer is not a token. The body is never quoted: it may hold secrets.
std::optional<OAuth2Token> ReadToken(const HttpAnswer& answer) {
  if (answer.status < 200 || answer.status >= 300) return std::nullopt;
  const json body = ReadJson(answer.body);
  const json& token = MemberAt(body, "access_token");
  if (!token.is_string()) return std::nullopt;
  std::string type = "Bearer";
  if (const json& given = MemberAt(body, "token_type"); given.is_string()) {
    // Servers write "bearer" in any case; resource servers are pickier than RFC 6750.
    const auto name = given.get<std::string>();
    if (name != "bearer" && name != "BEARER") type = name;
  }
  const std::string authorization = type + " " + token.get<std::string>();
  if (!IsHeaderText(authorization)) return std::nullopt;
  double seconds = kForever;
  if (const json& given = MemberAt(body, "expires_in"); given.is_number()) {
    seconds = given.get<double>() - kEarly;
  }
  const auto now = std::chrono::steady_clock::now();
  return OAuth2Token{
      authorization,
      now + std::chrono::seconds(static_cast<long>(std::clamp(seconds, 0.0, kForever)))};
}

}  // namespace

class HttpClient::Impl {
 public:
  explicit Impl(HttpOptions options)
      : options_(std::move(options)),
        deadline_(HttpClock::now() +
                  ToDuration(std::min(options_.total_timeout_seconds, schedlens::SecondsLeft()))) {
    // Once, before anything of libcurl is used; it is safe from several threads.
    [[maybe_unused]] static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, long{options_.concurrency});
  }
  ~Impl() { curl_multi_cleanup(multi_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::vector<HttpAnswer> FetchAll(const std::vector<HttpRequest>& requests) {
    std::vector<std::unique_ptr<HttpTransfer>> transfers;
    std::deque<HttpTransfer*> waiting;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      transfers.push_back(std::make_unique<HttpTransfer>());
      transfers.back()->request = &requests[i];
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
      while (!active_.empty()) Drop(*active_.back());
      throw;
    }
    std::vector<HttpAnswer> answers;
    for (const auto& transfer : transfers) answers.push_back(std::move(transfer->answer));
    return answers;
  }

 private:
  /// The OAuth 2 token's Authorization header, fetched when there is none or it has run out; empty
  /// where the configuration wants none.
  std::string Token() {
    if (!options_.access.oauth2) return "";
    if (!token_ || HttpClock::now() >= token_->expires) {
      HttpOptions options;
      options.total_timeout_seconds = SecondsLeft();
      options.query_timeout_seconds = options_.query_timeout_seconds;
      options.log = options_.log;
      token_ = FetchToken(*options_.access.oauth2, std::move(options));
      RegisterHeader("Authorization", token_->authorization);
    }
    return token_->authorization;
  }

  void Start(HttpTransfer& transfer) {
    CheckLimits(*transfer.request);
    if (transfer.redirects == 0) ++transfer.tries;
    OpenTransfer(transfer, options_.max_answer_bytes);
    active_.push_back(&transfer);
    SetUpTransfer(transfer, options_, Token());
    const double limit = std::max(0.001, std::min(SecondsLeft(), options_.query_timeout_seconds));
    curl_easy_setopt(transfer.easy, CURLOPT_TIMEOUT_MS, static_cast<long>(limit * 1000) + 1);
    curl_easy_setopt(transfer.easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limit * 1000) + 1);
    transfer.started = HttpClock::now();
    curl_multi_add_handle(multi_, transfer.easy);
  }

  void Drop(HttpTransfer& transfer) {
    curl_multi_remove_handle(multi_, transfer.easy);
    CloseTransfer(transfer);
    active_.erase(std::remove(active_.begin(), active_.end(), &transfer), active_.end());
  }

  /// True when the transfer is done; false when it shall be tried again.
  bool Finish(HttpTransfer& transfer, CURLcode code) {
    const HttpRequest& request = *transfer.request;
    // curl takes a connection that closes within the headers for an empty answer.
    if (code == CURLE_OK && !transfer.whole_head) code = CURLE_GOT_NOTHING;
    long status = 0;
    curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    if (options_.log) {
      options_.log(
          fmt::format("{}: {} {} -> {} in {:.3f} s, {} bytes", request.what,
                      request.form.empty() ? "GET" : "POST", PrintableUrl(AddressOf(transfer)),
                      code == CURLE_OK ? std::to_string(status) : CurlText(transfer, code),
                      std::chrono::duration<double>(HttpClock::now() - transfer.started).count(),
                      transfer.received));
    }
    if (transfer.failure) std::rethrow_exception(transfer.failure);
    if (code == CURLE_OPERATION_TIMEDOUT) throw HttpTimeoutError(request, Limit());
    const bool again = transfer.tries < options_.tries;
    if (code != CURLE_OK) {
      if (!IsBrokenConnection(code) || !again)
        throw TransportError(transfer, code, options_.access.origin);
      ScheduleRetry(transfer, 0);
      return false;
    }
    if (status < 200 || status >= 300) {  // gateways quote what they refuse
      transfer.answer.body = MaskKnownSecrets(std::move(transfer.answer.body));
    }
    if (status == 401 || status == 403) {
      throw AccessError(transfer, status, options_.access.origin,
                        KubernetesMessage(transfer.answer.body));
    }
    if (status == 407) throw ProxyAccessError(transfer);
    const char* location = nullptr;
    curl_easy_getinfo(transfer.easy, CURLINFO_REDIRECT_URL, &location);
    if (location != nullptr && options_.access.follow_redirects) {
      Redirect(transfer, location, options_.access.tls);
      return false;
    }
    const bool settled = request.settled && request.settled(transfer.answer);
    if (IsRetryableStatus(status) && again && !settled) {
      curl_off_t retry_after = 0;
      curl_easy_getinfo(transfer.easy, CURLINFO_RETRY_AFTER, &retry_after);
      ScheduleRetry(transfer, static_cast<long>(retry_after));
      return false;
    }
    transfer.answer.status = static_cast<int>(status);
    if (request.done) request.done(transfer.answer);
    return true;
  }

  void ScheduleRetry(HttpTransfer& transfer, long retry_after) {
    const double wait = BackoffSeconds(options_.first_backoff_seconds, transfer.tries,
                                       static_cast<double>(retry_after));
    transfer.not_before = HttpClock::now() + ToDuration(wait);
    if (transfer.not_before >= deadline_) {
      Raise(ErrorKind::kTimeout,
            "{}: the server wants {:.0f} s of patience, more than --timeout leaves",
            NamedRequest(*transfer.request), wait);
    }
    transfer.redirects = 0;
    transfer.address.clear();
    transfer.at_origin = true;
    if (transfer.request->restart) transfer.request->restart();
  }

  void StartReady(std::deque<HttpTransfer*>& waiting) {
    const auto now = HttpClock::now();
    for (auto it = waiting.begin();
         it != waiting.end() && active_.size() < static_cast<std::size_t>(options_.concurrency);) {
      if ((*it)->not_before > now) {
        ++it;
        continue;
      }
      HttpTransfer* transfer = *it;
      it = waiting.erase(it);
      Start(*transfer);
    }
  }

  std::size_t TakeFinished(std::deque<HttpTransfer*>& waiting) {
    std::size_t finished = 0;
    int queued = 0;
    std::exception_ptr failure;  // thrown when every answer that came with it has been handed out
    while (const CURLMsg* message = curl_multi_info_read(multi_, &queued)) {
      if (message->msg != CURLMSG_DONE) continue;
      HttpTransfer* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      bool done = true;
      try {
        done = Finish(*transfer, message->data.result);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
      Drop(*transfer);
      if (done) {
        ++finished;
      } else {
        waiting.push_back(transfer);
      }
    }
    if (failure) std::rethrow_exception(failure);
    return finished;
  }

  void Wait(const std::deque<HttpTransfer*>& waiting) {
    auto until = std::min(deadline_, HttpClock::now() + std::chrono::milliseconds(kPollMs));
    for (const HttpTransfer* transfer : waiting) {
      if (active_.size() < static_cast<std::size_t>(options_.concurrency)) {
        until = std::min(until, transfer->not_before);
      }
    }
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(until - HttpClock::now()).count();
    curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::max<std::int64_t>(ms, 0)), nullptr);
  }

  void CheckLimits(const HttpRequest& request) const {
    if (Interrupted()) Raise(ErrorKind::kInterrupted, "{}: interrupted", NamedRequest(request));
    if (HttpClock::now() >= deadline_) throw HttpTimeoutError(request, Limit());
  }

  double SecondsLeft() const {
    return std::chrono::duration<double>(deadline_ - HttpClock::now()).count();
  }
  /// Of one request, as messages say it.
  double Limit() const {
    return std::min(
        {options_.query_timeout_seconds, options_.total_timeout_seconds, DeadlineSeconds()});
  }

  HttpOptions options_;
  HttpClock::time_point deadline_;
  CURLM* multi_ = nullptr;
  std::vector<HttpTransfer*> active_;
  std::optional<OAuth2Token> token_;
};
HttpClient::HttpClient(HttpOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
HttpClient::~HttpClient() = default;

std::vector<HttpAnswer> HttpClient::FetchAll(const std::vector<HttpRequest>& requests) {
  return impl_->FetchAll(requests);
}

HttpAnswer HttpClient::Fetch(const HttpRequest& request) {
  return std::move(impl_->FetchAll({request}).front());
}

OAuth2Token FetchToken(const OAuth2Config& config, HttpOptions options) {
  HttpConfig access;
  access.tls = config.tls;
  access.proxy = config.proxy;
  access.follow_redirects = false;  // nobody else gets the client's secret
  for (const bool name_client : {false, true}) {
    access.basic_auth = name_client ? std::nullopt
                                    : std::optional(BasicAuth{PercentEncode(config.client_id),
                                                              PercentEncode(config.client_secret)});
    options.access = access;
    HttpClient client(options);
    HttpRequest request;
    request.url = config.token_url;
    request.form = Form(config, name_client);
    request.what = "oauth2 token";
    try {
      const HttpAnswer answer = client.Fetch(request);
      if (answer.status / 100 == 3) {
        Raise(ErrorKind::kFailed,
              "oauth2 token ({}): the server redirects ({}), and the client's secret goes to no "
              "other address: give the one behind it as token_url",
              PrintableUrl(config.token_url), answer.status);
      }
      if (auto token = ReadToken(answer)) return *token;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kAuth || name_client) throw;
    }
  }
  Raise(ErrorKind::kAuth,
        "oauth2 token ({}): the answer holds no access_token: check client_id, client_secret and "
        "scopes",
        PrintableUrl(config.token_url));
}

}  // namespace schedlens
