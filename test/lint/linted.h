#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "lint/lint.h"
#include "messages/written.h"

namespace schedlens::test {

struct LintCase {
  const char* expr;
  std::vector<std::string> ids;
  const char* fixed;  ///< null: as it was
  std::optional<int> release = 30;
};

inline std::vector<std::string> IdsOf(const LintReport& report) {
  std::vector<std::string> ids;
  for (const LintFinding& finding : report.findings) {
    ids.push_back(finding.id);
    ExpectWrittenInEveryLanguage({finding.message, finding.fix});
  }
  return ids;
}

/// Each case is found and fixed as it says, and needs no fixing then.
inline void ExpectLinted(const std::vector<LintCase>& cases, bool panel = false) {
  for (const LintCase& c : cases) {
    SCOPED_TRACE(c.expr);
    LintRule rule{"g", "r", true, c.expr, 1};
    rule.alerting = !panel;
    rule.panel = panel;
    const LintOptions options{c.release, 15000, {}, true};
    const LintReport report = Lint({rule}, options);
    EXPECT_EQ(IdsOf(report), c.ids);
    EXPECT_EQ(report.fixed[0], c.fixed == nullptr ? c.expr : c.fixed);
    rule.expr = report.fixed[0];
    EXPECT_EQ(Lint({rule}, options).fixed[0], rule.expr);
  }
}

}  // namespace schedlens::test
