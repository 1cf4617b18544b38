#include "source/rule_file_groups.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cctype>
#include <set>
#include <utility>

#include "model/text.h"
#include "schedlens/error.h"
#include "source/rule_file_dashboards.h"

namespace schedlens {
namespace {

std::string TextOf(const YAML::Node& node) {
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

bool IsSet(const YAML::Node& node) { return node && !node.IsNull(); }

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// Letters, digits and _, and : where allowed; not a digit first.
bool IsName(const std::string& text, bool colons) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  for (const char c : text) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (!letter && !(colons && c == ':')) return false;
  }
  return true;
}

/// A field of a map, of what is merged into it (`<<: *other`) where it has none itself.
YAML::Node FieldOf(const YAML::Node& map, const char* field, int depth = 0) {
  constexpr int kDeepestMerge = 8;
  const YAML::Node own = map[field];
  const YAML::Node merged = map["<<"];
  if (own || !merged || depth > kDeepestMerge) return own;
  if (merged.IsMap()) return FieldOf(merged, field, depth + 1);
  if (!merged.IsSequence()) return own;
  for (const YAML::Node& one : merged) {
    const YAML::Node found = one.IsMap() ? FieldOf(one, field, depth + 1) : YAML::Node();
    if (one.IsMap() && found) return found;
  }
  return own;
}

/// Reads one group after the other.
class GroupReader {
 public:
  explicit GroupReader(RuleFile* file) : file_(*file) {}

  void Read(const YAML::Node& holder) {
    std::set<std::string> names;
    for (const YAML::Node& group : holder["groups"]) {
      if (!group.IsMap()) {
        FailAt(file_.name, group.Mark(), "expected a group: a map with `name` and `rules`");
      }
      group_ = TextOf(FieldOf(group, "name"));
      rule_.clear();
      if (group_.empty()) {
        Note("bad-name", group, Message("lint.file.group"));
      } else if (!names.insert(group_).second) {
        Note("duplicate-group", FieldOf(group, "name"),
             Message("lint.file.duplicate", {{"name", group_}}));
      }
      interval_ms_ = Duration(group, "interval");
      Duration(group, "query_offset");
      ReadLabels(FieldOf(group, "labels"));
      const std::string type = TextOf(FieldOf(group, "type"));
      // A group of vmalert that asks another data source.
      if (type.empty() || type == "prometheus") ReadRules(FieldOf(group, "rules"));
    }
  }

 private:
  void Note(const std::string& id, const YAML::Node& at, Message message, Message fix = {}) {
    file_.problems.push_back({id, group_, rule_, LineOf(at), std::move(message), std::move(fix)});
  }

  void ReadRules(const YAML::Node& rules) {
    if (!IsSet(rules)) return;
    if (!rules.IsSequence()) FailAt(file_.name, rules.Mark(), "`rules` is not a list");
    for (const YAML::Node& rule : rules) {
      if (!rule.IsMap()) FailAt(file_.name, rule.Mark(), "expected a rule: a map with `expr`");
      if (FieldOf(rule, "data") && FieldOf(rule, "data").IsSequence()) {
        ReadGrafanaRule(rule, group_, &file_);  // of Grafana's own alerting
      } else {
        ReadRule(rule);
      }
    }
  }

  void ReadRule(const YAML::Node& rule) {
    FileRule one;
    const std::string alert = TextOf(FieldOf(rule, "alert"));
    const std::string record = TextOf(FieldOf(rule, "record"));
    one.group = group_;
    one.alerting = !alert.empty() || !FieldOf(rule, "record");
    one.name = rule_ = alert.empty() ? record : alert;
    one.interval_ms = interval_ms_;
    if (alert.empty() == record.empty()) {
      Note("bad-rule", rule, Message(alert.empty() ? "lint.file.neither" : "lint.file.both"));
    } else if (!record.empty() && !IsName(record, true)) {
      Note("bad-name", FieldOf(rule, "record"), Message("lint.file.record", {{"name", record}}));
    }
    one.for_ms = Duration(rule, "for").value_or(0);
    Duration(rule, "keep_firing_for");
    if (!one.alerting) {
      for (const char* field : {"for", "keep_firing_for", "annotations"}) {
        const YAML::Node at = FieldOf(rule, field);
        if (!IsSet(at) || (at.IsMap() && at.size() == 0)) continue;
        Note("bad-rule", at, Message("lint.file.field", {{"field", field}}));
      }
    }
    ReadLabels(FieldOf(rule, "labels"));
    ReadLabels(FieldOf(rule, "annotations"));
    const YAML::Node expr = FieldOf(rule, "expr");
    if (!IsSet(expr)) return Note("empty-expression", rule, Message("lint.file.no_expression"));
    if (!expr.IsScalar()) {
      return Note("empty-expression", expr, Message("lint.file.list_expression"));
    }
    if (IsBlank(expr.Scalar())) {
      return Note("empty-expression", expr, Message("lint.file.empty_expression"));
    }
    one.expr = expr.Scalar();
    one.line = LineOf(expr);
    one.begin = PlaceOf(expr, file_.text);
    file_.rules.push_back(std::move(one));
  }

  /// The duration of a field; nothing where it is not set or none.
  std::optional<std::int64_t> Duration(const YAML::Node& map, const char* field) {
    const YAML::Node node = FieldOf(map, field);
    if (!IsSet(node)) return std::nullopt;
    const auto ms = node.IsScalar() ? ParseDuration(node.Scalar()) : std::nullopt;
    if (!ms && TextOf(node) != "0") {
      Note("bad-duration", node,
           Message("lint.file.duration", {{"field", field}, {"value", TextOf(node)}}),
           Message("lint.file.duration.fix"));
    }
    return ms;
  }

  void ReadLabels(const YAML::Node& labels) {
    if (!IsSet(labels) || !labels.IsMap()) return;
    for (const auto& label : labels) {
      const std::string name = TextOf(label.first);
      if (name == "<<") continue;  // labels of another rule, judged there
      if (IsName(name, false) && name != "__name__") continue;
      Note("bad-name", label.first, Message("lint.file.label", {{"name", name}}));
    }
  }

  RuleFile& file_;
  std::string group_;
  std::string rule_;
  std::optional<std::int64_t> interval_ms_;
};

}  // namespace

void ReadGroups(const YAML::Node& holder, RuleFile* file) { GroupReader(file).Read(holder); }

std::size_t PlaceOf(const YAML::Node& node, const std::string& text) {
  // yaml-cpp counts bytes after the byte order mark.
  const std::size_t start = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  return static_cast<std::size_t>(node.Mark().pos) + start;
}

int LineOf(const YAML::Node& node) { return node.Mark().is_null() ? 1 : node.Mark().line + 1; }

void FailAt(const std::string& name, const YAML::Mark& mark, const std::string& what) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}:{}: {}", name, mark.is_null() ? 1 : mark.line + 1, what));
}

}  // namespace schedlens
