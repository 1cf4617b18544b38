#include "source/http/oauth2.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/url.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

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
  std::string scopes;
  for (const std::string& scope : config.scopes) scopes += (scopes.empty() ? "" : " ") + scope;
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
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127; });
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

[[noreturn]] void FailRedirected(const OAuth2Config& config, int status) {
  throw Error(ErrorKind::kFailed,
              fmt::format("oauth2 token ({}): the server redirects ({}), and the client's secret "
                          "goes to no other address: give the one behind it as token_url",
                          PrintableUrl(config.token_url), status));
}

}  // namespace

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
      if (answer.status / 100 == 3) FailRedirected(config, answer.status);
      if (auto token = ReadToken(answer)) return *token;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kAuth || name_client) throw;
    }
  }
  throw Error(ErrorKind::kAuth, fmt::format("oauth2 token ({}): the answer holds no access_token: "
                                            "check client_id, client_secret and scopes",
                                            PrintableUrl(config.token_url)));
}

}  // namespace schedlens
