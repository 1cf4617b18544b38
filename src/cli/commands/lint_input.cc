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
  return path == "-" ? ReadStream(in, "standard input") : ReadBytes(path);
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

/// Keeps the first findings, and of the others how many there are and how bad the worst is.
void Bound(const RuleFile& file, LintReport* report) {
  const auto leave_out = [&](LintSeverity severity, std::size_t count) {
    report->left_out += count;
    report->worst_left_out = std::max(report->worst_left_out, std::optional(severity));
  };
  for (const auto& [id, count] : file.more_problems) leave_out(SeverityOf(id), count);
  std::vector<LintFinding>& findings = report->findings;
  for (std::size_t i = kMostProblems; i < findings.size(); ++i) leave_out(findings[i].severity, 1);
  if (findings.size() > kMostProblems) findings.resize(kMostProblems);
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

LintedFile LintRules(const RuleFile& file, LintOptions options) {
  LintedFile out;
  out.name = file.name;
  options.metricsql = file.text.find(kVictoriaObjects) != std::string::npos;
  for (const FileRule& rule : file.rules) out.rules.push_back(RuleOf(rule));
  out.report = Lint(out.rules, options);
  AddProblems(file, &out);
  Mend(file, &out);
  Bound(file, &out.report);
  return out;
}

void AddRecorded(const RuleFile& file, LintOptions* options) {
  for (const FileRule& rule : file.rules) {
    if (!rule.alerting && !rule.panel) options->recorded.insert(rule.name);
  }
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

}  // namespace

std::vector<LintedFile> LintInput(const std::vector<std::string>& paths,
                                  const std::vector<std::string>& expressions, LintOptions options,
                                  std::istream& in) {
  std::vector<RuleFile> files;
  for (const std::string& path : paths) {
    files.push_back(ParseRuleFile(ReadAll(path, in), path == "-" ? "standard input" : path));
    AddRecorded(files.back(), &options);
  }
  std::vector<LintedFile> linted;
  for (std::size_t i = 0; i < files.size(); ++i) {
    linted.push_back(LintRules(files[i], options));
    linted.back().diff = UnifiedDiff(paths[i], files[i].text, linted.back().mended_yaml);
  }
  for (const std::string& expression : expressions) {
    linted.push_back(LintExpression(expression, options));
  }
  return linted;
}

std::vector<LintedFile> LintServer(const SourceOptions& source, LintOptions options) {
  std::vector<RuleFile> files;
  for (const ServerRuleFile& rules : RuleFilesOfServer(FetchRules(source))) {
    files.push_back(ParseRuleFile(rules.text, rules.name.empty() ? "rules" : rules.name));
    AddRecorded(files.back(), &options);
  }
  std::vector<LintedFile> linted;
  for (const RuleFile& file : files) {
    LintedFile out = LintRules(file, options);
    out.diff = UnifiedDiff(file.name, file.text, out.mended_yaml);
    for (LintRule& rule : out.rules) rule.line = 0;
    for (LintFinding& finding : out.report.findings) {
      if (finding.place) finding.place->line = 0;
    }
    linted.push_back(std::move(out));
  }
  return linted;
}

}  // namespace schedlens
