#include "source/rule_file.h"

// Rule files with other expressions in them, byte for byte.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/yaml_load.h"
#include "promql/parser.h"
#include "schedlens/error.h"
#include "source/rule_file_groups.h"
#include "source/scalar_place.h"
#include "source/yaml_tree.h"

namespace schedlens {
namespace {

constexpr int kDeepest = 40;

std::string_view FirstLetters(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

int LineOf(const YAML::Exception& error) { return error.mark.is_null() ? 1 : error.mark.line + 1; }

YamlTree Documents(const std::string& text, const std::string& name) {
  try {
    return YamlTree(text);
  } catch (const YAML::Exception& error) {
    FailAt(name, LineOf(error), NotYaml(text, error.msg));
  }
}

bool HasGroups(YamlNode node) { return bool(node["groups"]); }

/// Groups with rules in them, wherever they stand: others call other things `groups`.
bool HasRuleGroups(YamlNode node) {
  const YamlNode groups = node["groups"];
  return groups.IsSequence() && bool(groups.First()["rules"]);
}

/// What a document has of use.
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
  if (whole ? HasGroups(node) : HasRuleGroups(node)) {
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

/// The rules and problems of one text; nothing that is inside of it. In a `whole` file what is
/// called `groups` has to be a list of them.
Parts ReadText(const std::vector<YamlNode>& documents, bool whole, RuleFile* file) {
  Parts parts;
  for (YamlNode document : documents) FindParts(document, whole ? 0 : 1, &parts);
  for (YamlNode holder : parts.groups) {
    if (!holder["groups"].IsSequence() && !holder["groups"].IsNull()) {
      FailAt(file->name, holder.line(), "`groups` is not a list");
    }
    const bool all = std::any_of(documents.begin(), documents.end(),
                                 [&](YamlNode document) { return document.is(holder); });
    ReadGroups(holder, all, file);
  }
  for (YamlNode dashboard : parts.dashboards) ReadDashboard(dashboard, file);
  return parts;
}

/// Whether a text is worth to be read: it could hold rules or panels.
bool MayBeFile(const std::string& text) {
  if (FirstLetters(text).starts_with("{")) {
    return text.find("\"panels\"") != std::string::npos ||
           text.find("\"rows\"") != std::string::npos ||
           text.find("\"groups\"") != std::string::npos;
  }
  return text.starts_with("groups:") || text.find("\ngroups:") != std::string::npos;
}

/// Where each line of a text ends.
std::vector<std::size_t> LineEnds(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    ends.push_back(at);
  }
  return ends;
}

/// The line of the file in which a line of an inner text stands.
class LinesInside {
 public:
  LinesInside(const RuleFile& file, const TextInside& inside, YamlNode node)
      : ends_(LineEnds(file.text)),
        inner_ends_(LineEnds(inside.text)),
        first_(node.line()),
        place_(ScalarPlace::Find(file.text, inside.begin, inside.text)) {}

  int At(int line) const {
    const std::size_t before = std::min(static_cast<std::size_t>(line - 1), inner_ends_.size());
    const auto byte =
        place_ ? place_->ByteOf(before == 0 ? 0 : inner_ends_[before - 1] + 1) : std::nullopt;
    if (!byte) return first_;
    return 1 +
           static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), *byte) - ends_.begin());
  }

 private:
  std::vector<std::size_t> ends_, inner_ends_;
  int first_;
  std::optional<ScalarPlace> place_;
};

/// Adds what the text of one key has, at its lines in the file.
void ReadInside(YamlNode node, RuleFile* file) {
  RuleFile inner{file->name, node.Scalar(), {}, {}, {}, {}};
  if (!MayBeFile(inner.text)) return;
  const TextInside inside{PlaceOf(node, file->text), inner.text};
  const LinesInside lines(*file, inside, node);
  try {
    const YamlTree tree(inner.text);
    ReadText(tree.documents(), false, &inner);
  } catch (const YAML::Exception& error) {
    if (!inner.text.starts_with("groups:")) return;  // a script, a template
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: the text of a key: {}", file->name, lines.At(LineOf(error)),
                            NotYaml(inner.text, error.msg)));
  }
  for (FileRule& rule : inner.rules) {
    rule.line = lines.At(rule.line);
    rule.inside = file->insides.size();
    file->rules.push_back(std::move(rule));
  }
  for (FileProblem& problem : inner.problems) {
    problem.line = lines.At(problem.line);
    file->Add(std::move(problem));
  }
  for (const auto& [id, count] : inner.more_problems) file->more_problems[id] += count;
  if (!inner.rules.empty()) file->insides.push_back(inside);
}

bool IsEmpty(YamlNode document) {
  return document.IsNull() || (document.IsMap() && document.size() == 0);
}

/// What to make of a document that is no rule file.
std::string Expected(YamlNode document) {
  const YamlNode first = document.IsSequence() ? document.First() : YamlNode();
  if (first["rules"]) {
    return "a list of groups by itself, which Prometheus refuses: put it below `groups:`";
  }
  if (first["expr"]) {
    return "a list of rules by itself, which Prometheus refuses: put it below `rules:` of a group";
  }
  return "expected a rule file, a map with a list `groups`, or a dashboard";
}

using Names = std::vector<std::string>;

constexpr std::string_view kMerge = "<<";

const Names& RuleFields() {
  static const Names all = {"alert", "record", "expr", "for", "keep_firing_for", "labels",
                            "annotations",
                            // vmalert's
                            "debug", "update_entries_limit", "id"};
  return all;
}

/// Of groups that only vmalert takes.
const Names& VmalertFields() {
  static const Names all = {
      "type",       "concurrency",    "params", "headers", "notifier_headers",   "eval_offset",
      "eval_delay", "eval_alignment", "tenant", "debug",   "extra_filter_labels"};
  return all;
}

const Names& GroupFields() {
  static const Names all = {"name", "interval", "query_offset", "limit", "labels", "rules",
                            // Thanos's and Mimir's
                            "partial_response_strategy", "source_tenants", "evaluation_delay",
                            "align_evaluation_time_on_interval", "remote_write"};
  return all;
}

bool Holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Letters, digits and _; not a digit first.
bool IsLabelName(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

/// What differs by a slip from a name of the list.
Message Meant(const std::string& name, const Names& names) {
  constexpr std::size_t kSlip = 2;
  const std::string near = Nearest(name, names);
  if (near.empty() || EditDistance(name, near) > kSlip) return {};
  return Message("lint.did_you_mean", {{"words", near}});
}

/// Calls `each` for the names of a map, once each, and notes those that are set twice.
template <typename Each>
void ForEachName(YamlNode map, const FieldNote& note, const Each& each) {
  std::set<std::string> seen;
  for (const auto& member : map) {
    const std::string name = member.first.Scalar();
    // What is merged is judged where it stands.
    if (name == kMerge || member.first.IsNull()) continue;
    if (!seen.insert(name).second) {
      note("bad-field", member.first, Message("lint.file.twice", {{"field", name}}), {});
      continue;
    }
    each(name, member.first, member.second);
  }
}

void JudgeFields(YamlNode map, const Names& known, const char* said, const FieldNote& note) {
  ForEachName(map, note, [&](const std::string& name, YamlNode at, YamlNode) {
    if (Holds(known, name)) return;
    note("bad-field", at, Message(said, {{"field", name}}), Meant(name, known));
  });
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

RuleFile ParseRuleFile(std::string text, const std::string& name) {
  RuleFile file{name, std::move(text), {}, {}, {}, {}};
  const YamlTree tree = Documents(file.text, name);
  const std::vector<YamlNode> documents = tree.documents();
  const Parts parts = ReadText(documents, true, &file);
  for (YamlNode node : parts.texts) ReadInside(node, &file);
  const bool nothing = parts.groups.empty() && parts.dashboards.empty() && file.rules.empty() &&
                       file.problems.empty();
  // Prometheus reads a file without a word in it as one without rules.
  if (nothing && !std::all_of(documents.begin(), documents.end(), IsEmpty)) {
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

YamlNode FieldOf(YamlNode map, const char* field, int depth) {
  constexpr int kDeepestMerge = 8;
  const YamlNode own = map[field];
  const YamlNode merged = map["<<"];
  if (own || !merged || depth > kDeepestMerge) return own;
  if (merged.IsMap()) return FieldOf(merged, field, depth + 1);
  if (!merged.IsSequence()) return own;
  for (const auto& [none, one] : merged) {
    if (const YamlNode found = FieldOf(one, field, depth + 1)) return found;
  }
  return own;
}

bool IsGroupOfVmalert(YamlNode group) {
  const Names& fields = VmalertFields();
  return std::any_of(fields.begin(), fields.end(),
                     [&](const std::string& field) { return FieldOf(group, field.c_str()); });
}

void JudgeGroupFields(YamlNode group, const FieldNote& note) {
  JudgeFields(group, GroupFields(), "lint.file.unknown.group", note);
}

void JudgeRuleFields(YamlNode rule, const FieldNote& note) {
  JudgeFields(rule, RuleFields(), "lint.file.unknown.rule", note);
}

void JudgeFileFields(YamlNode file, const FieldNote& note) {
  if (file["apiVersion"] || file["kind"]) return;
  static const Names known = {"groups",
                              // what Mimir's and Cortex's tools upload the groups to
                              "namespace"};
  JudgeFields(file, known, "lint.file.unknown.file", note);
}

void JudgeTexts(YamlNode map, const char* field, const FieldNote& note) {
  const YamlNode texts = FieldOf(map, field);
  if (!texts || texts.IsNull()) return;
  if (!texts.IsMap()) {
    return note("bad-field", texts, Message("lint.file.not_map", {{"field", field}}), {});
  }
  ForEachName(texts, note, [&](const std::string& name, YamlNode at, YamlNode value) {
    if (!IsLabelName(name) || name == "__name__") {
      note("bad-name", at, Message("lint.file.label", {{"name", name}}), {});
    }
    if (value.IsMap() || value.IsSequence()) {
      note("bad-field", value, Message("lint.file.not_text", {{"field", name}}), {});
    }
  });
}

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
