#include "cli/commands/lint_input.h"

#include <algorithm>
#include <istream>
#include <utility>

#include "analysis/glossary/glossary.h"
#include "model/diff.h"
#include "model/file.h"
#include "schedlens/error.h"
#include "source/http/prometheus_source.h"
#include "source/rule_file.h"
#include "source/server_rules.h"

namespace schedlens {
namespace {

std::string ReadAll(const std::string& path, std::istream& in) {
  return path == "-" ? ReadStream(in, "standard input") : ReadFile(path);
}

LintRule RuleOf(const FileRule& rule) {
  return {rule.group, rule.name,   rule.alerting,    rule.expr,
          rule.line,  rule.for_ms, rule.interval_ms, rule.panel};
}

LintSeverity SeverityOf(const std::string& id) {
  for (const LintCheck& check : LintChecks()) {
    if (check.id == id) return check.severity;
  }
  return LintSeverity::kError;
}

void AddProblems(const RuleFile& file, LintedFile* out) {
  for (const FileProblem& problem : file.problems) {
    LintFinding finding{problem.id, SeverityOf(problem.id), 0, problem.message, problem.fix, {}};
    finding.place = LintRule{problem.group, problem.name, true, "", problem.line};
    out->report.findings.push_back(std::move(finding));
  }
  // By their lines, as far as there are some.
  std::stable_sort(out->report.findings.begin(), out->report.findings.end(),
                   [&](const LintFinding& a, const LintFinding& b) {
                     return PlaceOf(a, out->rules).line < PlaceOf(b, out->rules).line;
                   });
}

/// The file with what is mended; where it cannot be changed byte for byte, as it was, and says so.
void Mend(const RuleFile& file, LintedFile* out) {
  out->mended_yaml = file.text;
  try {
    out->mended_yaml = WithExpressions(file, out->report.mended);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;
    LintFinding finding{
        "not-mended", SeverityOf("not-mended"), 0, Message("lint.file.not_mended"), {}, LintRule{}};
    out->report.findings.push_back(std::move(finding));
  }
  out->mended = out->mended_yaml != file.text;
}

LintedFile LintRules(const std::string& text, const std::string& name, const LintOptions& options) {
  LintedFile out;
  out.name = name;
  const RuleFile file = ParseRuleFile(text, name);
  for (const FileRule& rule : file.rules) out.rules.push_back(RuleOf(rule));
  out.report = Lint(out.rules, options);
  AddProblems(file, &out);
  Mend(file, &out);
  return out;
}

}  // namespace

LintedFile LintOneFile(const std::string& path, const LintOptions& options, std::istream& in) {
  const std::string text = ReadAll(path, in);
  LintedFile out = LintRules(text, path == "-" ? "standard input" : path, options);
  out.diff = UnifiedDiff(path, text, out.mended_yaml);
  return out;
}

LintedFile LintExpression(const std::string& expression, const LintOptions& options) {
  LintedFile out;
  out.name = "--expr";
  out.rules.push_back({"", "", true, expression, 0});
  out.report = Lint(out.rules, options);
  out.mended_yaml = RuleFileFor(out.report.mended[0]);
  out.mended = out.report.Mended(out.rules, 0);
  return out;
}

std::vector<LintedFile> LintServer(const SourceOptions& source, const LintOptions& options) {
  std::vector<LintedFile> files;
  for (const ServerRuleFile& rules : RuleFilesOfServer(FetchRules(source))) {
    const std::string name = rules.name.empty() ? "rules" : rules.name;
    LintedFile out = LintRules(rules.text, name, options);
    out.diff = UnifiedDiff(name, rules.text, out.mended_yaml);
    for (LintRule& rule : out.rules) rule.line = 0;
    for (LintFinding& finding : out.report.findings) {
      if (finding.place) finding.place->line = 0;
    }
    files.push_back(std::move(out));
  }
  return files;
}

}  // namespace schedlens
