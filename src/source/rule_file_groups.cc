#include "source/rule_file_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "model/text.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"
#include "source/rule_file_dashboards.h"
#include "source/rule_file_fields.h"

namespace schedlens {
namespace {

bool IsSet(YamlNode node) { return node && !node.IsNull(); }

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// Letters, digits, _ and :; not a digit first.
bool IsMetricName(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
  });
}

/// What a text that makes the rules, or another program than Prometheus, has its own fields and
/// templates in: objects of VictoriaMetrics's operator, charts and playbooks.
bool IsForOthers(const std::string& text) {
  return text.find(kVictoriaObjects) != std::string::npos || LooksLikeTemplate(text);
}

bool IsOfGrafana(YamlNode group) { return FieldOf(group, "folder") || FieldOf(group, "orgId"); }

/// Reads one group after the other.
class GroupReader {
 public:
  explicit GroupReader(RuleFile* file) : file_(*file), for_others_(IsForOthers(file->text)) {}

  void Read(YamlNode holder, bool whole) {
    std::set<std::string> names;
    if (whole && !for_others_) JudgeFileFields(holder, note_);
    for (const auto& [none, group] : holder["groups"]) {
      if (!group.IsMap()) {
        FailAt(file_.name, group.line(), "expected a group: a map with `name` and `rules`");
      }
      group_ = FieldOf(group, "name").Scalar();
      rule_.clear();
      if (group_.empty()) {
        Note("bad-name", group, Message("lint.file.group"));
      } else if (!names.insert(group_).second) {
        Note("duplicate-group", FieldOf(group, "name"),
             Message("lint.file.duplicate", {{"name", group_}}));
      }
      interval_ms_ = Duration(group, "interval");
      Duration(group, "query_offset");
      strict_ = !for_others_ && !IsOfGrafana(group) && !IsGroupOfVmalert(group);
      if (strict_) JudgeGroupFields(group, note_);
      JudgeTexts(group, "labels", note_);
      const std::string type = FieldOf(group, "type").Scalar();
      // A group of vmalert that asks another data source.
      if (type.empty() || type == "prometheus") ReadRules(FieldOf(group, "rules"));
    }
  }

 private:
  void Note(const std::string& id, YamlNode at, Message message, Message fix = {}) {
    file_.Add({id, group_, rule_, at.line(), std::move(message), std::move(fix)});
  }

  void ReadRules(YamlNode rules) {
    if (!IsSet(rules)) return;
    if (!rules.IsSequence()) FailAt(file_.name, rules.line(), "`rules` is not a list");
    for (const auto& [none, rule] : rules) {
      if (rule.IsNull()) continue;
      if (!rule.IsMap()) FailAt(file_.name, rule.line(), "expected a rule: a map with `expr`");
      if (FieldOf(rule, "data") && FieldOf(rule, "data").IsSequence()) {
        ReadGrafanaRule(rule, group_, &file_);  // of Grafana's own alerting
      } else {
        ReadRule(rule);
      }
    }
  }

  void ReadRule(YamlNode rule) {
    FileRule one;
    const std::string alert = FieldOf(rule, "alert").Scalar();
    const std::string record = FieldOf(rule, "record").Scalar();
    one.group = group_;
    one.alerting = !alert.empty() || !FieldOf(rule, "record");
    one.name = rule_ = alert.empty() ? record : alert;
    one.interval_ms = interval_ms_;
    if (alert.empty() == record.empty()) {
      Note("bad-rule", rule, Message(alert.empty() ? "lint.file.neither" : "lint.file.both"));
    } else if (!record.empty() && !IsMetricName(record)) {
      Note("bad-name", FieldOf(rule, "record"), Message("lint.file.record", {{"name", record}}));
    }
    one.for_ms = Duration(rule, "for").value_or(0);
    Duration(rule, "keep_firing_for");
    if (!one.alerting) {
      for (const char* field : {"for", "keep_firing_for", "annotations"}) {
        const YamlNode at = FieldOf(rule, field);
        if (!IsSet(at) || (at.IsMap() && at.size() == 0)) continue;
        Note("bad-rule", at, Message("lint.file.field", {{"field", field}}));
      }
    }
    if (strict_) JudgeRuleFields(rule, note_);
    JudgeTexts(rule, "labels", note_);
    JudgeTexts(rule, "annotations", note_);
    const YamlNode expr = FieldOf(rule, "expr");
    if (!IsSet(expr)) return Note("empty-expression", rule, Message("lint.file.no_expression"));
    if (!expr.IsScalar()) {
      return Note("empty-expression", expr, Message("lint.file.list_expression"));
    }
    if (IsBlank(expr.Scalar())) {
      return Note("empty-expression", expr, Message("lint.file.empty_expression"));
    }
    one.expr = expr.Scalar();
    one.line = expr.line();
    one.begin = PlaceOf(expr, file_.text);
    file_.rules.push_back(std::move(one));
  }

  /// The duration of a field; nothing where it is not set or none.
  std::optional<std::int64_t> Duration(YamlNode map, const char* field) {
    const YamlNode node = FieldOf(map, field);
    if (!IsSet(node)) return std::nullopt;
    const auto ms = node.IsScalar() ? ParseDuration(node.Scalar()) : std::nullopt;
    if (!ms && node.Scalar() != "0") {
      Note("bad-duration", node,
           Message("lint.file.duration", {{"field", field}, {"value", node.Scalar()}}),
           Message("lint.file.duration.fix"));
    }
    return ms;
  }

  RuleFile& file_;
  bool for_others_;
  bool strict_ = true;  ///< the group is for Prometheus as it stands
  FieldNote note_ = [this](const std::string& id, YamlNode at, const Message& message,
                           const Message& fix) { Note(id, at, message, fix); };
  std::string group_;
  std::string rule_;
  std::optional<std::int64_t> interval_ms_;
};

}  // namespace

void ReadGroups(YamlNode holder, bool whole, RuleFile* file) {
  GroupReader(file).Read(holder, whole);
}

std::size_t PlaceOf(YamlNode node, const std::string& text) {
  const std::size_t start = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  return node.pos() + start;
}

void FailAt(const std::string& name, int line, const std::string& what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", name, line, what));
}

}  // namespace schedlens
