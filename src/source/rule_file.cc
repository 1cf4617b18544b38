#include "source/rule_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "promql/parser.h"
#include "schedlens/error.h"
#include "source/scalar_place.h"

namespace schedlens {
namespace {

[[noreturn]] void Fail(const std::string& name, const YAML::Mark& mark, const std::string& what) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}:{}: {}", name, mark.is_null() ? 1 : mark.line + 1, what));
}

std::vector<YAML::Node> Documents(const std::string& text, const std::string& name) {
  try {
    return YAML::LoadAll(text);
  } catch (const YAML::Exception& error) {
    Fail(name, error.mark, "not YAML: " + error.msg);
  }
}

bool HasGroups(const YAML::Node& node) { return node.IsMap() && node["groups"]; }

/// The maps with `groups` in a document: itself, its `spec`, or those of its `items`.
void FindGroups(const YAML::Node& node, std::vector<YAML::Node>* found) {
  if (!node.IsMap()) return;
  if (HasGroups(node)) {
    found->push_back(node);
  } else if (node["spec"] && HasGroups(node["spec"])) {
    found->push_back(node["spec"]);
  } else if (node["items"] && node["items"].IsSequence()) {
    for (const YAML::Node& item : node["items"]) FindGroups(item, found);
  }
}

std::vector<YAML::Node> Load(const std::string& text, const std::string& name) {
  std::vector<YAML::Node> found;
  const std::vector<YAML::Node> documents = Documents(text, name);
  for (const YAML::Node& document : documents) FindGroups(document, &found);
  if (found.empty()) {
    Fail(name, documents.empty() ? YAML::Mark::null_mark() : documents.front().Mark(),
         "expected a rule file: a map with a list `groups`");
  }
  for (const YAML::Node& holder : found) {
    if (!holder["groups"].IsSequence()) Fail(name, holder.Mark(), "`groups` is not a list");
  }
  return found;
}

std::string Text(const YAML::Node& node) {
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

/// Calls `visit(group name, rule)` for each rule with an expression.
template <typename Visit>
void EachRule(const YAML::Node& holder, const std::string& name, const Visit& visit) {
  for (const YAML::Node& group : holder["groups"]) {
    if (!group.IsMap()) Fail(name, group.Mark(), "expected a group: a map with `name` and `rules`");
    const YAML::Node rules = group["rules"];
    if (!rules || rules.IsNull()) continue;
    if (!rules.IsSequence()) Fail(name, rules.Mark(), "`rules` is not a list");
    for (const YAML::Node& rule : rules) {
      if (!rule.IsMap()) Fail(name, rule.Mark(), "expected a rule: a map with `expr`");
      if (rule["expr"] && rule["expr"].IsScalar()) visit(Text(group["name"]), rule);
    }
  }
}

/// yaml-cpp counts bytes after the byte order mark.
std::size_t StartOf(const std::string& text) { return text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0; }

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

/// The text with its changed expressions; those of `quoted` in quotes.
std::string Changed(const RuleFile& file, const std::vector<std::string>& wanted,
                    const std::vector<bool>& quoted) {
  std::vector<TextEdit> edits;
  std::set<std::size_t> done;  // an alias stands for the same text
  for (std::size_t i = 0; i < file.rules.size(); ++i) {
    const FileRule& rule = file.rules[i];
    if (wanted[i] == rule.expr || !done.insert(rule.begin).second) continue;
    const auto place = ScalarPlace::Find(file.text, rule.begin, rule.expr);
    if (!place) continue;
    const auto own =
        quoted[i] ? std::vector<TextEdit>{place->Quoted(wanted[i])} : place->EditsTo(wanted[i]);
    edits.insert(edits.end(), own.begin(), own.end());
  }
  return Apply(file.text, edits);
}

bool Any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

}  // namespace

RuleFile ParseRuleFile(const std::string& text, const std::string& name) {
  RuleFile file{name, text, {}};
  for (const YAML::Node& holder : Load(text, name)) {
    EachRule(holder, name, [&](const std::string& group, const YAML::Node& rule) {
      FileRule one;
      one.group = group;
      one.alerting = static_cast<bool>(rule["alert"]);
      one.name = Text(one.alerting ? rule["alert"] : rule["record"]);
      one.expr = rule["expr"].Scalar();
      const YAML::Mark mark = rule["expr"].Mark();
      one.line = mark.line + 1;
      one.begin = static_cast<std::size_t>(mark.pos) + StartOf(text);
      file.rules.push_back(one);
    });
  }
  return file;
}

std::string WithExpressions(const RuleFile& file, const std::vector<std::string>& expressions) {
  if (expressions.size() != file.rules.size()) {
    throw Error(ErrorKind::kFailed, "one expression a rule is needed");
  }
  std::vector<bool> quoted(file.rules.size(), false);
  std::string text = Changed(file, expressions, quoted);
  quoted = Wrong(file, text, expressions);
  if (!Any(quoted)) return text;
  text = Changed(file, expressions, quoted);
  if (!Any(Wrong(file, text, expressions))) return text;
  throw Error(
      ErrorKind::kFailed,
      fmt::format("mending {}: an expression cannot be changed where it stands; is the file "
                  "UTF-8?",
                  file.name));
}

std::string RuleFileFor(const std::string& expression) {
  YAML::Node rule;
  rule["alert"] = "SchedulerLatencyHigh";
  rule["expr"] = expression;
  YAML::Node group;
  group["name"] = "kube-scheduler";
  group["rules"].push_back(rule);
  YAML::Node root;
  root["groups"].push_back(group);
  YAML::Emitter out;
  out << root;
  return std::string(out.c_str()) + "\n";
}

}  // namespace schedlens
