#include "query/query_set.h"

#include <re2/re2.h>

#include <filesystem>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".promql";
constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr std::string_view kSelector = "$selector";
constexpr std::string_view kBlanks = " \t\n";

std::vector<std::string> Names(const std::vector<Question>& questions) {
  std::vector<std::string> names;
  for (const Question& question : questions) names.push_back(question.name);
  return names;
}

std::vector<fs::path> QuestionFiles(const std::string& directory) {
  const auto fail = [&](const std::string& why) {
    Raise(ErrorKind::kUsage, "--queries {}: {}", directory, why);
  };
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    fail(std::string("not a directory; give the one that holds NAME") + kExtension + " files");
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == kExtension) files.push_back(it->path());
  }
  if (error) fail("cannot list it: " + error.message());
  std::ranges::sort(files);
  return files;
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (std::size_t at = text->find(from); at != std::string::npos; at = text->find(from, at)) {
    text->replace(at, from.size(), to);
    at += to.size();
  }
}

}  // namespace

Question ParseQuestion(const std::string& name, std::string_view text, const std::string& origin,
                       bool check) {
  Question question{name, {}};
  std::vector<int> first_lines;
  bool open = false;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) continue;
    if (line.find_first_not_of(kBlanks) == std::string_view::npos) {
      open = false;
    } else if (open) {
      question.statements.back() += "\n" + std::string(line);
    } else {
      question.statements.emplace_back(line);
      first_lines.push_back(number);
      open = true;
    }
  }
  if (question.statements.empty()) {
    Raise(ErrorKind::kUsage, "{}: holds no statement, only comments or blank lines", origin);
  }
  for (std::size_t i = 0; check && i < first_lines.size(); ++i) {
    try {
      promql::Parse(Substitute(question.statements[i], "job=\"kube-scheduler\"", "5m"));
      promql::Parse(Substitute(question.statements[i], "", "5m"));
    } catch (const Error& error) {
      Raise(ErrorKind::kUsage, "{}:{}: unsupported PromQL: {}", origin, first_lines[i],
            error.what());
    }
  }
  return question;
}

QuerySet QuerySet::Embedded() {
  QuerySet set;
  for (const EmbeddedFile& file : EmbeddedQueries()) {
    set.questions_.push_back(
        ParseQuestion(std::string(file.name), file.text, std::string(file.name), false));
  }
  return set;
}

QuerySet QuerySet::WithOverrides(const std::string& directory) {
  QuerySet set = Embedded();
  for (const fs::path& path : QuestionFiles(directory)) {
    const std::string name = path.stem().string();
    const auto it = std::ranges::find(set.questions_, name, &Question::name);
    if (it == set.questions_.end()) {
      const std::string meant = Meant(name, Names(set.questions_));
      Raise(ErrorKind::kUsage, "{}: no question has this name{}", path.string(),
            meant.empty() ? "." : fmt::format("; did you mean {}{}?", meant, kExtension));
    }
    *it = ParseQuestion(name, ReadFile(path.string(), kMostText), path.string());
  }
  return set;
}

const Question& QuerySet::Get(std::string_view name) const {
  const auto found = std::ranges::find(questions_, name, &Question::name);
  if (found != questions_.end()) return *found;
  Raise(ErrorKind::kFailed, "no question is named {}{}", name,
        Suggestion(std::string(name), Names(questions_)));
}

std::string Substitute(std::string_view statement, std::string_view selector,
                       std::string_view window) {
  std::string text(statement);
  if (selector.empty()) {
    // It takes the comma beside it along: `{a="b", $selector}` becomes `{a="b"}`.
    static const RE2 kWithComma(",[ \\t\\n]*\\$selector|\\$selector(?:[ \\t\\n]*,)?");
    RE2::GlobalReplace(&text, kWithComma, "");
  } else {
    ReplaceAll(&text, kSelector, selector);
  }
  ReplaceAll(&text, "$window", window);
  return text;
}

}  // namespace schedlens
