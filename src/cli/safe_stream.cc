#include "cli/safe_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/secrets.h"
#include "model/utf8.h"
#include "report/escape.h"

namespace schedlens {
namespace {

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

}  // namespace

bool SafeStream::Buffer::PutOwn(std::string_view text) {
  Put("", true);
  to_ << MaskKnownSecrets(std::string(text));
  return static_cast<bool>(to_);
}

SafeStream::Buffer::int_type SafeStream::Buffer::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return 0;
  const char c = traits_type::to_char_type(byte);
  return xsputn(&c, 1) == 1 ? byte : traits_type::eof();
}

std::streamsize SafeStream::Buffer::xsputn(const char* text, std::streamsize size) {
  Put({text, static_cast<std::size_t>(size)}, false);
  return to_ ? size : 0;
}

int SafeStream::Buffer::sync() {
  Put("", true);
  to_.flush();
  return to_ ? 0 : -1;
}

void SafeStream::Buffer::Put(std::string_view text, bool last) {
  PutMasked(mask_.Put(text, last), last);
}

void SafeStream::Buffer::PutMasked(std::string_view text, bool last) {
  std::string joined;
  if (!open_.empty()) {
    joined = open_ + std::string(text);
    open_.clear();
    text = joined;
  }
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

namespace {

constexpr std::size_t kLongestWord = 200;
constexpr std::size_t kLongestLine = 4000;

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

std::string OneLine(std::string text) {
  text = MaskKnownSecrets(std::move(text));  // before it is cut
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  text = HideSecrets(text);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return Shorten(WithoutLongWords(text), kLongestLine);
}

}  // namespace schedlens
