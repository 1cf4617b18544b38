// Any text as a rule file, and every expression in it judged and mended: read, or refused with an
// Error.

#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/lint/lint.h"
#include "schedlens/error.h"
#include "source/rule_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const schedlens::RuleFile file = schedlens::ParseRuleFile(text, "fuzz.yml");
    std::vector<schedlens::LintRule> rules;
    for (const auto& rule : file.rules) {
      rules.push_back({rule.group, rule.name, rule.alerting, rule.expr, rule.line, rule.for_ms,
                       rule.interval_ms, rule.panel});
    }
    schedlens::WithExpressions(file, schedlens::Lint(rules, {}).mended);
  } catch (const schedlens::Error&) {
  }
  return 0;
}
