#include "cli/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/shell.h"
#include "model/url.h"

namespace schedlens {
namespace {

constexpr std::string_view kSecret = "<secret>";
/// Parts of the names of parameters that hold secrets, in small letters.
constexpr std::array<std::string_view, 8> kSecretNames = {"token",  "key",  "password", "passwd",
                                                          "secret", "auth", "sig",      "jwt"};

bool IsSecretName(std::string_view name) {
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kSecretNames.begin(), kSecretNames.end(),
                     [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

/// Where the credentials of a URL without a scheme (`user:password@host`) end; 0 without any.
std::size_t BareCredentials(const std::string& text) {
  const std::size_t at = text.find('@');
  return at == std::string::npos || text.find('/') < at ? 0 : at;
}

/// The query part with the values of secret parameters hidden.
std::string WithoutSecretParameters(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("&;#?", at), text.size());
    const std::size_t equals = text.find('=', at);
    if (equals < end && IsSecretName(std::string_view(text).substr(at, equals - at))) {
      out += text.substr(at, equals + 1 - at) + std::string(kSecret);
    } else {
      out += text.substr(at, end - at);
    }
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

/// The path of a chat's webhook is its secret.
std::string ServerAlone(const std::string& text) {
  auto url = ParseUrl(text);
  if (!url || !url->unix_socket.empty()) return std::string(kSecret);
  url->path.clear();
  return url->WithoutSecrets() + "/" + std::string(kSecret);
}

const Option* Named(const Options& options, const std::string& word) {
  for (const Option& option : options) {
    const std::vector<std::string> names = NamesOf(option);
    if (std::find(names.begin(), names.end(), word) != names.end()) return &option;
  }
  return nullptr;
}

std::string LongName(const Option& option) {
  const std::vector<std::string> names = LongNames({option});
  return names.empty() ? "" : names.front();
}

}  // namespace

std::string WithoutHeaderValue(const std::string& header) {
  return header.substr(0, header.find(':')) + ": " + std::string(kSecret);
}

std::string WithoutCredentials(const std::string& text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return text;
  const std::string head = text.substr(0, scheme + 3);
  std::string rest = text.substr(scheme + 3);
  // Beyond these there is no user, but perhaps PromQL with a URL in it.
  const std::size_t path = std::min(rest.find_first_of("/?#\"'` {}"), rest.size());
  const std::size_t at = rest.substr(0, path).rfind('@');
  if (at != std::string::npos) rest = std::string(kSecret) + rest.substr(at);
  const std::size_t query = rest.find_first_of("?#");
  if (query == std::string::npos) return head + rest;
  return head + rest.substr(0, query + 1) + WithoutSecretParameters(rest.substr(query + 1));
}

std::string Printable(std::string_view option, const std::string& value) {
  if (option == "header") return WithoutHeaderValue(value);
  if (option == "notify") return ServerAlone(value);
  if (option == "prometheus") {
    if (const std::size_t at = BareCredentials(value); at > 0) {
      return std::string(kSecret) + value.substr(at);
    }
  }
  return WithoutCredentials(value);
}

std::string CommandText(const std::vector<std::string>& words, const Options& options) {
  std::string out = "schedlens";
  const Option* open = nullptr;  // whose value comes next
  for (const std::string& word : words) {
    std::string text = word;
    const std::size_t equals = word.find('=');
    const bool dashed = word.starts_with("-") && word.size() > 1;
    const Option* own = dashed ? Named(options, word.substr(0, equals)) : nullptr;
    if (own != nullptr && equals != std::string::npos) {
      text = word.substr(0, equals + 1) + Printable(LongName(*own), word.substr(equals + 1));
    } else if (own == nullptr) {
      text = Printable(open != nullptr ? LongName(*open) : "", word);
    }
    open = own != nullptr && own->takes_value() && equals == std::string::npos ? own : nullptr;
    out += " " + ShellWord(text);
  }
  return out;
}

}  // namespace schedlens
