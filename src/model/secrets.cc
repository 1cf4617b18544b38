#include "model/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/url.h"

namespace schedlens {
namespace {

constexpr std::string_view kBetweenUrls = " \t\r\n\"'`";
constexpr std::string_view kBeforeParameter = "?&;#";
/// Parts of the names of parameters that hold secrets, in small letters.
constexpr std::array<std::string_view, 11> kSecretNames = {"token",      "key",     "pass",  "pwd",
                                                           "secret",     "auth",    "sig",   "jwt",
                                                           "credential", "session", "bearer"};

std::string WithoutSecretParameters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find_first_of(kBeforeParameter), text.size());
    const std::size_t start = std::min(mark + 1, text.size());
    out += text.substr(0, start);
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(kBeforeParameter), text.size());
    const std::size_t equals = text.find('=');
    if (equals >= end || !IsSecretName(text.substr(0, equals))) continue;
    // A value may hold marks itself: up to what is clearly the next parameter.
    std::size_t stop = equals;
    do {
      stop = std::min(text.find_first_of("&#", stop + 1), text.size());
    } while (stop < text.size() && text[stop] == '&' && text.find('=', stop) == std::string::npos);
    out += std::string(text.substr(0, equals + 1)) + std::string(kSecretText);
    text.remove_prefix(stop);
  }
  return out;
}

/// What stands behind the `@` of PromQL.
bool IsEvaluationTime(std::string_view text) {
  if (text.starts_with("start(") || text.starts_with("end(")) return true;
  const std::size_t end = text.find_first_not_of("+-0123456789.eE");
  const std::string_view number = text.substr(0, end);
  const bool one_point = std::count(number.begin(), number.end(), '.') <= 1;
  return one_point && (end == std::string_view::npos || text[end] == ')' || text[end] == ',');
}

/// Where the credentials of a URL without a scheme begin: behind `--url=` or a bracket.
std::size_t StartOfBare(std::string_view word) {
  if (word.starts_with("--") && word.find('=') != std::string_view::npos) {
    return word.find('=') + 1;
  }
  const std::size_t start = word.find_first_not_of("([{<");
  return start == std::string_view::npos || word.starts_with(kSecretText) ? 0 : start;
}

std::string HideFromTo(std::string_view text, std::size_t from, std::size_t to) {
  return std::string(text.substr(0, from)) + std::string(kSecretText) +
         WithoutSecretParameters(text.substr(to));
}

std::string HideInWord(std::string_view word) {
  const std::size_t at = word.rfind('@');
  const std::size_t scheme = word.find("://");
  if (at == std::string_view::npos) return WithoutSecretParameters(word);
  if (scheme < at) return HideFromTo(word, scheme + 3, at);
  const bool named = word.find(':') < at;
  if (!named || IsEvaluationTime(word.substr(at + 1))) return WithoutSecretParameters(word);
  return HideFromTo(word, StartOfBare(word), at);
}

/// Whether a URL with a user begins in the text before `end`, and its `@` lies behind: a quote or a
/// blank belonged to its password.
bool IsOpenUrl(std::string_view word, std::string_view rest) {
  const std::size_t scheme = word.find("://");
  if (scheme == std::string_view::npos || word.find('@') != std::string_view::npos) return false;
  const std::string_view authority = word.substr(scheme + 3);
  const std::size_t colon = authority.find(':');
  if (colon == std::string_view::npos || authority.starts_with('[')) return false;
  const std::string_view port =
      authority.substr(colon + 1, authority.find_first_of("/?#", colon) - colon - 1);
  const bool is_port =
      !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
  const std::size_t at = rest.find('@');
  return !is_port && at != std::string_view::npos && rest.substr(0, at).find('\n') == rest.npos;
}

}  // namespace

bool IsSecretName(std::string_view name) {
  std::string small = PercentDecode(name, true);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kSecretNames.begin(), kSecretNames.end(),
                     [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

std::string HideSecrets(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = std::min(text.find_first_of(kBetweenUrls), text.size());
    while (end < text.size() && IsOpenUrl(text.substr(0, end), text.substr(end))) {
      const std::size_t at = text.find('@', end);
      end = std::min(text.find_first_of(kBetweenUrls, at), text.size());
    }
    out += HideInWord(text.substr(0, end));
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string HideSecretsOfUrl(std::string_view url) {
  const std::size_t at = url.rfind('@');
  if (at == std::string_view::npos) return WithoutSecretParameters(url);
  const std::size_t scheme = url.find("://");
  return HideFromTo(url, scheme < at ? scheme + 3 : 0, at);
}

}  // namespace schedlens
