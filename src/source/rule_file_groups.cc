#include <re2/re2.h>

#include <cctype>
#include <set>

#include "base/suggestion.h"
#include "base/yaml_load.h"
#include "source/rule_file.h"

namespace schedlens {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kMerge = "<<";

const Names kRuleFields = {"alert", "record", "expr", "for", "keep_firing_for", "labels",
                           "annotations",
                           // vmalert's
                           "debug", "update_entries_limit", "id"};
/// Of groups that only vmalert takes.
const Names kVmalertFields = {
    "type",       "concurrency",    "params", "headers", "notifier_headers",   "eval_offset",
    "eval_delay", "eval_alignment", "tenant", "debug",   "extra_filter_labels"};
const Names kGroupFields = {"name", "interval", "query_offset", "limit", "labels", "rules",
                            // Thanos's and Mimir's
                            "partial_response_strategy", "source_tenants", "evaluation_delay",
                            "align_evaluation_time_on_interval", "remote_write"};
/// `namespace` is what Mimir's and Cortex's tools upload the groups to.
const Names kFileFields = {"groups", "namespace"};

/// Letters, digits and what is `also` allowed; not a digit first.
bool IsName(const std::string& text, std::string_view also) {
  return !text.empty() && !IsDigit(text[0]) && std::ranges::all_of(text, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || also.find(c) != also.npos;
  });
}

/// What differs by a slip from a name of the list.
Message MeantName(const std::string& name, const Names& names) {
  const std::string meant = Meant(name, names);
  return meant.empty() ? Message() : Message("lint.did_you_mean", {{"words", meant}});
}

/// A field of a map, of what is merged into it (`<<: *other`) where it has none itself.
YamlNode FieldOf(YamlNode map, const char* field, int depth = 0) {
  constexpr int kDeepestMerge = 8;
  const YamlNode own = map[field];
  const YamlNode merged = map[kMerge];
  if (own || !merged || depth > kDeepestMerge) return own;
  if (merged.IsMap()) return FieldOf(merged, field, depth + 1);
  if (!merged.IsSequence()) return own;
  for (const auto& [none, one] : merged) {
    if (const YamlNode found = FieldOf(one, field, depth + 1)) return found;
  }
  return own;
}

bool IsSet(YamlNode node) { return node && !node.IsNull(); }

constexpr int kDeepestPanels = 60;

/// Whether a data source of this type or name answers in another language.
bool SpeaksOther(const std::string& datasource) {
  static const RE2 kOthers(
      "(?i)loki|tempo|influx|elasticsearch|graphite|cloudwatch|stackdriver|sql|postgres|opentsdb|"
      "azure|datadog|jaeger|zipkin|pyroscope|__expr__",
      RE2::Latin1);
  return RE2::PartialMatch(datasource, kOthers);
}

/// A panel's or a dashboard's; Perses has it as `display: {name}`.
std::string NameOfPanel(YamlNode node) {
  const YamlNode name = node["display"]["name"];
  return (name ? name : node["title"]).Scalar();
}

/// What is known of a node from those above it.
struct Around {
  std::string title, datasource;
  int depth = 0;
};

class QueryReader {
 public:
  QueryReader(std::string dashboard, RuleFile* file)
      : dashboard_(std::move(dashboard)), file_(*file) {}

  void Read(YamlNode node, Around around) {
    if (++around.depth > kDeepestPanels || !node) return;
    if (node.IsSequence()) {
      for (const auto& [none, element] : node) Read(element, around);
    }
    if (!node.IsMap()) return;
    if (const std::string title = NameOfPanel(node); !title.empty()) around.title = title;
    ReadDatasource(node, &around);
    ReadPersesQuery(node, around);
    if (node["kind"].Scalar() == "QueryVariable") {  // of Grafana's newest schema
      around.title = "$" + node["spec"]["name"].Scalar();
      const YamlNode query = node["spec"]["query"]["spec"]["query"];
      if (query.IsScalar()) AddFunction(query, around);
    }
    if (node["targets"].IsSequence() && node["targets"].size() > 1) {
      ReadTargets(node["targets"], around);
    }
    if (node["expr"].IsScalar()) Add(node["expr"], around);
    for (const auto& member : node) {
      const std::string key = member.first.Scalar();
      if (key == "templating") {
        ReadVariables(member.second["list"], around);
      } else if (key == "annotations" && member.second.IsMap()) {
        ReadAnnotations(member.second["list"], around);
      } else if (!(key == "targets" && member.second.IsSequence() && member.second.size() > 1)) {
        Read(member.second, around);
      }
    }
  }

 private:
  /// Of Perses: `{kind: PrometheusTimeSeriesQuery, spec: {query}}`, and variables that take the
  /// labels of the series that `matchers` select.
  void ReadPersesQuery(YamlNode node, const Around& around) {
    const YamlNode spec = node["spec"];
    if (!node["kind"].Scalar().starts_with("Prometheus")) return;
    if (spec["query"].IsScalar()) Add(spec["query"], around);
    if (!spec["matchers"].IsSequence()) return;
    for (const auto& [none, matcher] : spec["matchers"]) {
      if (matcher.IsScalar()) Add(matcher, around);
    }
  }

  static void ReadDatasource(YamlNode node, Around* around) {
    const YamlNode datasource = node["datasource"];
    if (datasource.IsMap()) {
      const std::string type = datasource["type"].Scalar();
      around->datasource = type.empty() ? datasource["uid"].Scalar() : type;
    } else if (const std::string name = datasource.Scalar(); !name.empty()) {
      around->datasource = name;
    }
    // Of the newest schema: `query: {kind: prometheus, spec: {expr}}`.
    if (node["spec"]["expr"]) {
      const std::string group = node["group"].Scalar();
      around->datasource = group.empty() ? node["kind"].Scalar() : group;
    }
  }

  void ReadTargets(YamlNode targets, const Around& around) {
    for (const auto& [none, target] : targets) {
      Around one = around;
      const std::string letter = target["refId"].Scalar();
      if (!letter.empty()) one.title += " " + letter;
      Read(target, one);
    }
  }

  void ReadAnnotations(YamlNode list, Around around) {
    if (!list.IsSequence()) return;
    for (const auto& [none, annotation] : list) {
      if (annotation.IsMap()) around.title = annotation["name"].Scalar();
      Read(annotation, around);
    }
  }

  /// `label_values(SELECTOR, LABEL)` and `query_result(EXPRESSION)`.
  void ReadVariables(YamlNode list, Around around) {
    if (!list.IsSequence()) return;
    for (const auto& [none, variable] : list) {
      if (variable["type"].Scalar() != "query") continue;
      ReadDatasource(variable, &around);
      around.title = "$" + variable["name"].Scalar();
      const YamlNode query = variable["query"];
      const YamlNode text = query.IsMap() ? query["query"] : query;
      if (text.IsScalar()) AddFunction(text, around);
    }
  }

  void AddFunction(YamlNode node, const Around& around) {
    const std::string text = node.Scalar();
    for (const std::string_view function : {"label_values(", "query_result("}) {
      const std::size_t begin = text.find(function);
      const std::size_t end = text.rfind(function[0] == 'l' ? ',' : ')');
      if (begin == std::string::npos || end == std::string::npos) continue;
      const std::size_t first = begin + function.size();
      if (end <= first) continue;
      Add(node, around, text.substr(0, first), text.substr(end));
    }
  }

  void Add(YamlNode node, const Around& around, const std::string& before = "",
           const std::string& after = "") {
    const std::string text = node.Scalar();
    if (SpeaksOther(around.datasource)) return;
    FileRule rule;
    rule.group = dashboard_;
    rule.name = around.title;
    rule.panel = true;
    rule.before = before;
    rule.after = after;
    rule.expr = text.substr(before.size(), text.size() - before.size() - after.size());
    if (Trimmed(rule.expr).empty()) return;
    rule.line = node.line();
    rule.begin = PlaceOf(node, file_.text);
    file_.rules.push_back(std::move(rule));
  }

  std::string dashboard_;
  RuleFile& file_;
};

class GroupReader {
 public:
  explicit GroupReader(RuleFile* file)
      : file_(*file),
        for_others_(file->text.find(kVictoriaObjects) != std::string::npos ||
                    LooksLikeTemplate(file->text)) {}

  void Read(YamlNode holder, bool whole) {
    std::set<std::string> names;
    const bool plain = !holder["apiVersion"] && !holder["kind"];
    if (whole && !for_others_ && plain) JudgeFields(holder, kFileFields, "lint.file.unknown.file");
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
      const YamlNode first = FieldOf(group, "rules").First();
      served_ = first["query"] && first["type"];
      interval_ms_ = Duration(group, "interval");
      Duration(group, "query_offset");
      // Grafana's groups, and those that only vmalert takes, have fields of their own.
      strict_ = !for_others_ && !served_ && !FieldOf(group, "folder") && !FieldOf(group, "orgId") &&
                std::ranges::none_of(kVmalertFields, [&, at = group](const std::string& field) {
                  return bool(FieldOf(at, field.c_str()));
                });
      if (strict_) JudgeFields(group, kGroupFields, "lint.file.unknown.group");
      JudgeTexts(group, "labels");
      const std::string type = FieldOf(group, "type").Scalar();
      // A group of vmalert that asks another data source.
      if (type.empty() || type == "prometheus") ReadRules(FieldOf(group, "rules"));
    }
  }

 private:
  void Note(const std::string& id, YamlNode at, Message message, Message fix = {}) {
    file_.Add({id, group_, rule_, at.line(), std::move(message), std::move(fix)});
  }

  /// Calls `each` for the names of a map, once each, and notes those that are set twice.
  template <typename Each>
  void ForEachName(YamlNode map, const Each& each) {
    std::set<std::string> seen;
    for (const auto& [key, value] : map) {
      const std::string name = key.Scalar();
      // What is merged is judged where it stands.
      if (name == kMerge || key.IsNull()) continue;
      if (!seen.insert(name).second) {
        Note("bad-field", key, Message("lint.file.twice", {{"field", name}}));
        continue;
      }
      each(name, key, value);
    }
  }

  /// Fields that no group, no rule and no file has, whoever's rules they are (Prometheus's,
  /// Thanos's, Mimir's, vmalert's), and fields that are set twice.
  void JudgeFields(YamlNode map, const Names& known, const char* said) {
    ForEachName(map, [&](const std::string& name, YamlNode at, YamlNode) {
      if (std::ranges::find(known, name) != known.end()) return;
      Note("bad-field", at, Message(said, {{"field", name}}), MeantName(name, known));
    });
  }

  /// The labels or annotations of a map: names, names twice, and values that are lists or maps.
  void JudgeTexts(YamlNode map, const char* field) {
    const YamlNode texts = FieldOf(map, field);
    if (!IsSet(texts)) return;
    if (!texts.IsMap()) {
      return Note("bad-field", texts, Message("lint.file.not_map", {{"field", field}}));
    }
    ForEachName(texts, [&](const std::string& name, YamlNode at, YamlNode value) {
      if (!IsName(name, "_") || name == "__name__") {
        Note("bad-name", at, Message("lint.file.label", {{"name", name}}));
      }
      if (value.IsMap() || value.IsSequence()) {
        Note("bad-field", value, Message("lint.file.not_text", {{"field", name}}));
      }
    });
  }

  void ReadRules(YamlNode rules) {
    if (!IsSet(rules)) return;
    if (!rules.IsSequence()) FailAt(file_.name, rules.line(), "`rules` is not a list");
    for (const auto& [none, rule] : rules) {
      if (rule.IsNull()) continue;
      if (!rule.IsMap()) FailAt(file_.name, rule.line(), "expected a rule: a map with `expr`");
      if (FieldOf(rule, "data") && FieldOf(rule, "data").IsSequence()) {
        QueryReader(group_, &file_).Read(rule, {});  // of Grafana's own alerting
      } else {
        ReadRule(rule);
      }
    }
  }

  void ReadRule(YamlNode rule) {
    FileRule one;
    std::string alert = FieldOf(rule, "alert").Scalar();
    std::string record = FieldOf(rule, "record").Scalar();
    if (served_)
      (FieldOf(rule, "type").Scalar() == "alerting" ? alert : record) =
          FieldOf(rule, "name").Scalar();
    one.group = group_;
    one.alerting = !alert.empty() || (record.empty() && !FieldOf(rule, "record"));
    one.name = rule_ = alert.empty() ? record : alert;
    one.interval_ms = interval_ms_;
    if (alert.empty() == record.empty()) {
      Note("bad-rule", rule, Message(alert.empty() ? "lint.file.neither" : "lint.file.both"));
    } else if (!record.empty() && !IsName(record, "_:")) {
      Note("bad-name", FieldOf(rule, "record"), Message("lint.file.record", {{"name", record}}));
    }
    one.for_ms = Duration(rule, served_ ? "duration" : "for").value_or(0);
    Duration(rule, "keep_firing_for");
    if (!one.alerting) {
      for (const char* field : {"for", "keep_firing_for", "annotations"}) {
        const YamlNode at = FieldOf(rule, field);
        if (!IsSet(at) || (at.IsMap() && at.size() == 0)) continue;
        Note("bad-rule", at, Message("lint.file.field", {{"field", field}}));
      }
    }
    if (strict_) JudgeFields(rule, kRuleFields, "lint.file.unknown.rule");
    JudgeTexts(rule, "labels");
    JudgeTexts(rule, "annotations");
    const YamlNode expr = FieldOf(rule, served_ ? "query" : "expr");
    if (!IsSet(expr)) return Note("empty-expression", rule, Message("lint.file.no_expression"));
    if (!expr.IsScalar()) {
      return Note("empty-expression", expr, Message("lint.file.list_expression"));
    }
    if (Trimmed(expr.Scalar()).empty()) {
      return Note("empty-expression", expr, Message("lint.file.empty_expression"));
    }
    one.expr = expr.Scalar();
    one.line = expr.line();
    one.begin = PlaceOf(expr, file_.text);
    file_.rules.push_back(std::move(one));
  }

  std::optional<std::int64_t> Duration(YamlNode map, const char* field) {
    const YamlNode node = FieldOf(map, field);
    if (!IsSet(node)) return std::nullopt;
    const auto seconds = served_ ? ParseNumber(node.Scalar()) : std::nullopt;
    const auto served = seconds && *seconds >= 0 ? TimeOfSeconds(*seconds) : std::nullopt;
    if (served) return served;
    const auto ms = node.IsScalar() ? ParseDuration(node.Scalar()) : std::nullopt;
    if (!ms && node.Scalar() != "0") {
      Note("bad-duration", node,
           Message("lint.file.duration", {{"field", field}, {"value", node.Scalar()}}),
           Message("lint.file.duration.fix"));
    }
    return ms;
  }

  RuleFile& file_;
  /// What makes the rules, or another program than Prometheus, has its own fields and templates:
  /// objects of VictoriaMetrics's operator, charts and playbooks.
  bool for_others_;
  bool strict_ = true;   ///< the group is for Prometheus as it stands
  bool served_ = false;  ///< as /api/v1/rules answers: `query`, `type`, seconds
  std::string group_, rule_;
  std::optional<std::int64_t> interval_ms_;
};

/// The dashboard in what wraps it; the document itself where nothing does.
YamlNode Unwrapped(YamlNode document) {
  if (document["dashboard"].IsMap()) return Unwrapped(document["dashboard"]);
  const YamlNode spec = document["spec"];
  if (spec["elements"] || spec["panels"].IsMap()) return spec;
  // An object of Perses' operator may have one more map around it.
  return spec["config"]["panels"].IsMap() ? spec["config"] : document;
}

}  // namespace

void ReadGroups(YamlNode holder, bool whole, RuleFile* file) {
  GroupReader(file).Read(holder, whole);
}

std::size_t PlaceOf(YamlNode node, const std::string& text) {
  const std::size_t start = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  return node.pos() + start;
}

void FailAt(const std::string& name, int line, const std::string& what) {
  Raise(ErrorKind::kUsage, "{}:{}: {}", name, line, what);
}

bool IsDashboard(YamlNode document) {
  if (!document.IsMap()) return false;
  const YamlNode inner = Unwrapped(document);
  return inner["panels"].IsSequence() || inner["rows"].IsSequence() ||
         (inner["elements"].IsMap() && (inner["layout"] || inner["elements"].First()["kind"])) ||
         (inner["panels"].IsMap() && inner["layouts"].IsSequence());
}

void ReadDashboard(YamlNode document, RuleFile* file) {
  const YamlNode inner = Unwrapped(document);
  QueryReader(NameOfPanel(inner), file).Read(inner, {});
}

}  // namespace schedlens
