#include "source/rule_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

[[noreturn]] void Fail(const std::string& name, const YAML::Mark& mark, const std::string& what) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}:{}: {}", name, mark.is_null() ? 1 : mark.line + 1, what));
}

YAML::Node Load(const std::string& text, const std::string& name) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    Fail(name, error.mark, "not YAML: " + error.msg);
  }
  if (root.IsMap() && root["spec"] && root["spec"].IsMap()) root = root["spec"];
  if (!root.IsMap() || !root["groups"] || !root["groups"].IsSequence()) {
    Fail(name, root.Mark(), "expected a rule file: a map with a list `groups`");
  }
  return root;
}

std::string Text(const YAML::Node& node) {
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

/// Calls `visit(group name, rule)` for each rule with an expression.
template <typename Visit>
void EachRule(const YAML::Node& root, const std::string& name, Visit visit) {
  for (const YAML::Node& group : root["groups"]) {
    if (!group.IsMap()) Fail(name, group.Mark(), "expected a group: a map with `name` and `rules`");
    const YAML::Node rules = group["rules"];
    if (!rules || rules.IsNull()) continue;
    if (!rules.IsSequence()) Fail(name, rules.Mark(), "`rules` is not a list");
    for (YAML::Node rule : rules) {
      if (!rule.IsMap()) Fail(name, rule.Mark(), "expected a rule: a map with `expr`");
      if (rule["expr"] && rule["expr"].IsScalar()) visit(Text(group["name"]), rule);
    }
  }
}

std::string Emit(const YAML::Node& root) {
  YAML::Emitter out;
  out << root;
  return std::string(out.c_str()) + "\n";
}

}  // namespace

RuleFile ParseRuleFile(const std::string& text, const std::string& name) {
  RuleFile file{name, text, {}};
  EachRule(Load(text, name), name, [&](const std::string& group, const YAML::Node& rule) {
    FileRule one;
    one.group = group;
    one.alerting = static_cast<bool>(rule["alert"]);
    one.name = Text(one.alerting ? rule["alert"] : rule["record"]);
    one.expr = rule["expr"].Scalar();
    one.line = rule["expr"].Mark().line + 1;
    file.rules.push_back(one);
  });
  return file;
}

std::string WithExpressions(const RuleFile& file, const std::vector<std::string>& expressions) {
  const YAML::Node root = Load(file.text, file.name);
  std::size_t i = 0;
  EachRule(root, file.name, [&](const std::string&, YAML::Node rule) {
    if (i < expressions.size()) rule["expr"] = expressions[i];
    ++i;
  });
  return Emit(root);
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
  return Emit(root);
}

}  // namespace schedlens
