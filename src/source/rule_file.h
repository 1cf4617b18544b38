#pragma once

#include <map>

#include "base/message.h"
#include "source/yaml_tree.h"

namespace schedlens {

// Files with PromQL in them. Rule files, `groups: [{name, rules: [{alert|record, expr, ...}]}]`, by
// themselves, in the `spec` of a PrometheusRule, among several documents, in a list of objects or
// deep in the values of a chart; Grafana's dashboards as JSON; and both as the text of a key in a
// ConfigMap.

struct FileRule {
  std::string group;      ///< of a panel: the dashboard's title
  std::string name;       ///< of a panel: its title, with the query's letter where it has several
  bool alerting = false;  ///< else recording
  std::string expr;
  int line = 0;                             ///< of the expression in the file, from 1
  std::size_t begin = 0;                    ///< the scalar's first byte in its text
  std::int64_t for_ms = 0;                  ///< 0 without one, and for one that is malformed
  std::optional<std::int64_t> interval_ms;  ///< the group's
  bool panel = false;                       ///< a query of a dashboard
  /// The text it stands in: an index of `insides`, or nothing for the file itself.
  std::optional<std::size_t> inside;
  /// What the scalar holds around the expression: `label_values(` and `, job)`.
  std::string before, after;
};

/// The API group of VMRule objects, whose expressions are in MetricsQL.
inline constexpr char kVictoriaObjects[] = "operator.victoriametrics.com/";

/// What Prometheus would refuse the file for, besides expressions that do not parse.
struct FileProblem {
  std::string id;  ///< one of LintChecks()
  std::string group, name;
  int line = 0;
  Message message;
  Message fix;
};

/// Of one file as many are told; of the others how many there are.
inline constexpr std::size_t kMostProblems = 200;

/// The text of a key in a ConfigMap that is a rule file or a dashboard itself.
struct TextInside {
  std::size_t begin = 0;  ///< the scalar's first byte in the file
  std::string text;
};

struct RuleFile {
  std::string name;  ///< as the messages call it
  std::string text;
  std::vector<FileRule> rules;        ///< those with an expression, in the order of the file
  std::vector<FileProblem> problems;  ///< the first kMostProblems
  std::map<std::string, std::size_t> more_problems;  ///< by id, how many there are besides
  std::vector<TextInside> insides;

  void Add(FileProblem problem) {
    if (problems.size() < kMostProblems) {
      problems.push_back(std::move(problem));
    } else {
      ++more_problems[problem.id];
    }
  }
};

/// Throws Error(kUsage) with name and line for what is no YAML or JSON (a chart's template says so)
/// or has neither a list of groups nor a dashboard. Objects of other kinds beside one that has are
/// left out.
RuleFile ParseRuleFile(std::string text, const std::string& name);

/// The file with these expressions, one a rule in the order of `rules`: only the bytes that differ
/// change, in the style of their scalar; comments, order and line breaks stay. The expressions mean
/// in the result what they mean here; throws Error(kFailed) where that cannot be had (an encoding
/// other than UTF-8).
std::string WithExpressions(const RuleFile& file, const std::vector<std::string>& expressions);

/// A rule file with one alert, for an expression that has none.
std::string RuleFileFor(const std::string& expression);

// A server's own rules as the rule files they came from.

struct ServerRuleFile {
  std::string name;  ///< the file (of Mimir: the namespace) as the server names it; may be empty
  std::string text;  ///< a rule file; comments and the style of the expressions are the server's
};

/// What `/api/v1/rules` answers, a file for each that the server names, in its order. Interval,
/// for, keep_firing_for, labels and annotations are kept. Throws Error(kFailed) when it is no list
/// of rules; rules of a kind that is not known are left out.
std::vector<ServerRuleFile> RuleFilesOfServer(std::string_view json);

// The groups of a rule file, read as `promtool check rules` reads them.

/// Adds the rules of a map with a list `groups`, which is the `whole` of its text or a part of it,
/// and what is wrong with them to the file. Lines and
/// places are those of the text that the node was read from. Throws Error(kUsage) naming the file
/// where what should be a list or a map is none.
void ReadGroups(YamlNode holder, bool whole, RuleFile* file);

/// The scalar's first byte in its text.
std::size_t PlaceOf(YamlNode node, const std::string& text);

/// Throws Error(kUsage): "NAME:LINE: what".
[[noreturn]] void FailAt(const std::string& name, int line, const std::string& what);

// The queries of a dashboard. Grafana's: of its panels, rows and library elements, of its variables
// (`label_values(x, job)`) and annotations; old and new schemas alike have them as `expr` somewhere
// below a `title`. Perses': of its panels and variables.

/// Whether a document is a dashboard, or what Grafana's API or an operator's object wraps around
/// one.
bool IsDashboard(YamlNode document);

/// Adds its queries to the file, those of data sources that do not speak PromQL left out.
void ReadDashboard(YamlNode document, RuleFile* file);

}  // namespace schedlens
