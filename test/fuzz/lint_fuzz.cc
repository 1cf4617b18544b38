// Any text as a rule file, judged and fixed: read, or refused with an Error. What is fixed reads
// back with as many rules (line breaks within one may differ), and fixing it again changes
// nothing.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "lint/lint.h"
#include "schedlens/error.h"
#include "source/rule_file.h"

namespace {

std::vector<std::string> Fixed(const schedlens::RuleFile& file) {
  std::vector<schedlens::LintRule> rules;
  for (const auto& rule : file.rules) {
    rules.push_back({rule.group, rule.name, rule.alerting, rule.expr, rule.line, rule.for_ms,
                     rule.interval_ms, rule.panel});
  }
  return schedlens::Lint(rules, {}).fixed;
}

/// The file as it is fixed; as it was where it cannot be changed byte for byte.
std::string FixedFile(const schedlens::RuleFile& file, const std::vector<std::string>& fixed) {
  try {
    return schedlens::WithExpressions(file, fixed);
  } catch (const schedlens::Error&) {
    return file.text;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > (std::size_t{64} << 10)) return 0;  // judged within milliseconds
  const std::string text(reinterpret_cast<const char*>(data), size);
  schedlens::RuleFile file;
  try {
    file = schedlens::ParseRuleFile(text, "fuzz.yml");
  } catch (const schedlens::Error&) {
    return 0;
  }
  const std::vector<std::string> fixed = Fixed(file);
  const std::string once = FixedFile(file, fixed);
  if (once == text) return 0;
  const schedlens::RuleFile again = schedlens::ParseRuleFile(once, "mended.yml");
  if (again.rules.size() != fixed.size()) std::abort();
  if (FixedFile(again, Fixed(again)) != once) std::abort();
  return 0;
}
