// Which parts of headers and URLs are secrets.

#include <algorithm>
#include <cctype>

#include "model/base64.h"
#include "model/known_secrets.h"
#include "model/secrets.h"
#include "model/url.h"

namespace schedlens {
namespace {

/// In small letters. Tenants and impersonated users are names, which reports show.
constexpr std::string_view kInnocuousHeaders[] = {"accept",
                                                  "accept-encoding",
                                                  "accept-language",
                                                  "cache-control",
                                                  "connection",
                                                  "content-type",
                                                  "expect",
                                                  "host",
                                                  "impersonate-group",
                                                  "impersonate-user",
                                                  "thanos-tenant",
                                                  "x-grafana-org-id",
                                                  "user-agent",
                                                  "x-scope-orgid"};

std::string InSmallLetters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

void RegisterPair(std::string_view pair) {
  const std::size_t colon = std::min(pair.find(':'), pair.size());
  RegisterCredentials(pair.substr(0, colon), pair.substr(std::min(colon + 1, pair.size())));
}

void RegisterCookies(std::string_view cookies) {
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    const std::string_view cookie = cookies.substr(0, end);
    RegisterSecret(cookie.substr(std::min(cookie.find('='), cookie.size() - 1) + 1));
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
}

}  // namespace

void RegisterCredentials(std::string_view user, std::string_view password) {
  if (password.empty()) return RegisterSecret(user);
  RegisterSecret(password);
  RegisterSecret(std::string(user) + ":" + std::string(password));
}

void RegisterHeader(std::string_view name, std::string_view value) {
  const std::string small = InSmallLetters(name);
  if (std::find(std::begin(kInnocuousHeaders), std::end(kInnocuousHeaders), small) !=
      std::end(kInnocuousHeaders)) {
    return;
  }
  RegisterSecret(value);
  if (small == "cookie") return RegisterCookies(value);
  const std::size_t blank = value.find(' ');
  if (blank == std::string_view::npos) return;
  RegisterSecret(value.substr(blank + 1));
  if (InSmallLetters(value.substr(0, blank)) != "basic") return;
  if (const auto pair = DecodeBase64(value.substr(blank + 1))) RegisterPair(*pair);
}

void RegisterSecretsOfUrl(std::string_view url) {
  const std::size_t at = url.rfind('@');
  if (at != std::string_view::npos) {
    const std::size_t scheme = url.find("://");
    const std::size_t start = scheme < at ? scheme + 3 : 0;
    const std::string_view pair = url.substr(start, at - start);
    RegisterPair(pair);
    RegisterPair(PercentDecode(pair, false));
  }
  std::string parameters(url.substr(std::min(url.find_first_of("?#"), url.size())));
  std::replace_if(
      parameters.begin(), parameters.end(), [](char c) { return c == '?' || c == '#'; }, '&');
  for (const auto& [name, value] : ParseQueryString(parameters)) {
    if (IsSecretName(name)) RegisterSecret(value);
  }
}

}  // namespace schedlens
