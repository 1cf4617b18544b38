#include "cli/secrets.h"

#include <algorithm>
#include <cctype>

#include "model/known_secrets.h"
#include "model/secrets.h"
#include "model/shell.h"
#include "model/url.h"

namespace schedlens {
namespace {

/// `Name: <secret>` of a header.
std::string WithoutHeaderValue(const std::string& header) {
  const std::string name = header.substr(0, header.find(':'));
  // Without a colon, or with blanks before it, all of it may be the value.
  const bool named =
      name.size() < header.size() &&
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127; });
  return named ? name + ": " + std::string(kSecretText) : std::string(kSecretText);
}

/// The path of a chat's webhook is its secret.
std::string ServerAlone(const std::string& text) {
  auto url = ParseUrl(text);
  if (!url || !url->unix_socket.empty()) return std::string(kSecretText);
  url->path.clear();
  return url->WithoutSecrets() + "/" + std::string(kSecretText);
}

/// A value that begins with a scheme is one URL, with whatever blanks and line breaks in its
/// password.
bool StartsAsUrl(std::string_view value) {
  const std::size_t scheme = value.find("://");
  return scheme != 0 && scheme != std::string_view::npos &&
         std::all_of(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(scheme),
                     [](char c) {
                       return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' ||
                              c == '-' || c == '.';
                     });
}

std::string LongName(const Option& option) {
  const std::vector<std::string> names = LongNames({option});
  return names.empty() ? "" : names.front();
}

/// Calls `take(option, value)` for each word, without an option's name where it has none. `Char` is
/// as the words are.
template <class Char, class Take>
void EachTyped(std::span<Char* const> words, const Take& take) {
  std::string open;  // whose value comes next
  for (Char* const word : words) {
    const std::string_view text(word);
    const std::size_t equals = text.find('=');
    const bool named = text.starts_with("--");
    if (named && equals != std::string_view::npos) {
      take(std::string(text.substr(2, equals - 2)), word + equals + 1);
    } else if (!named) {
      take(open, word);
    }
    open = named && equals == std::string_view::npos ? text.substr(2) : "";
  }
}

}  // namespace

void RegisterGiven(std::string_view option, const std::string& value) {
  if (Printable(option, value) == value) return;
  if (option == "header") {
    const std::size_t colon = value.find(':');
    if (colon == std::string::npos) return RegisterSecret(value);
    const std::size_t start = std::min(value.find_first_not_of(' ', colon + 1), value.size());
    return RegisterHeader(value.substr(0, colon), std::string_view(value).substr(start));
  }
  RegisterSecretsOfUrl(value);
  if (option != "notify") return;
  const auto url = ParseUrl(value);
  if (url && !url->path.empty()) RegisterSecret(std::string_view(url->path).substr(1));
  if (url) RegisterSecret(url->query);
}

void RegisterTyped(std::span<const char* const> words) {
  EachTyped(words,
            [](const std::string& option, const char* value) { RegisterGiven(option, value); });
}

void HideTyped(std::span<char* const> words) {
  EachTyped(words, [](const std::string& option, char* value) {
    const std::string typed(value), shown = Printable(option, typed);
    if (shown == typed) return;
    const auto [start, none] =
        std::mismatch(typed.begin(), typed.end(), shown.begin(), shown.end());
    const std::size_t before = static_cast<std::size_t>(start - typed.begin());
    const auto [end, left] = std::mismatch(typed.rbegin(), typed.rend() - static_cast<long>(before),
                                           shown.rbegin(), shown.rend());
    std::fill(value + before, value + (typed.rend() - end), '*');
  });
}

std::string Printable(std::string_view option, const std::string& value) {
  if (option == "header") return WithoutHeaderValue(value);
  if (option == "notify") return ServerAlone(value);
  const bool is_url = option == "prometheus" || option == "url" || option == "scrape";
  return is_url || StartsAsUrl(value) ? HideSecretsOfUrl(value) : HideSecrets(value);
}

std::string CommandText(const std::vector<std::string>& words, const Options& options) {
  std::string out = "schedlens";
  const Option* open = nullptr;  // whose value comes next
  for (const std::string& word : words) {
    std::string text = word;
    const std::size_t equals = word.find('=');
    const bool dashed = word.starts_with("-") && word.size() > 1;
    const Option* own = dashed ? FindOption(options, word.substr(0, equals)) : nullptr;
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
