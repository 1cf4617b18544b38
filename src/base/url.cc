#include "base/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "base/secrets.h"
#include "base/text.h"

namespace schedlens {
namespace {

bool IsUnreserved(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

/// Cuts `text` at the first `mark`; what is behind it is returned.
std::string_view CutAt(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

std::optional<Url> ParseUnix(std::string_view rest) {
  Url url;
  url.scheme = "http";
  url.host = "localhost";
  url.path = CutAt(rest, ':');
  if (rest.starts_with("//")) rest.remove_prefix(2);
  if (!rest.starts_with('/') || (!url.path.empty() && url.path[0] != '/')) return std::nullopt;
  url.unix_socket = rest;
  return url;
}

bool ParseHostPort(std::string_view text, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return false;
    url.host = text.substr(0, close + 1);
    text.remove_prefix(close + 1);
    if (!text.empty() && text[0] != ':') return false;
    port = text.empty() ? text : text.substr(1);
  } else {
    port = CutAt(text, ':');
    url.host = text;
  }
  if (url.host.empty()) return false;
  const bool plain = std::all_of(url.host.begin(), url.host.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '<' && c != '>' && c != '\\';
  });
  if (!plain) return false;
  if (port.empty()) return true;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  return error == std::errc() && end == port.data() + port.size() && url.port > 0 &&
         url.port < 65536;
}

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string Url::WithoutSecrets() const {
  if (!unix_socket.empty()) {
    return path.empty() ? "unix:" + unix_socket : fmt::format("unix:{}:{}", unix_socket, path);
  }
  // An `@` further on is the end of a password with a slash, a `?` or a `#` in it.
  const std::string where = port == 0 ? host : fmt::format("{}:{}", host, port);
  const std::string text = HideSecretsOfUrl(fmt::format("{}://{}{}{}{}{}{}", scheme, where, path,
                                                        query.empty() ? "" : "?", query,
                                                        fragment.empty() ? "" : "#", fragment));
  return text.substr(0, text.find_first_of("?#"));
}

std::optional<Url> ParseUrl(std::string_view text) {
  if (text.starts_with("unix:")) return ParseUnix(text.substr(5));
  Url url;
  url.scheme = "http";
  if (const auto at = text.find("://"); at != std::string_view::npos) {
    url.scheme = InSmallLetters(text.substr(0, at));
    text.remove_prefix(at + 3);
  }
  if (url.scheme != "http" && url.scheme != "https") return std::nullopt;
  url.fragment = CutAt(text, '#');
  url.query = CutAt(text, '?');
  std::string_view authority = text.substr(0, text.find('/'));
  url.path = text.substr(authority.size());
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    std::string_view user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
    url.password = PercentDecode(CutAt(user, ':'), false);
    url.user = PercentDecode(user, false);
  }
  if (!ParseHostPort(authority, url)) return std::nullopt;
  return url;
}

std::string PercentEncode(std::string_view text) {
  std::string out;
  out.reserve(text.size() * 3 / 2);
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string PercentDecode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char* const at = text.data() + i;
    unsigned byte = 0;
    if (*at == '%' && i + 2 < text.size() &&
        std::from_chars(at + 1, at + 3, byte, 16).ptr == at + 3) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> ParseQueryString(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const std::string_view rest = CutAt(text, '&');
    if (!text.empty()) {
      const std::string_view value = CutAt(text, '=');
      pairs.emplace_back(PercentDecode(text, true), PercentDecode(value, true));
    }
    text = rest;
  }
  return pairs;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  bool ended = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') {
      ended = true;
      continue;
    }
    const std::size_t digit = kBase64Digits.find(c);
    if (ended || digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  if (count >= 6) return std::nullopt;
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool there = at + i < bytes.size();
      bits = bits << 8 | (there ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += at + i <= bytes.size() ? kBase64Digits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return out;
}

}  // namespace schedlens
