#ifndef SCHEDLENS_ANALYSIS_LINT_LINT_H_
#define SCHEDLENS_ANALYSIS_LINT_LINT_H_

// Judges alert and recording rules over latency histograms, and mends them.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace schedlens {

struct LintRule {
  std::string group;
  std::string name;  ///< of the alert or the record
  bool alerting = true;
  std::string expr;
  int line = 0;  ///< of the expression in its file, from 1; 0 when there is none
};

enum class LintSeverity { kNote, kWarning, kError };

/// One remark. `id` is one of LintChecks().
struct LintFinding {
  std::string id;
  LintSeverity severity = LintSeverity::kWarning;
  std::size_t rule = 0;  ///< index of the rule it is about
  std::string message;   ///< one sentence, with the number that matters
  std::string fix;       ///< what to write instead; empty when that is not known
};

struct LintOptions {
  /// Kubernetes minor release (24 for 1.24). Without it only what holds in every release is an
  /// error; a metric that some release hides or lacks is a warning.
  std::optional<int> release;
  std::int64_t scrape_ms = 15000;  ///< scrape interval, for windows that are too short
  /// Families of MetricHistories that the cluster is seen to expose: not judged by the release.
  std::set<std::string> exposed;
};

struct LintReport {
  std::vector<LintFinding> findings;  ///< in the order of the rules
  std::vector<std::string> mended;    ///< one expression a rule; as given where nothing was mended
  bool Mended(const std::vector<LintRule>& rules, std::size_t i) const {
    return mended[i] != rules[i].expr;
  }
};

/// A check: its id and what it means.
struct LintCheck {
  std::string id;
  LintSeverity severity = LintSeverity::kWarning;
  std::string summary;
};
const std::vector<LintCheck>& LintChecks();

/// An expression that does not parse is the finding "syntax", never an exception: the other rules
/// still count. A mended expression parses, and mending it again changes nothing.
LintReport Lint(const std::vector<LintRule>& rules, const LintOptions& options);

std::string ToString(LintSeverity severity);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_LINT_H_
