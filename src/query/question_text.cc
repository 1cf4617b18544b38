#include "query/question_text.h"

#include "promql/parser.h"
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

/// A statement must be PromQL with and without a selector.
void CheckParses(const std::string& statement, const std::string& origin, int line) {
  try {
    promql::Parse(Substitute(statement, "job=\"kube-scheduler\"", "5m"));
    promql::Parse(Substitute(statement, "", "5m"));
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage,
                origin + ":" + std::to_string(line) + ": unsupported PromQL: " + error.what());
  }
}

Question Read(const std::string& name, std::string_view text, const std::string& origin,
              std::vector<int>* first_lines) {
  Question question{name, {}};
  bool open = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = TakeLine(&text);
    if (!line.empty() && line.front() == '#') continue;
    if (IsBlank(line)) {
      open = false;
    } else if (open) {
      question.statements.back() += "\n" + std::string(line);
    } else {
      question.statements.emplace_back(line);
      first_lines->push_back(number);
      open = true;
    }
  }
  if (question.statements.empty()) {
    throw Error(ErrorKind::kUsage, origin + ": holds no statement, only comments or blank lines");
  }
  return question;
}

}  // namespace

Question ReadQuestion(const std::string& name, std::string_view text) {
  std::vector<int> first_lines;
  return Read(name, text, name, &first_lines);
}

Question ParseQuestion(const std::string& name, std::string_view text, const std::string& origin) {
  std::vector<int> first_lines;
  Question question = Read(name, text, origin, &first_lines);
  for (std::size_t i = 0; i < first_lines.size(); ++i) {
    CheckParses(question.statements[i], origin, first_lines[i]);
  }
  return question;
}

}  // namespace schedlens
