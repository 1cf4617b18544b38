#pragma once

// Functions of a C++ source, found by their braces: good enough for code in one format.

#include <cctype>
#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

struct SourceFunction {
  std::string head;       ///< what stands before its brace, in one line
  std::size_t line = 0;   ///< of its opening brace
  std::size_t lines = 0;  ///< from the opening to the closing brace
};

/// The source without comments, preprocessor lines, and the contents of literals; line breaks stay.
inline std::string WithoutLiterals(const std::string& text) {
  std::string out;
  const auto skip = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to && k < text.size(); ++k) {
      if (text[k] == '\n') out.push_back('\n');
    }
    return to;
  };
  bool fresh = true;  // nothing but blanks in this line yet
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("//") || (fresh && c == '#')) {
      i = skip(i, std::min(text.find('\n', i), text.size()));
    } else if (rest.starts_with("/*")) {
      i = skip(i, text.find("*/", i) + 2);
    } else if (rest.starts_with("R\"")) {
      const std::string end = ")" + text.substr(i + 2, text.find('(', i) - i - 2) + "\"";
      i = skip(i, text.find(end, i) + end.size());
    } else if (c == '"' || (c == '\'' && (i == 0 || !std::isalnum(text[i - 1])))) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      i = skip(i, end + 1);
    } else {
      fresh = c == '\n' || (fresh && c == ' ');
      out.push_back(c);
      ++i;
    }
  }
  return out;
}

/// Functions outside other functions, members included. Brace initializers of variables are none.
inline std::vector<SourceFunction> FunctionsOf(const std::string& source) {
  static const std::regex scope("\\b(namespace|class|struct|enum|union|extern)\\b");
  struct Block {
    bool scope = false;
    bool measured = false;
    std::size_t line = 0;
    std::string head;
  };
  std::vector<Block> open;
  std::vector<SourceFunction> found;
  std::string head;
  std::size_t line = 1;
  for (const char c : WithoutLiterals(source)) {
    if (c == '\n') ++line;
    if (c == '{') {
      const bool outside = open.empty() || open.back().scope;
      const std::size_t equals = head.find('=');
      const bool value = equals != std::string::npos && head.find('(') > equals;
      const bool opens_scope = outside && std::regex_search(head, scope);
      open.push_back({opens_scope, outside && !opens_scope && !value, line, head});
      head.clear();
    } else if (c == '}' && !open.empty()) {
      const Block& block = open.back();
      if (block.measured) found.push_back({block.head, block.line, line - block.line + 1});
      open.pop_back();
      head.clear();
    } else if (c == ';') {
      head.clear();
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      head.push_back(c);
    } else if (!head.empty() && head.back() != ' ') {
      head.push_back(' ');
    }
  }
  return found;
}

}  // namespace schedlens
