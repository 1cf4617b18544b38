#include "query/question_text.h"

#include "schedlens/error.h"

namespace schedlens {
namespace {

/// Takes the first line off `text`, without its line end.
std::string_view TakeLine(std::string_view* text) {
  const std::size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

Question ParseQuestion(const std::string& name, std::string_view text, const std::string& origin) {
  Question question{name, {}};
  bool open = false;
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (!line.empty() && line.front() == '#') continue;
    if (IsBlank(line)) {
      open = false;
      continue;
    }
    if (open) {
      question.statements.back() += "\n" + std::string(line);
    } else {
      question.statements.emplace_back(line);
      open = true;
    }
  }
  if (question.statements.empty()) {
    throw Error(ErrorKind::kUsage, origin + ": holds no statement, only comments or blank lines");
  }
  return question;
}

}  // namespace schedlens
