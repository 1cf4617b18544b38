#include "source/rule_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/template_text.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"
#include "source/rule_file_dashboards.h"
#include "source/rule_file_groups.h"
#include "source/scalar_place.h"

namespace schedlens {
namespace {

constexpr int kDeepest = 40;

std::string_view FirstLetters(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// JSON with the halves of letters beyond 16 bits (`\ud83d\ude00`), which no YAML reader takes,
/// replaced by other letters: as many bytes, so that every place stays.
std::string Readable(std::string text) {
  if (!FirstLetters(text).starts_with("{")) return text;
  constexpr std::size_t kEscape = 6;
  for (std::size_t at = text.find("\\ud"); at != std::string::npos;
       at = text.find("\\ud", at + 1)) {
    std::size_t slash = at;
    while (slash > 0 && text[slash - 1] == '\\') --slash;
    const bool escaped = (at - slash) % 2 != 0;  // the letters themselves, of a text inside
    if (escaped || at + 3 >= text.size() ||
        std::string_view("89abAB").find(text[at + 3]) == std::string::npos) {
      continue;
    }
    for (std::size_t i = at; i < std::min(at + 2 * kEscape, text.size()); ++i) {
      if (text[i] == '"') break;
      text[i] = '?';
    }
  }
  return text;
}

std::vector<YAML::Node> Documents(const std::string& text, const std::string& name) {
  try {
    return LoadAllYaml(Readable(text));
  } catch (const YAML::Exception& error) {
    FailAt(name, error.mark, NotYaml(text, error.msg));
  }
}

bool HasGroups(const YAML::Node& node) { return node.IsMap() && node["groups"]; }

/// Groups with rules in them, wherever they stand: others call other things `groups`.
bool HasRuleGroups(const YAML::Node& node) {
  if (!HasGroups(node) || !node["groups"].IsSequence()) return false;
  const YAML::Node groups = node["groups"];
  return groups.size() > 0 && groups[0].IsMap() && groups[0]["rules"];
}

/// What a document has of use.
struct Parts {
  std::vector<YAML::Node> groups;      ///< maps with `groups`
  std::vector<YAML::Node> dashboards;  ///< documents
  std::vector<YAML::Node> texts;       ///< scalars that may be files themselves
};

/// The keys of a ConfigMap, and the dashboard of an operator's object.
void FindTexts(const YAML::Node& node, Parts* parts) {
  const YAML::Node data = node["data"];
  if (data && data.IsMap()) {
    for (const auto& member : data) {
      if (member.second.IsScalar()) parts->texts.push_back(member.second);
    }
  }
  const YAML::Node spec = node["spec"];
  if (!spec || !spec.IsMap()) return;
  for (const char* field : {"json", "definition"}) {
    if (spec[field] && spec[field].IsScalar()) parts->texts.push_back(spec[field]);
  }
}

void FindParts(const YAML::Node& node, int depth, Parts* parts) {
  if (depth > kDeepest) return;
  if (node.IsSequence()) {
    for (const YAML::Node& element : node) FindParts(element, depth + 1, parts);
  }
  if (!node.IsMap()) return;
  const bool whole = depth == 0;
  if (whole ? HasGroups(node) : HasRuleGroups(node)) {
    parts->groups.push_back(node);
  } else if (whole && node["spec"] && HasGroups(node["spec"])) {
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
Parts ReadText(const std::vector<YAML::Node>& documents, bool whole, RuleFile* file) {
  Parts parts;
  for (const YAML::Node& document : documents) FindParts(document, whole ? 0 : 1, &parts);
  for (const YAML::Node& holder : parts.groups) {
    if (!holder["groups"].IsSequence() && !holder["groups"].IsNull()) {
      FailAt(file->name, holder.Mark(), "`groups` is not a list");
    }
    const bool all = std::any_of(documents.begin(), documents.end(),
                                 [&](const YAML::Node& document) { return document.is(holder); });
    ReadGroups(holder, all, file);
  }
  for (const YAML::Node& dashboard : parts.dashboards) ReadDashboard(dashboard, file);
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

int LineAt(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

/// The line of the file in which a line of an inner text stands.
class LinesInside {
 public:
  LinesInside(const RuleFile& file, const TextInside& inside, const YAML::Node& node)
      : file_(file),
        inside_(inside),
        first_(LineOf(node)),
        place_(ScalarPlace::Find(file.text, inside.begin, inside.text)) {}

  int At(int line) const {
    std::size_t begin = 0;
    for (int i = 1; i < line; ++i) {
      const std::size_t end = inside_.text.find('\n', begin);
      if (end == std::string::npos) break;
      begin = end + 1;
    }
    const auto byte = place_ ? place_->ByteOf(begin) : std::nullopt;
    return byte ? LineAt(file_.text, *byte) : first_;
  }

 private:
  const RuleFile& file_;
  const TextInside& inside_;
  int first_;
  std::optional<ScalarPlace> place_;
};

/// Adds what the text of one key has, at its lines in the file.
void ReadInside(const YAML::Node& node, RuleFile* file) {
  RuleFile inner{file->name, node.Scalar(), {}, {}, {}};
  if (!MayBeFile(inner.text)) return;
  const TextInside inside{PlaceOf(node, file->text), inner.text};
  const LinesInside lines(*file, inside, node);
  try {
    const std::vector<YAML::Node> documents = LoadAllYaml(Readable(inner.text));
    ReadText(documents, false, &inner);
  } catch (const YAML::Exception& error) {
    if (!inner.text.starts_with("groups:")) return;  // a script, a template
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: the text of a key: {}", file->name,
                            lines.At(error.mark.is_null() ? 1 : error.mark.line + 1),
                            NotYaml(inner.text, error.msg)));
  }
  for (FileRule& rule : inner.rules) {
    rule.line = lines.At(rule.line);
    rule.inside = file->insides.size();
    file->rules.push_back(std::move(rule));
  }
  for (FileProblem& problem : inner.problems) {
    problem.line = lines.At(problem.line);
    file->problems.push_back(std::move(problem));
  }
  if (!inner.rules.empty()) file->insides.push_back(inside);
}

bool IsEmpty(const YAML::Node& document) {
  return document.IsNull() || (document.IsMap() && document.size() == 0);
}

/// What to make of a document that is no rule file.
std::string Expected(const YAML::Node& document) {
  const YAML::Node first =
      document.IsSequence() && document.size() > 0 ? document[0] : YAML::Node();
  if (first.IsMap() && first["rules"]) {
    return "a list of groups by itself, which Prometheus refuses: put it below `groups:`";
  }
  if (first.IsMap() && first["expr"]) {
    return "a list of rules by itself, which Prometheus refuses: put it below `rules:` of a group";
  }
  return "expected a rule file, a map with a list `groups`, or a dashboard";
}

}  // namespace

RuleFile ParseRuleFile(const std::string& text, const std::string& name) {
  RuleFile file{name, text, {}, {}, {}};
  const std::vector<YAML::Node> documents = Documents(text, name);
  const Parts parts = ReadText(documents, true, &file);
  for (const YAML::Node& node : parts.texts) ReadInside(node, &file);
  const bool nothing = parts.groups.empty() && parts.dashboards.empty() && file.rules.empty() &&
                       file.problems.empty();
  // Prometheus reads a file without a word in it as one without rules.
  if (nothing && !std::all_of(documents.begin(), documents.end(), IsEmpty)) {
    FailAt(name, documents.front().Mark(), Expected(documents.front()));
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
