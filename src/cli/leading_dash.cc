#include "cli/leading_dash.h"

#include <algorithm>
#include <cctype>

#include "cli/option.h"

namespace schedlens {
namespace {

/// No expression and no name begins with it.
constexpr char kMark = '\x1f';

bool TakesExpression(const Option& option) {
  return option.value.find("EXPR") != std::string::npos;
}

const Option* FindOption(const DeclaredCommand& command, std::string_view name) {
  for (const Option& option : command.options) {
    const std::vector<std::string> names = NamesOf(option);
    if (std::find(names.begin(), names.end(), name) != names.end()) return &option;
  }
  return nullptr;
}

/// Whether a word that begins with one dash is an option, by itself or with its value attached.
bool IsShortOption(const DeclaredCommand& command, std::string_view word) {
  const Option* option = FindOption(command, word.substr(0, 2));
  if (option == nullptr) return false;
  const std::string_view value = word.substr(2);
  if (value.empty()) return true;
  if (!option->takes_value()) return false;
  if (option->choices.empty()) return value.find_first_of("({[ \t\n") == std::string_view::npos;
  return std::find(option->choices.begin(), option->choices.end(), value) != option->choices.end();
}

/// Whether a word that begins with two dashes is an expression all the same: no option begins as
/// `--1`, `--(x)` or `---x`, and names of options hold letters, digits and dashes before their `=`.
bool IsNegatedTwice(std::string_view word) {
  const std::size_t first = word.find_first_not_of('-');
  if (first == std::string_view::npos) return false;
  if (first > 2 || std::isalpha(static_cast<unsigned char>(word[first])) == 0) return true;
  const std::string_view name = word.substr(0, word.find('='));
  return std::any_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; });
}

/// Whether a word that begins with a dash is no option of the command.
bool IsExpression(const DeclaredCommand& command, std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  if (FindOption(command, word.substr(0, word.find('='))) != nullptr) return false;
  return word[1] == '-' ? IsNegatedTwice(word) : !IsShortOption(command, word);
}

}  // namespace

std::vector<std::string> MarkExpressions(const Program& program, int argc,
                                         const char* const* argv) {
  std::vector<std::string> words(argv, argv + argc);
  const DeclaredCommand* command = nullptr;
  bool anywhere = false;     // an argument of the command is an expression
  bool behind_name = false;  // the word before is an option that takes one
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word == "--") break;
    if (command == nullptr) {
      for (const DeclaredCommand& one : program.commands) {
        if (one.name == word) command = &one;
      }
      if (command == nullptr) continue;
      anywhere =
          std::any_of(command->positionals.begin(), command->positionals.end(), TakesExpression);
      continue;
    }
    const Option* option = FindOption(*command, word);
    if ((anywhere || behind_name) && IsExpression(*command, word)) {
      word.insert(word.begin(), kMark);
    }
    behind_name = option != nullptr && TakesExpression(*option);
  }
  return words;
}

std::string_view Unmarked(std::string_view word) {
  if (word.starts_with(kMark)) word.remove_prefix(1);
  return word;
}

}  // namespace schedlens
