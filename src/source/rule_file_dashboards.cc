#include "source/rule_file_dashboards.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "source/rule_file_groups.h"

namespace schedlens {
namespace {

constexpr int kDeepestPanels = 60;

std::string Text(const YAML::Node& node) {
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

bool IsList(const YAML::Node& node) { return node && node.IsSequence(); }

bool IsMap(const YAML::Node& node) { return node && node.IsMap(); }

/// Whether a data source of this type or name answers in another language.
bool SpeaksOther(std::string type) {
  for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* other :
       {"loki", "tempo", "influx", "elasticsearch", "graphite", "cloudwatch", "stackdriver", "sql",
        "postgres", "opentsdb", "azure", "datadog", "jaeger", "zipkin", "pyroscope", "__expr__"}) {
    if (type.find(other) != std::string::npos) return true;
  }
  return false;
}

/// A panel's or a dashboard's; Perses has it as `display: {name}`.
std::string NameOfPanel(const YAML::Node& node) {
  const YAML::Node display = node["display"];
  return IsMap(display) && display["name"] ? Text(display["name"]) : Text(node["title"]);
}

/// What is known of a node from those above it.
struct Around {
  std::string title;
  std::string datasource;
  int depth = 0;
};

class QueryReader {
 public:
  QueryReader(std::string dashboard, RuleFile* file)
      : dashboard_(std::move(dashboard)), file_(*file) {}

  void Read(const YAML::Node& node, Around around) {
    if (++around.depth > kDeepestPanels || !node) return;
    if (node.IsSequence()) {
      for (const YAML::Node& element : node) Read(element, around);
    }
    if (!node.IsMap()) return;
    if (const std::string title = NameOfPanel(node); !title.empty()) around.title = title;
    ReadDatasource(node, &around);
    ReadPersesQuery(node, around);
    if (IsList(node["targets"]) && node["targets"].size() > 1) {
      ReadTargets(node["targets"], around);
    }
    if (node["expr"] && node["expr"].IsScalar()) Add(node["expr"], around);
    for (const auto& member : node) {
      const std::string key = Text(member.first);
      if (key == "templating") {
        ReadVariables(member.second["list"], around);
      } else if (key == "annotations" && member.second.IsMap()) {
        ReadAnnotations(member.second["list"], around);
      } else if (!(key == "targets" && IsList(member.second) && member.second.size() > 1)) {
        Read(member.second, around);
      }
    }
  }

 private:
  /// Of Perses: `{kind: PrometheusTimeSeriesQuery, spec: {query}}`, and variables that take the
  /// labels of the series that `matchers` select.
  void ReadPersesQuery(const YAML::Node& node, const Around& around) {
    const YAML::Node spec = node["spec"];
    if (!Text(node["kind"]).starts_with("Prometheus") || !spec || !spec.IsMap()) return;
    if (spec["query"] && spec["query"].IsScalar()) Add(spec["query"], around);
    if (!IsList(spec["matchers"])) return;
    for (const YAML::Node& matcher : spec["matchers"]) {
      if (matcher.IsScalar()) Add(matcher, around);
    }
  }

  static void ReadDatasource(const YAML::Node& node, Around* around) {
    const YAML::Node datasource = node["datasource"];
    if (datasource && datasource.IsMap()) {
      const std::string type = Text(datasource["type"]);
      around->datasource = type.empty() ? Text(datasource["uid"]) : type;
    } else if (const std::string name = Text(datasource); !name.empty()) {
      around->datasource = name;
    }
    // Of the newest schema: `query: {kind: prometheus, spec: {expr}}`.
    const YAML::Node spec = node["spec"];
    if (spec && spec.IsMap() && spec["expr"]) {
      const std::string group = Text(node["group"]);
      around->datasource = group.empty() ? Text(node["kind"]) : group;
    }
  }

  void ReadTargets(const YAML::Node& targets, const Around& around) {
    for (const YAML::Node& target : targets) {
      Around one = around;
      const std::string letter = target.IsMap() ? Text(target["refId"]) : "";
      if (!letter.empty()) one.title += " " + letter;
      Read(target, one);
    }
  }

  void ReadAnnotations(const YAML::Node& list, Around around) {
    if (!IsList(list)) return;
    for (const YAML::Node& annotation : list) {
      if (annotation.IsMap()) around.title = Text(annotation["name"]);
      Read(annotation, around);
    }
  }

  /// `label_values(SELECTOR, LABEL)` and `query_result(EXPRESSION)`.
  void ReadVariables(const YAML::Node& list, Around around) {
    if (!IsList(list)) return;
    for (const YAML::Node& variable : list) {
      if (!variable.IsMap() || Text(variable["type"]) != "query") continue;
      ReadDatasource(variable, &around);
      around.title = "$" + Text(variable["name"]);
      const YAML::Node query = variable["query"];
      const YAML::Node text = query && query.IsMap() ? query["query"] : query;
      if (text && text.IsScalar()) AddFunction(text, around);
    }
  }

  void AddFunction(const YAML::Node& node, const Around& around) {
    const std::string& text = node.Scalar();
    for (const std::string_view function : {"label_values(", "query_result("}) {
      const std::size_t begin = text.find(function);
      const std::size_t end = text.rfind(function[0] == 'l' ? ',' : ')');
      if (begin == std::string::npos || end == std::string::npos) continue;
      const std::size_t first = begin + function.size();
      if (end <= first) continue;
      Add(node, around, text.substr(0, first), text.substr(end));
    }
  }

  void Add(const YAML::Node& node, const Around& around, const std::string& before = "",
           const std::string& after = "") {
    const std::string& text = node.Scalar();
    if (SpeaksOther(around.datasource)) return;
    FileRule rule;
    rule.group = dashboard_;
    rule.name = around.title;
    rule.panel = true;
    rule.before = before;
    rule.after = after;
    rule.expr = text.substr(before.size(), text.size() - before.size() - after.size());
    if (rule.expr.find_first_not_of(" \t\r\n") == std::string::npos) return;
    rule.line = LineOf(node);
    rule.begin = PlaceOf(node, file_.text);
    file_.rules.push_back(std::move(rule));
  }

  std::string dashboard_;
  RuleFile& file_;
};

/// The dashboard in what wraps it; the document itself where nothing does.
YAML::Node Unwrapped(const YAML::Node& document) {
  if (document["dashboard"] && document["dashboard"].IsMap()) return document["dashboard"];
  const YAML::Node spec = document["spec"];
  if (!spec || !spec.IsMap()) return document;
  if (spec["elements"] || IsMap(spec["panels"])) return spec;
  // An object of Perses' operator may have one more map around it.
  return IsMap(spec["config"]) && IsMap(spec["config"]["panels"]) ? spec["config"] : document;
}

}  // namespace

bool IsDashboard(const YAML::Node& document) {
  if (!document.IsMap()) return false;
  const YAML::Node inner = Unwrapped(document);
  return IsList(inner["panels"]) || IsList(inner["rows"]) ||
         (IsMap(inner["elements"]) && inner["layout"]) ||
         (IsMap(inner["panels"]) && IsList(inner["layouts"]));
}

void ReadDashboard(const YAML::Node& document, RuleFile* file) {
  const YAML::Node inner = Unwrapped(document);
  QueryReader(NameOfPanel(inner), file).Read(inner, {});
}

void ReadGrafanaRule(const YAML::Node& rule, const std::string& group, RuleFile* file) {
  QueryReader(group, file).Read(rule, {});
}

}  // namespace schedlens
