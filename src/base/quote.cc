#include "base/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/utf8.h"

namespace schedlens {
namespace {

bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

/// True for what a terminal shows as it is, and a code span can hold.
bool Shows(const Character& character) {
  const char32_t code = character.code;
  if (!character.well_formed || code < 0x20 || code == '`') return false;
  if (code >= 0x7F && code <= 0xAD) return false;
  const bool acts = code == 0x61C || code == 0x180E || (code >= 0x2000 && code <= 0x206F) ||
                    code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
                    (code >= 0xE0000 && code <= 0xE0FFF);
  return !acts;
}

}  // namespace

std::string QuotePromql(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string EscapeRegex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string ShellWord(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), IsPlain)) return std::string(text);
  std::string quoted = "'";
  std::string spelled = "$'";
  bool shows = true;
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = NextCharacter(rest);
    const std::string_view bytes = rest.substr(0, character.bytes);
    rest.remove_prefix(character.bytes);
    const bool quote = bytes == "'" || bytes == "\\";
    quoted += bytes == "'" ? "'\\''" : std::string(bytes);
    if (Shows(character)) {
      spelled += (quote ? "\\" : "") + std::string(bytes);
      continue;
    }
    shows = false;
    for (const char byte : bytes) {
      spelled += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
  }
  return (shows ? quoted : spelled) + "'";
}

}  // namespace schedlens
