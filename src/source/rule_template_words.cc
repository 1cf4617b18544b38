#include "source/rule_template_words.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>

namespace schedlens {

bool IsTemplateFunction(std::string_view name) {
  static const std::unordered_set<std::string_view> all = {
      "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or",
      "print", "printf", "println", "slice", "urlquery",
      // Prometheus's
      "args", "externalURL", "first", "graphLink", "humanize", "humanize1024", "humanizeDuration",
      "humanizePercentage", "humanizeTimestamp", "label", "match", "now", "parseDuration",
      "pathPrefix", "query", "reReplaceAll", "safeHtml", "sortByLabel", "stripDomain", "stripPort",
      "strvalue", "tableLink", "title", "toDuration", "toLower", "toTime", "toUpper",
      "urlQueryEscape", "value"};
  return all.count(name) > 0;
}

bool IsReadableNumber(std::string_view number) {
  // Go has fractions to the base of 16 only with an exponent, which is seen nowhere.
  const bool other_base = number.find_first_of("xX") != std::string_view::npos;
  return number.find_first_of("0123456789") != std::string_view::npos &&
         !(other_base && number.find('.') != std::string_view::npos);
}

bool IsOneTemplateCharacter(std::string_view quoted) {
  const std::string_view inner = quoted.substr(1, quoted.size() - 2);
  if (inner.empty()) return false;
  if (inner.front() == '\\') return inner.size() > 1;
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return std::count_if(inner.begin(), inner.end(), begins) == 1;
}

bool IsReadableString(std::string_view quoted) {
  constexpr std::string_view kEscapes = "abfnrtv\\\"xuU01234567";
  if (quoted.front() == '`') return true;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') continue;
    if (kEscapes.find(quoted[++i]) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace schedlens
