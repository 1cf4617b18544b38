#ifndef SCHEDLENS_CLI_LINT_OUTPUT_H_
#define SCHEDLENS_CLI_LINT_OUTPUT_H_

// How `lint` prints what it found.

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/lint/lint.h"

namespace schedlens {

/// The rules of one file (or of --expr, then `name` is that), and what was found in them.
/// Which cluster the rules were judged for.
struct LintedFor {
  std::string release;  ///< empty when it is not known
  std::int64_t scrape_ms = 0;
};

struct LintedFile {
  std::string name;
  std::vector<LintRule> rules;
  LintReport report;
  std::string mended_yaml;  ///< a rule file
};

std::string LintText(const std::vector<LintedFile>& files, const LintedFor& linted_for);
/// Schema schedlens.lint/1.
std::string LintJson(const std::vector<LintedFile>& files, const LintedFor& linted_for);
/// SARIF 2.1.0.
std::string LintSarif(const std::vector<LintedFile>& files);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_LINT_OUTPUT_H_
