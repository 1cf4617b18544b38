#include "analysis/lint/logql.h"

#include <algorithm>
#include <cstddef>

namespace schedlens {
namespace {

constexpr char kBlanks[] = " \t\r\n";

std::string_view AfterBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

/// What begins behind a selector: `|=`, `|~`, `| json`, and `!=` or `!~` of a text.
bool IsFilter(std::string_view text) {
  text = AfterBlanks(text);
  if (text.starts_with('|')) return true;
  if (!text.starts_with("!=") && !text.starts_with("!~")) return false;
  text = AfterBlanks(text.substr(2));
  return text.starts_with('"') || text.starts_with('`');
}

}  // namespace

bool IsLogQl(std::string_view expression) {
  char quote = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (quote != 0) {
      if (c == '\\' && quote != '`') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'' || c == '`') {
      quote = c;
    } else if (c == '}' && IsFilter(expression.substr(i + 1))) {
      return true;
    }
  }
  return false;
}

}  // namespace schedlens
