#ifndef SCHEDLENS_SOURCE_RULE_FILE_H_
#define SCHEDLENS_SOURCE_RULE_FILE_H_

// Prometheus rule files: `groups: [{name, rules: [{alert|record, expr, ...}]}]`, also inside the
// `spec` of a PrometheusRule object.

#include <string>
#include <vector>

namespace schedlens {

struct FileRule {
  std::string group;
  std::string name;
  bool alerting = false;  ///< else recording
  std::string expr;
  int line = 0;  ///< of the expression, from 1
};

struct RuleFile {
  std::string name;  ///< as the messages call it
  std::string text;
  std::vector<FileRule> rules;  ///< those with an expression, in the order of the file
};

/// Throws Error(kUsage) with name and line for what is no YAML or no list of groups.
RuleFile ParseRuleFile(const std::string& text, const std::string& name);

/// The file with these expressions, one a rule in the order of `rules`; everything else stays
/// (comments do not). A PrometheusRule comes back as a plain rule file, which promtool reads.
std::string WithExpressions(const RuleFile& file, const std::vector<std::string>& expressions);

/// A rule file with one alert, for an expression that has none.
std::string RuleFileFor(const std::string& expression);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_FILE_H_
