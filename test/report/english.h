#pragma once

// Finds English sentences in a report that should be in another language.

#include <regex>
#include <string>
#include <vector>

namespace schedlens {

/// Four or more English words in a row, outside code, quotation marks, tags and style sheets. A
/// metric, a flag, a query or a name is no such run.
inline std::vector<std::string> EnglishRuns(std::string text) {
  const auto drop = [&text](const char* pattern, const char* by) {
    text = std::regex_replace(text, std::regex(pattern), by);
  };
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"<style", "</style>"}, {"<code>", "</code>"}, {"“", "”"}, {"`", "`"}}) {
    std::size_t from = 0;
    while ((from = text.find(open, from)) != std::string::npos) {
      const std::size_t end = text.find(close, from + open.size());
      if (end == std::string::npos) break;
      text.replace(from, end + close.size() - from, "|");
    }
  }
  drop("<[^>]*>", "|");
  drop("[ \\n]+", " ");
  std::vector<std::string> runs;
  const std::regex run("[A-Za-z][a-z']+,?( [a-z][a-z'-]*,?){3,}");
  for (auto it = std::sregex_iterator(text.begin(), text.end(), run); it != std::sregex_iterator();
       ++it) {
    runs.push_back(it->str());
  }
  return runs;
}

}  // namespace schedlens
