#include "cli/safe_stream.h"

#include <cctype>

#include "report/format.h"

namespace schedlens {
namespace {

std::string WithoutHeaderValue(const std::string& header) {
  const std::string name = header.substr(0, header.find(':'));
  // Without a colon, or with blanks before it, all of it may be the value.
  const bool named = name.size() < header.size() &&
                     std::ranges::all_of(name, [](char c) { return c > ' ' && c < 127; });
  return named ? name + ": " + std::string(kSecretText) : std::string(kSecretText);
}

/// The path of a chat's webhook is its secret.
std::string ServerAlone(const std::string& text) {
  auto url = ParseUrl(text);
  if (!url || !url->unix_socket.empty()) return std::string(kSecretText);
  url->path.clear();
  return url->WithoutSecrets() + "/" + std::string(kSecretText);
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

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte < 0x7F) || c == '\n' || c == '\t';
}

/// Controls, and the marks of Unicode's bidirectional algorithm.
bool Acts(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E ||
         code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Whether the text may be the beginning of a character, or of a line's end: its last byte asks for
/// more.
bool IsCut(std::string_view text) {
  if (text == "\r") return true;
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
  return text.size() < length && NextCharacter(text).bytes == text.size();
}

constexpr std::size_t kLongestWord = 200;
constexpr std::size_t kLongestShown = 4000;

/// Input of any length may be quoted; its beginning and its end tell which it was.
std::string WithoutLongWords(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    out += Shorten(text.substr(0, end), kLongestWord);
    if (end < text.size()) out += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

bool StartsAsUrl(std::string_view value) {
  const std::size_t scheme = value.find("://");
  return scheme != 0 && scheme != std::string_view::npos &&
         std::ranges::all_of(value.substr(0, scheme), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
         });
}

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
    const auto [start, none] = std::ranges::mismatch(typed, shown);
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

void SafeStream::PutOwn(std::string_view text) {
  Put("", true);
  to_ << MaskKnownSecrets(std::string(text));
  if (!to_) setstate(std::ios::badbit);
}

std::streambuf::int_type SafeStream::overflow(std::streambuf::int_type byte) {
  using Traits = std::streambuf::traits_type;
  if (Traits::eq_int_type(byte, Traits::eof())) return 0;
  const char c = Traits::to_char_type(byte);
  return xsputn(&c, 1) == 1 ? byte : Traits::eof();
}

std::streamsize SafeStream::xsputn(const char* text, std::streamsize size) {
  Put({text, static_cast<std::size_t>(size)}, false);
  return to_ ? size : 0;
}

int SafeStream::sync() {
  Put("", true);
  to_.flush();
  return to_ ? 0 : -1;
}

void SafeStream::Put(std::string_view text, bool last) {
  const std::string joined = std::exchange(open_, "") + mask_.Put(text, last);
  text = joined;
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    to_ << text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    if (!last && IsCut(text)) {
      open_ = text;
      return;
    }
    if (text.starts_with("\r\n")) {  // as files from Windows end their lines
      to_ << "\r\n";
      text.remove_prefix(2);
      continue;
    }
    const Character next = NextCharacter(text);
    std::string shown;
    if (Acts(next.code)) {
      shown = fmt::format("\\u{:04x}", static_cast<unsigned>(next.code));
    } else {
      AppendUtf8(shown, next.code);
    }
    to_ << shown;
    text.remove_prefix(next.bytes);
  }
}

std::ostream& operator<<(std::ostream& out, Own own) {
  if (auto* safe = dynamic_cast<SafeStream*>(&out)) {
    safe->PutOwn(own.text);
    return out;
  }
  return out << own.text;
}

std::string OneLine(std::string text) {
  text = HideSecrets(OnOneLine(MaskKnownSecrets(std::move(text))));  // before it is cut
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return Shorten(WithoutLongWords(text), kLongestShown);
}

}  // namespace schedlens
