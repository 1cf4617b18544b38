#pragma once

// Finds what Chinese sets otherwise: ASCII colons and commas next to a character, a space between a
// number and its unit.

#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace schedlens {

/// Without code, queries, tags and style sheets: these have their own rules.
inline std::string ProseOf(std::string text) {
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"<style", "</style>"}, {"<code>", "</code>"}, {"`", "`"}, {"<", ">"}}) {
    for (std::size_t from = 0; (from = text.find(open, from)) != std::string::npos;) {
      const std::size_t end = text.find(close, from + open.size());
      if (end == std::string::npos) break;
      text.replace(from, end + close.size() - from, "|");
    }
  }
  for (const std::string entity : {"&quot;", "&#39;", "&lt;", "&gt;", "&amp;", "&nbsp;"}) {
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos;) {
      text.replace(at, entity.size(), entity == "&nbsp;" ? " " : "|");
    }
  }
  return text;
}

/// A character is three bytes, the first of them E4 to E9.
inline constexpr const char* kCharacter = "[\xE4-\xE9][\x80-\xBF]{2}";

inline std::vector<std::string> TypographyFaults(const std::string& text) {
  const std::string character = kCharacter;
  std::vector<std::string> faults;
  for (const std::string& pattern :
       {character + "[:,;]", "[:,;] ?" + character, std::string("[0-9] %"),
        std::string("[0-9] (s|ms|µs)(?![A-Za-z0-9])"), std::string("[0-9] (秒|毫秒|分钟|小时)")}) {
    const std::regex regex(pattern);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), regex);
         it != std::sregex_iterator(); ++it) {
      const auto at = static_cast<std::size_t>(it->position());
      faults.push_back(text.substr(at < 30 ? 0 : at - 30, 60));
    }
  }
  return faults;
}

}  // namespace schedlens
