// Rule files with other expressions in them, byte for byte.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/diff.h"
#include "promql/parser.h"
#include "schedlens/error.h"
#include "source/rule_file.h"
#include "source/scalar_place.h"

namespace schedlens {
namespace {

/// Whether the blanks that differ are none that count.
bool SameMeaning(const std::string& a, const std::string& b) {
  if (a == b) return true;
  try {
    return promql::SameTree(*promql::Parse(a), *promql::Parse(b));
  } catch (const Error&) {
    return false;
  }
}

/// The rules of the changed text that do not mean what they should; all of them where it is broken.
std::vector<bool> Wrong(const RuleFile& file, const std::string& text,
                        const std::vector<std::string>& wanted) {
  std::vector<bool> wrong(file.rules.size(), true);
  try {
    const RuleFile again = ParseRuleFile(text, file.name);
    for (std::size_t i = 0; i < wrong.size() && again.rules.size() == wrong.size(); ++i) {
      wrong[i] = !SameMeaning(again.rules[i].expr, wanted[i]);
    }
  } catch (const Error&) {
    // All of them.
  }
  return wrong;
}

/// What is wanted of all the rules, and which of them are to be put in quotes.
struct Wanted {
  const std::vector<std::string>& expressions;
  const std::vector<bool>& quoted;
};

/// What has to change in a text: in the file, or in one of the texts inside of it.
std::vector<TextEdit> EditsIn(const std::string& text, const RuleFile& file,
                              std::optional<std::size_t> inside, const Wanted& wanted) {
  std::vector<TextEdit> edits;
  std::set<std::size_t> done;  // an alias stands for the same text
  for (std::size_t i = 0; i < file.rules.size(); ++i) {
    const FileRule& rule = file.rules[i];
    if (rule.inside != inside || wanted.expressions[i] == rule.expr ||
        !done.insert(rule.begin).second) {
      continue;
    }
    const auto place = ScalarPlace::Find(text, rule.begin, rule.before + rule.expr + rule.after);
    if (!place) continue;
    const std::string whole = rule.before + wanted.expressions[i] + rule.after;
    const auto own =
        wanted.quoted[i] ? std::vector<TextEdit>{place->Quoted(whole)} : place->EditsTo(whole);
    edits.insert(edits.end(), own.begin(), own.end());
  }
  return edits;
}

/// The file with its changed expressions, and those of the texts inside.
std::string Changed(const RuleFile& file, const Wanted& wanted) {
  std::vector<TextEdit> edits = EditsIn(file.text, file, std::nullopt, wanted);
  for (std::size_t i = 0; i < file.insides.size(); ++i) {
    const TextInside& inside = file.insides[i];
    const std::vector<TextEdit> inner = EditsIn(inside.text, file, i, wanted);
    if (inner.empty()) continue;
    const auto place = ScalarPlace::Find(file.text, inside.begin, inside.text);
    if (!place) continue;
    const auto own = place->EditsTo(Apply(inside.text, inner));
    edits.insert(edits.end(), own.begin(), own.end());
  }
  return Apply(file.text, edits);
}

bool Any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

}  // namespace

std::string WithExpressions(const RuleFile& file, const std::vector<std::string>& expressions) {
  if (expressions.size() != file.rules.size()) {
    throw Error(ErrorKind::kFailed, "one expression a rule is needed");
  }
  const bool same = std::equal(
      file.rules.begin(), file.rules.end(), expressions.begin(),
      [](const FileRule& rule, const std::string& wanted) { return rule.expr == wanted; });
  if (same) return file.text;
  std::vector<bool> quoted(file.rules.size(), false);
  std::string text = Changed(file, {expressions, quoted});
  quoted = Wrong(file, text, expressions);
  if (!Any(quoted)) return text;
  text = Changed(file, {expressions, quoted});
  if (!Any(Wrong(file, text, expressions))) return text;
  throw Error(
      ErrorKind::kFailed,
      fmt::format("mending {}: an expression cannot be changed where it stands; is the file "
                  "UTF-8?",
                  file.name));
}

}  // namespace schedlens
