#include "lint/lint.h"

#include <istream>

#include "base/file.h"
#include "cli/options/output.h"
#include "cli/options/source.h"
#include "cli/safe_stream.h"
#include "diagnose/explain/glossary.h"
#include "kube/metrics.h"
#include "report/commands.h"
#include "source/http/prometheus_source.h"
#include "source/rule_file.h"

namespace schedlens {
namespace {

constexpr int kFound = 3;

struct LintCommandOptions {
  SourceOptions source;
  std::vector<std::string> files, expressions;
  std::optional<int> release;
  std::optional<std::int64_t> scrape_ms;
  std::string at;
  std::string output = "text", lang = "en";
  std::string fixed_file;
  bool in_place = false, diff = false;
  bool move_thresholds = false;
  std::string fail_on = "error";
};

LintSeverity SeverityOf(const std::string& id) {
  const auto check = std::ranges::find(LintChecks(), id, &LintCheck::id);
  return check == LintChecks().end() ? LintSeverity::kError : check->severity;
}

void AddProblems(const RuleFile& file, LintedFile* out) {
  for (const FileProblem& problem : file.problems) {
    LintFinding finding{problem.id, SeverityOf(problem.id), 0, problem.message, problem.fix, {}};
    finding.place = LintRule{problem.group, problem.name, true, "", problem.line};
    out->report.findings.push_back(std::move(finding));
  }
  // By their lines, as far as there are some.
  std::ranges::stable_sort(out->report.findings, {}, [&](const LintFinding& finding) {
    return PlaceOf(finding, out->rules).line;
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

/// The file with what is fixed; where it cannot be changed byte for byte, as it was, and says so.
void Fix(const RuleFile& file, LintedFile* out) {
  out->fixed_yaml = file.text;
  try {
    out->fixed_yaml = WithExpressions(file, out->report.fixed);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;
    LintFinding finding{
        "not-mended", SeverityOf("not-mended"), 0, Message("lint.file.not_mended"), {}, LintRule{}};
    out->report.findings.push_back(std::move(finding));
  }
  out->fixed = out->fixed_yaml != file.text;
}

LintedFile LintRules(const RuleFile& file, LintOptions options) {
  LintedFile out;
  out.name = file.name;
  options.metricsql = file.text.find(kVictoriaObjects) != std::string::npos;
  for (const FileRule& rule : file.rules) {
    out.rules.push_back({rule.group, rule.name, rule.alerting, rule.expr, rule.line, rule.for_ms,
                         rule.interval_ms, rule.panel});
  }
  out.report = Lint(out.rules, options);
  AddProblems(file, &out);
  Fix(file, &out);
  Bound(file, &out.report);
  return out;
}

LintedFile LintExpression(const std::string& expression, const LintOptions& options) {
  LintedFile out;
  out.name = "--expr";
  out.rules.push_back({"", "", true, expression, 0});
  out.report = Lint(out.rules, options);
  out.fixed_yaml = RuleFileFor(out.report.fixed[0]);
  out.fixed = out.report.Fixed(out.rules, 0);
  return out;
}

bool NothingGiven(const LintCommandOptions& options) {
  return options.files.empty() && options.expressions.empty();
}

/// Rule files and dashboards (`-` for `in`), then expressions; where nothing is given the rules
/// that the server evaluates, by the files it names: there are no lines in them that anybody could
/// look up. What a rule of one of the files records is known to all. Throws what reading, asking
/// and parsing them throws.
/// Of several files one that is no such file is told on `err` and stops none of the others: then
/// `refused` is what it came to.
std::vector<LintedFile> Linted(const LintCommandOptions& options, LintOptions lint,
                               const Context& context, std::optional<ErrorKind>* refused) {
  const bool of_server = NothingGiven(options);
  std::vector<RuleFile> files;
  std::vector<std::string> names;
  if (of_server) {
    for (const ServerRuleFile& rules : RuleFilesOfServer(FetchRules(options.source))) {
      names.push_back(rules.name.empty() ? "rules" : rules.name);
      files.push_back(ParseRuleFile(rules.text, names.back()));
    }
  }
  for (const std::string& path : options.files) {
    try {
      files.push_back(
          path == "-" ? ParseRuleFile(ReadStream(context.in, "standard input"), "standard input")
                      : ParseRuleFile(ReadBytes(path), path));
      names.push_back(path);
    } catch (const Error& error) {
      const bool of_file = error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kFailed;
      if (options.files.size() + options.expressions.size() == 1 || !of_file) throw;
      context.err << "schedlens: " << OneLine(error.what()) << '\n';
      *refused = refused->value_or(error.kind());
    }
  }
  for (const RuleFile& file : files) {
    for (const FileRule& rule : file.rules) {
      if (!rule.alerting && !rule.panel) lint.recorded.insert(rule.name);
    }
  }
  std::vector<LintedFile> linted;
  for (std::size_t i = 0; i < files.size(); ++i) {
    LintedFile& out = linted.emplace_back(LintRules(files[i], lint));
    out.diff = UnifiedDiff(names[i], files[i].text, out.fixed_yaml);
    if (!of_server) continue;
    for (LintRule& rule : out.rules) rule.line = 0;
    for (LintFinding& finding : out.report.findings) {
      if (finding.place) finding.place->line = 0;
    }
  }
  for (const std::string& expression : options.expressions) {
    linted.push_back(LintExpression(expression, lint));
  }
  return linted;
}

bool Fails(const std::vector<LintedFile>& files, const std::string& fail_on) {
  if (fail_on == "never") return false;
  const LintSeverity least = fail_on == "note"      ? LintSeverity::kNote
                             : fail_on == "warning" ? LintSeverity::kWarning
                                                    : LintSeverity::kError;
  return std::ranges::any_of(files, [&](const LintedFile& file) {
    const auto fails = [&](const LintFinding& finding) { return finding.severity >= least; };
    return file.report.worst_left_out >= least || std::ranges::any_of(file.report.findings, fails);
  });
}

void CheckResults(const LintCommandOptions& options) {
  if (options.fixed_file == "-") {
    Raise(ErrorKind::kUsage, "--mended -: it writes a file; standard output has the findings");
  }
  const auto fail = [](const char* why) { throw Error(ErrorKind::kUsage, why); };
  if (NothingGiven(options) && options.source.prometheus.empty()) {
    fail(HasSource(options.source)
             ? "nothing to lint: a recording has no rules of its own; give rule files, dashboards "
               "or an expression"
             : "nothing to lint: give rule files, dashboards, --expr EXPRESSION, or --prometheus "
               "URL for the rules of the server itself");
  }
  if (!options.at.empty() && !HasSource(options.source)) {
    fail("--at says when to look at a source: give --prometheus or --capture");
  }
  if (!options.fixed_file.empty() && options.files.size() + options.expressions.size() != 1) {
    fail("--mended FILE takes the one file or expression that is linted; --in-place mends several");
  }
  const bool from_files = !options.files.empty() && options.expressions.empty() &&
                          std::ranges::find(options.files, "-") == options.files.end();
  if (options.in_place && !from_files) {
    fail(
        "--in-place writes files: it takes neither standard input nor --expr, and not the rules of "
        "a server");
  }
  if (options.diff && options.output != "text") {
    fail("--diff is text: leave out -o json or -o sarif (-o json holds the diff as well)");
  }
  if (options.diff && !options.expressions.empty()) fail("--diff compares files: leave out --expr");
}

std::string Printed(const LintCommandOptions& options, const std::vector<LintedFile>& files,
                    const LintedFor& linted_for) {
  if (options.output == "json") return LintJson(files, linted_for);
  if (options.output == "sarif") return LintSarif(files, LintChecks(), Version());
  if (!options.diff) return LintText(Messages(options.lang), files, linted_for);
  std::string diffs;
  for (const LintedFile& file : files) diffs += file.diff;
  return diffs;
}

/// What the source shows of its schedulers. A server that scrapes none, as beside a managed control
/// plane, still has rules to judge, and --release says what else is asked: that is told on `err`.
ClusterSeen Look(const LintCommandOptions& options, std::ostream& err) {
  const auto source = OpenAnySource(options.source);
  const auto extent = source->Describe().extent;
  const TimeMs now = extent ? extent->end : Now();
  const auto at = options.at.empty() ? std::nullopt : TimeAsTyped(options.at, now);
  try {
    return LookAtCluster(*source, QuerySet::Embedded(), options.source.selector, at, now);
  } catch (const Error& error) {
    const bool needed = !options.release && (at || !NothingGiven(options));
    if (error.kind() != ErrorKind::kInsufficientData || needed) throw;
    err << "warning: " << error.what() << '\n';
    return {};
  }
}

/// The options take precedence over what the source shows.
LintOptions Judgement(const LintCommandOptions& options, std::ostream& err, LintedFor* linted_for) {
  LintOptions lint;
  if (HasSource(options.source)) {
    const ClusterSeen seen = Look(options, err);
    lint.release = seen.release;
    lint.scrape_ms = seen.scrape_ms.value_or(lint.scrape_ms);
    lint.exposed = seen.exposed;
    lint.native = seen.native;
    lint.native_only = seen.native_only;
    lint.several_clusters = seen.several_clusters;
    linted_for->release = seen.release_text;
  }
  if (options.release) {
    lint.release = options.release;
    lint.exposed.clear();
    linted_for->release = fmt::format("1.{}", *options.release);
  }
  lint.scrape_ms = options.scrape_ms.value_or(lint.scrape_ms);
  lint.move_thresholds = options.move_thresholds;
  linted_for->scrape_ms = lint.scrape_ms;
  return lint;
}

int RunLint(const LintCommandOptions& options, const Context& context) {
  CheckResults(options);
  LintedFor linted_for;
  const LintOptions lint = Judgement(options, context.err, &linted_for);
  std::optional<ErrorKind> refused;
  const std::vector<LintedFile> files = Linted(options, lint, context, &refused);
  if (!options.fixed_file.empty()) {
    WriteFileAtomically(options.fixed_file, files.front().fixed_yaml);
  }
  for (const LintedFile& file : files) {
    if (options.in_place && file.fixed && !refused) WriteFileAtomically(file.name, file.fixed_yaml);
  }
  context.out << Printed(options, files, linted_for);
  if (refused && options.in_place) context.err << "schedlens: --in-place: nothing is written\n";
  if (refused) return static_cast<int>(*refused);
  return Fails(files, options.fail_on) ? kFound : 0;
}

Options RuleOptions(LintCommandOptions* o) {
  return {
      {"files", &o->files},
      {"--expr", &o->expressions},
      {"lint:--release",
       [o](const std::string& text) {
         o->release = kube::ParseRelease(text);
         if (o->release) return;
         Raise(ErrorKind::kUsage, "--release {}: expected a Kubernetes release such as 1.24", text);
       }},
      {"lint:--at",
       [o](const std::string& text) {
         o->at = text;
         if (TimeAsTyped(text, Now())) return;
         Raise(ErrorKind::kUsage, "--at {}: expected a time such as 2026-11-21T10:00:00Z or now-1h",
               text);
       }},
      {"--scrape-interval",
       [o](const std::string& text) {
         o->scrape_ms = ReadDuration("--scrape-interval", text, "15s");
       }},
  };
}

Options ResultOptions(LintCommandOptions* o) {
  return {
      {"--mended", &o->fixed_file},
      {"--in-place", &o->in_place},
      {"--diff", &o->diff},
      {"--move-thresholds", &o->move_thresholds},
      Option("lint:--fail-on", &o->fail_on,
             {.show_default = true, .choices = {"error", "warning", "note", "never"}}),
      Option("lint:-o,--output", &o->output,
             {.show_default = true, .choices = {"text", "json", "sarif"}}),
      LanguageOption(&o->lang),
  };
}

}  // namespace

Declared DeclareLint() {
  return DeclareWith<LintCommandOptions>(RunLint, [](LintCommandOptions* o) {
    return Together({RuleOptions(o), SourceOptionTable(&o->source), ResultOptions(o)});
  });
}

}  // namespace schedlens
