#include "model/json_text.h"

#include <charconv>
#include <cmath>

#include "model/text.h"
#include "model/utf8.h"

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
char ShortEscape(unsigned char byte, JsonStyle style) {
  switch (byte) {
    case '"':
    case '\\':
      return static_cast<char>(byte);
    case '\n':
      return 'n';
    case '\r':
      return style == JsonStyle::kReport ? '\0' : 'r';
    case '\t':
      return style == JsonStyle::kReport ? '\0' : 't';
    case '\b':
      return style == JsonStyle::kCompact ? 'b' : '\0';
    case '\f':
      return style == JsonStyle::kCompact ? 'f' : '\0';
    default:
      return '\0';
  }
}

bool NeedsEscape(unsigned char byte, JsonStyle style) {
  if (byte < 0x20 || byte == '"' || byte == '\\') return true;
  if (byte == 0x7F) return style == JsonStyle::kReport;
  return style == JsonStyle::kLine && (byte == '<' || byte == '>' || byte == '&');
}

}  // namespace

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
  static constexpr char kHex[] = "0123456789abcdef";
  if (const char letter = ShortEscape(byte, style_); letter != '\0') {
    out_ += {'\\', letter};
  } else {
    out_ += "\\u00";
    out_ += {kHex[byte >> 4], kHex[byte & 15]};
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
