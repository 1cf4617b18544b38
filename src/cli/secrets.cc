#include "cli/secrets.h"

#include <algorithm>

#include "model/secrets.h"
#include "model/shell.h"
#include "model/url.h"

namespace schedlens {
namespace {

/// The path of a chat's webhook is its secret.
std::string ServerAlone(const std::string& text) {
  auto url = ParseUrl(text);
  if (!url || !url->unix_socket.empty()) return std::string(kSecretText);
  url->path.clear();
  return url->WithoutSecrets() + "/" + std::string(kSecretText);
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
  const std::string name = header.substr(0, header.find(':'));
  // Without a colon, or with blanks before it, all of it may be the value.
  const bool named =
      name.size() < header.size() &&
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127; });
  return named ? name + ": " + std::string(kSecretText) : std::string(kSecretText);
}

std::string Printable(std::string_view option, const std::string& value) {
  if (option == "header") return WithoutHeaderValue(value);
  if (option == "notify") return ServerAlone(value);
  const bool is_url = option == "prometheus" || option == "url" || option == "scrape";
  return is_url ? HideSecretsOfUrl(value) : HideSecrets(value);
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
