#ifndef SCHEDLENS_SOURCE_RULE_FILE_H_
#define SCHEDLENS_SOURCE_RULE_FILE_H_

// Prometheus rule files: `groups: [{name, rules: [{alert|record, expr, ...}]}]`, also inside the
// `spec` of a PrometheusRule object, of several documents or of a list of objects.

#include <cstddef>
#include <string>
#include <vector>

namespace schedlens {

struct FileRule {
  std::string group;
  std::string name;
  bool alerting = false;  ///< else recording
  std::string expr;
  int line = 0;           ///< of the expression, from 1
  std::size_t begin = 0;  ///< the expression's first byte in the text
};

struct RuleFile {
  std::string name;  ///< as the messages call it
  std::string text;
  std::vector<FileRule> rules;  ///< those with an expression, in the order of the file
};

/// Throws Error(kUsage) with name and line for what is no YAML or has no list of groups. Objects of
/// other kinds beside one that has are left out.
RuleFile ParseRuleFile(const std::string& text, const std::string& name);

/// The file with these expressions, one a rule in the order of `rules`: only the bytes that differ
/// change, in the style of their scalar; comments, order and line breaks stay. The expressions mean
/// in the result what they mean here; throws Error(kFailed) where that cannot be had (an encoding
/// other than UTF-8).
std::string WithExpressions(const RuleFile& file, const std::vector<std::string>& expressions);

/// A rule file with one alert, for an expression that has none.
std::string RuleFileFor(const std::string& expression);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_FILE_H_
