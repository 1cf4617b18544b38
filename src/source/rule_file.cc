#include "source/rule_file.h"

// Rule files with other expressions in them, byte for byte.

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"
#include "base/yaml_load.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using nlohmann::json;

constexpr int kDeepest = 40;

YamlTree Documents(const std::string& text, const std::string& name) {
  try {
    return YamlTree(text);
  } catch (const YAML::Exception& error) {
    FailAt(name, ErrorLine(error), NotYaml(text, error.msg));
  }
}

bool HasGroups(YamlNode node) { return bool(node["groups"]); }

/// Groups with rules in them, wherever they stand: others call other things `groups`.
bool HasRuleGroups(YamlNode node) {
  const YamlNode groups = node["groups"];
  return groups.IsSequence() && bool(groups.First()["rules"]);
}

/// A list of other things than rules that calls its parts groups, as a catalogue of alerts does.
bool IsCatalogue(YamlNode groups) {
  constexpr std::size_t kSlip = 2;
  if (!groups.IsSequence()) return false;
  bool others = false;
  for (const auto& [none, group] : groups) {
    if (group["rules"]) return false;
    for (const auto& [key, value] : group) {
      others = others || (value.IsSequence() && EditDistance(key.Scalar(), "rules") > kSlip);
    }
  }
  return others;
}

/// `{{ x }}` of a template, which is a map as the key of a map; not the server's own `{{ $x }}`.
YamlNode Unrendered(YamlNode node, int depth) {
  if (depth > kDeepest) return {};
  for (const auto& [key, value] : node) {
    if (key.IsMap() && key.size() > 0 && !(*key.begin()).first.Scalar().starts_with('$'))
      return key;
    if (const YamlNode found = Unrendered(value, depth + 1)) return found;
  }
  return {};
}

struct Parts {
  std::vector<YamlNode> groups;      ///< maps with `groups`
  std::vector<YamlNode> dashboards;  ///< documents
  std::vector<YamlNode> texts;       ///< scalars that may be files themselves
};

/// The keys of a ConfigMap, and the dashboard of an operator's object.
void FindTexts(YamlNode node, Parts* parts) {
  const YamlNode data = node["data"];
  if (data.IsMap()) {
    for (const auto& [key, value] : data) {
      if (value.IsScalar()) parts->texts.push_back(value);
    }
  }
  for (const char* field : {"json", "definition"}) {
    if (const YamlNode text = node["spec"][field]; text.IsScalar()) parts->texts.push_back(text);
  }
}

void FindParts(YamlNode node, int depth, Parts* parts) {
  if (depth > kDeepest) return;
  if (node.IsSequence()) {
    for (const auto& [none, element] : node) FindParts(element, depth + 1, parts);
  }
  if (!node.IsMap()) return;
  const bool whole = depth == 0;
  if (whole ? HasGroups(node) && !IsCatalogue(node["groups"]) : HasRuleGroups(node)) {
    parts->groups.push_back(node);
  } else if (whole && HasGroups(node["spec"])) {
    parts->groups.push_back(node["spec"]);
  } else if (IsDashboard(node)) {
    parts->dashboards.push_back(node);
  } else {
    FindTexts(node, parts);
    for (const auto& member : node) FindParts(member.second, depth + 1, parts);
  }
}

/// The line of the file for one of the text.
using LineOfFile = std::function<int(int)>;

/// The rules and problems of one text; nothing that is inside of it. In a whole file, which has no
/// `line_of`, what is called `groups` has to be a list of them.
Parts ReadText(const std::vector<YamlNode>& documents, const LineOfFile& line_of, RuleFile* file) {
  const auto line = [&](YamlNode node) { return line_of ? line_of(node.line()) : node.line(); };
  Parts parts;
  for (YamlNode document : documents) {
    if (const YamlNode at = Unrendered(document, 0)) {
      FailAt(
          file->name, line(at),
          "{{ ... }} where a text belongs: a template is to be rendered first (helm template, or "
          "what it is for): give what that prints");
    }
    FindParts(document, line_of ? 1 : 0, &parts);
  }
  for (YamlNode holder : parts.groups) {
    if (!holder["groups"].IsSequence() && !holder["groups"].IsNull()) {
      FailAt(file->name, line(holder), "`groups` is not a list");
    }
    const bool all =
        std::ranges::any_of(documents, [&](YamlNode document) { return document.is(holder); });
    ReadGroups(holder, all, file);
  }
  for (YamlNode dashboard : parts.dashboards) ReadDashboard(dashboard, file);
  return parts;
}

/// Whether a text is worth to be read: it could hold rules or panels.
bool MayBeFile(const std::string& text) {
  if (Trimmed(text, " \t\r\n\xEF\xBB\xBF").starts_with("{")) {
    constexpr const char* kKeys[] = {"\"panels\"", "\"rows\"", "\"elements\"", "\"groups\""};
    return std::ranges::any_of(
        kKeys, [&](const char* key) { return text.find(key) != std::string::npos; });
  }
  return text.starts_with("groups:") || text.find("\ngroups:") != std::string::npos;
}

/// Gives for a line of an inner text the line of the file in which it stands.
auto LinesInside(const RuleFile& file, const TextInside& inside, YamlNode node) {
  return [ends = LineEnds(file.text), inner_ends = LineEnds(inside.text), first = node.line(),
          place = ScalarPlace::Find(file.text, inside.begin, inside.text)](int line) {
    const std::size_t before = std::min(static_cast<std::size_t>(line - 1), inner_ends.size());
    const auto byte =
        place ? place->ByteOf(before == 0 ? 0 : inner_ends[before - 1] + 1) : std::nullopt;
    if (!byte) return first;
    return 1 + static_cast<int>(std::ranges::lower_bound(ends, *byte) - ends.begin());
  };
}

void ReadInside(YamlNode node, RuleFile* file) {
  RuleFile inner{file->name, node.Scalar(), {}, {}, {}, {}};
  if (!MayBeFile(inner.text)) return;
  const TextInside inside{PlaceOf(node, file->text), inner.text};
  const auto line_of = LinesInside(*file, inside, node);
  try {
    const YamlTree tree(inner.text);
    ReadText(tree.documents(), line_of, &inner);
  } catch (const YAML::Exception& error) {
    if (!inner.text.starts_with("groups:")) return;  // a script, a template
    Raise(ErrorKind::kUsage, "{}:{}: the text of a key: {}", file->name, line_of(ErrorLine(error)),
          NotYaml(inner.text, error.msg));
  }
  for (FileRule& rule : inner.rules) {
    rule.line = line_of(rule.line);
    rule.inside = file->insides.size();
    file->rules.push_back(std::move(rule));
  }
  for (FileProblem& problem : inner.problems) {
    problem.line = line_of(problem.line);
    file->Add(std::move(problem));
  }
  for (const auto& [id, count] : inner.more_problems) file->more_problems[id] += count;
  if (!inner.rules.empty()) file->insides.push_back(inside);
}

bool IsEmpty(YamlNode document) {
  return document.IsNull() || (document.IsMap() && document.size() == 0);
}

std::string Expected(YamlNode document) {
  const YamlNode first = document.IsSequence() ? document.First() : YamlNode();
  if (first["rules"]) {
    return "a list of groups by itself, which Prometheus refuses: put it below `groups:`";
  }
  if (first["expr"]) {
    return "a list of rules by itself, which Prometheus refuses: put it below `rules:` of a group";
  }
  if (HasGroups(document)) {
    return "expected a rule file; no group of `groups` has `rules`: put each group's rules below "
           "`rules:`";
  }
  return "expected a rule file, a map with a list `groups`, or a dashboard";
}

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

bool Any(const std::vector<bool>& flags) { return std::ranges::find(flags, true) != flags.end(); }

void EmitText(YAML::Emitter& out, const char* key, const std::string& text) {
  out << YAML::Key << key << YAML::Value;
  // As people write it; a line that ends in blanks has no literal form.
  const bool lines = text.find('\n') != std::string::npos && text.find(" \n") == std::string::npos;
  if (lines) out << YAML::Literal;
  out << text;
}

/// The member `from`, seconds, as a duration; nothing where they are none or zero.
void EmitDuration(YAML::Emitter& out, const char* key, const json& object, const char* from) {
  const json& given = MemberAt(object, from);
  const double seconds = given.is_number() ? given.get<double>() : 0;
  if (seconds > 0 && seconds <= 1e9) {
    EmitText(out, key, FormatDuration(std::llround(seconds * 1000)));
  }
}

void EmitTexts(YAML::Emitter& out, const json& object, const char* key) {
  const json& texts = MemberAt(object, key);
  if (!texts.is_object() || texts.empty()) return;
  out << YAML::Key << key << YAML::Value << YAML::BeginMap;
  for (const auto& [name, value] : texts.items()) {
    if (value.is_string()) {
      out << YAML::Key << name << YAML::Value << YAML::DoubleQuoted << value.get<std::string>();
    }
  }
  out << YAML::EndMap;
}

void EmitRule(YAML::Emitter& out, const json& rule) {
  const std::string type = TextAt(rule, "type");
  if (type != "alerting" && type != "recording") return;
  const bool alerting = type == "alerting";
  out << YAML::BeginMap;
  EmitText(out, alerting ? "alert" : "record", TextAt(rule, "name"));
  EmitText(out, "expr", TextAt(rule, "query"));
  if (alerting) EmitDuration(out, "for", rule, "duration");
  if (alerting) EmitDuration(out, "keep_firing_for", rule, "keepFiringFor");
  EmitTexts(out, rule, "labels");
  if (alerting) EmitTexts(out, rule, "annotations");
  out << YAML::EndMap;
}

void EmitGroup(YAML::Emitter& out, const json& group) {
  out << YAML::BeginMap;
  EmitText(out, "name", TextAt(group, "name"));
  EmitDuration(out, "interval", group, "interval");
  out << YAML::Key << "rules" << YAML::Value << YAML::BeginSeq;
  for (const json& rule : ListAt(group, "rules")) EmitRule(out, rule);
  out << YAML::EndSeq << YAML::EndMap;
}

}  // namespace

RuleFile ParseRuleFile(std::string text, const std::string& name) {
  RuleFile file{name, std::move(text), {}, {}, {}, {}};
  const YamlTree tree = Documents(file.text, name);
  const std::vector<YamlNode> documents = tree.documents();
  const Parts parts = ReadText(documents, {}, &file);
  for (YamlNode node : parts.texts) ReadInside(node, &file);
  const bool nothing = parts.groups.empty() && parts.dashboards.empty() && file.rules.empty() &&
                       file.problems.empty();
  // Prometheus reads a file without a word in it as one without rules.
  if (nothing && !std::ranges::all_of(documents, IsEmpty)) {
    FailAt(name, documents.front().line(), Expected(documents.front()));
  }
  return file;
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

std::string WithExpressions(const RuleFile& file, const std::vector<std::string>& expressions) {
  if (expressions.size() != file.rules.size()) {
    throw Error(ErrorKind::kFailed, "one expression a rule is needed");
  }
  if (std::ranges::equal(file.rules, expressions, {}, &FileRule::expr)) return file.text;
  std::vector<bool> quoted(file.rules.size(), false);
  std::string text = Changed(file, {expressions, quoted});
  quoted = Wrong(file, text, expressions);
  if (!Any(quoted)) return text;
  text = Changed(file, {expressions, quoted});
  if (!Any(Wrong(file, text, expressions))) return text;
  Raise(ErrorKind::kFailed,
        "mending {}: an expression cannot be changed where it stands; is the file UTF-8?",
        file.name);
}

std::vector<ServerRuleFile> RuleFilesOfServer(std::string_view text) {
  const json answer = ReadJson(text);
  const json& groups = MemberAt(MemberAt(answer, "data"), "groups");
  if (!groups.is_array()) {
    throw Error(ErrorKind::kFailed,
                "the server's answer to /api/v1/rules is no list of rules: does it evaluate any?");
  }
  std::vector<ServerRuleFile> files;
  for (const json& group : groups) {
    if (!group.is_object()) continue;
    const std::string name = TextAt(group, "file");
    const bool known =
        std::ranges::any_of(files, [&](const auto& file) { return file.name == name; });
    if (known) continue;
    YAML::Emitter out;
    out << YAML::BeginMap << YAML::Key << "groups" << YAML::Value << YAML::BeginSeq;
    for (const json& one : groups) {
      if (one.is_object() && TextAt(one, "file") == name) EmitGroup(out, one);
    }
    out << YAML::EndSeq << YAML::EndMap;
    files.push_back({name, std::string(out.c_str()) + "\n"});
  }
  return files;
}

}  // namespace schedlens
