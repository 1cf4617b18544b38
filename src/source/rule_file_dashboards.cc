#include "source/rule_file_dashboards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "source/rule_file_groups.h"

namespace schedlens {
namespace {

constexpr int kDeepestPanels = 60;

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
std::string NameOfPanel(YamlNode node) {
  const YamlNode name = node["display"]["name"];
  return (name ? name : node["title"]).Scalar();
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

  void Read(YamlNode node, Around around) {
    if (++around.depth > kDeepestPanels || !node) return;
    if (node.IsSequence()) {
      for (const auto& [none, element] : node) Read(element, around);
    }
    if (!node.IsMap()) return;
    if (const std::string title = NameOfPanel(node); !title.empty()) around.title = title;
    ReadDatasource(node, &around);
    ReadPersesQuery(node, around);
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
    if (rule.expr.find_first_not_of(" \t\r\n") == std::string::npos) return;
    rule.line = node.line();
    rule.begin = PlaceOf(node, file_.text);
    file_.rules.push_back(std::move(rule));
  }

  std::string dashboard_;
  RuleFile& file_;
};

/// The dashboard in what wraps it; the document itself where nothing does.
YamlNode Unwrapped(YamlNode document) {
  if (document["dashboard"].IsMap()) return document["dashboard"];
  const YamlNode spec = document["spec"];
  if (spec["elements"] || spec["panels"].IsMap()) return spec;
  // An object of Perses' operator may have one more map around it.
  return spec["config"]["panels"].IsMap() ? spec["config"] : document;
}

}  // namespace

bool IsDashboard(YamlNode document) {
  if (!document.IsMap()) return false;
  const YamlNode inner = Unwrapped(document);
  return inner["panels"].IsSequence() || inner["rows"].IsSequence() ||
         (inner["elements"].IsMap() && inner["layout"]) ||
         (inner["panels"].IsMap() && inner["layouts"].IsSequence());
}

void ReadDashboard(YamlNode document, RuleFile* file) {
  const YamlNode inner = Unwrapped(document);
  QueryReader(NameOfPanel(inner), file).Read(inner, {});
}

void ReadGrafanaRule(YamlNode rule, const std::string& group, RuleFile* file) {
  QueryReader(group, file).Read(rule, {});
}

}  // namespace schedlens
