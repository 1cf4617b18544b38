#include "base/json.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace schedlens {
namespace {

/// A double that cannot be taken for an integer: `6000.0`, `1e+15`, `0.25`, `1e-05`.
std::string WithPoint(double number) {
  const double size = std::fabs(number);
  if (size != 0 && (size < 1e-4 || size >= 1e15)) {
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
    return {buffer, end};
  }
  std::string text = FormatNumber(number);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

/// The letter of a short escape, `\n`; 0 for characters without one in the style.
char ShortEscape(char c, JsonStyle style) {
  constexpr std::string_view kMeant = "\"\\\n\r\t\b\f", kLetters = "\"\\nrtbf";
  const std::size_t used = style == JsonStyle::kReport ? 3 : style == JsonStyle::kCompact ? 7 : 5;
  const std::size_t at = kMeant.substr(0, used).find(c);
  return at == std::string_view::npos ? '\0' : kLetters[at];
}

bool NeedsEscape(unsigned char byte, JsonStyle style) {
  if (byte < 0x20 || byte == '"' || byte == '\\') return true;
  if (byte == 0x7F) return style == JsonStyle::kReport;
  return style == JsonStyle::kLine && (byte == '<' || byte == '>' || byte == '&');
}

}  // namespace

std::string_view ShallowJson(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; (at = text.find_first_of("[]{}\"", at)) != std::string_view::npos;
       ++at) {
    const char c = text[at];
    if (c == ']' || c == '}') {
      --depth;
    } else if (c != '"') {
      if (++depth > kDeepestJson) return {};
    } else {
      at = text.find_first_of("\"\\", at + 1);
      while (at != std::string_view::npos && text[at] == '\\')
        at = text.find_first_of("\"\\", at + 2);
      if (at == std::string_view::npos) break;
    }
  }
  return text;
}

nlohmann::json ReadJson(std::string_view text) {
  return nlohmann::json::parse(ShallowJson(text), nullptr, false);
}

const nlohmann::json& MemberAt(const nlohmann::json& object, const char* key) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto at = object.find(key);
  return at == object.end() ? none : *at;
}

const nlohmann::json& ListAt(const nlohmann::json& object, const char* key) {
  static const nlohmann::json empty = nlohmann::json::array();
  const nlohmann::json& member = MemberAt(object, key);
  return member.is_array() ? member : empty;
}

std::string TextAt(const nlohmann::json& object, const char* key) {
  const nlohmann::json& member = MemberAt(object, key);
  return member.is_string() ? member.get<std::string>() : "";
}

std::string WriteJson(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonText::Key(std::string_view key) {
  NewLine();
  Put(key);
  out_ += OneLine() ? ":" : ": ";
}

void JsonText::NewLine() {
  if (!first_) out_ += flat_ && !OneLine() ? ", " : ",";
  first_ = false;
  Break();
}

void JsonText::Break() {
  if (flat_ || OneLine()) return;
  out_ += '\n';
  out_.append(2 * depth_, ' ');
}

void JsonText::Open(char bracket) {
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonText::Close(char bracket) {
  --depth_;
  if (!first_) Break();
  first_ = false;
  out_ += bracket;
}

void JsonText::PutEscaped(unsigned char byte) {
  if (const char letter = ShortEscape(static_cast<char>(byte), style_); letter != '\0') {
    out_ += {'\\', letter};
  } else {
    fmt::format_to(std::back_inserter(out_), "\\u{:04x}", byte);
  }
}

void JsonText::Put(std::string_view text) {
  out_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80) {
      const Character next = NextCharacter(text.substr(i));
      AppendUtf8(out_, next.code);
      i += next.bytes;
      continue;
    }
    if (NeedsEscape(byte, style_)) {
      PutEscaped(byte);
    } else {
      out_ += text[i];
    }
    ++i;
  }
  out_ += '"';
}

void JsonText::Put(double number) {
  if (!std::isfinite(number)) {
    out_ += "null";
    return;
  }
  out_ += style_ == JsonStyle::kDocument ? WithPoint(number) : FormatNumber(number);
}

}  // namespace schedlens
