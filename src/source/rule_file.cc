#include "source/rule_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/yaml_load.h"
#include "schedlens/error.h"
#include "source/rule_file_dashboards.h"
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

}  // namespace schedlens
