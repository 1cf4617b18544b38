#include "cli/lint_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>

#include "analysis/collect/metric_history.h"
#include "analysis/lint/cluster.h"
#include "analysis/lint/lint.h"
#include "cli/any_source.h"
#include "cli/source_options.h"
#include "cli/time_options.h"
#include "cli/version.h"
#include "model/file.h"
#include "model/text.h"
#include "report/lint.h"
#include "schedlens/error.h"
#include "source/rule_file.h"

namespace schedlens {
namespace {

constexpr int kFound = 3;

struct LintCommandOptions {
  SourceOptions source;
  std::vector<std::string> files;
  std::vector<std::string> expressions;
  std::optional<int> release;
  std::optional<std::int64_t> scrape_ms;
  std::string output = "text";
  std::string mended_file;
  std::string fail_on = "error";
};

std::string ReadAll(const std::string& path, std::istream& in) {
  if (path == "-") return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return ReadFile(path);
}

LintedFile LintOneFile(const std::string& path, const LintOptions& options, std::istream& in) {
  LintedFile out;
  out.name = path == "-" ? "standard input" : path;
  const RuleFile file = ParseRuleFile(ReadAll(path, in), out.name);
  for (const FileRule& rule : file.rules) {
    out.rules.push_back({rule.group, rule.name, rule.alerting, rule.expr, rule.line});
  }
  out.report = Lint(out.rules, options);
  for (std::size_t i = 0; i < out.rules.size(); ++i) {
    if (out.report.Mended(out.rules, i)) {
      out.mended_yaml = WithExpressions(file, out.report.mended);
      break;
    }
  }
  return out;
}

LintedFile LintExpression(const std::string& expression, const LintOptions& options) {
  LintedFile out;
  out.name = "--expr";
  out.rules.push_back({"", "", true, expression, 0});
  out.report = Lint(out.rules, options);
  if (out.report.Mended(out.rules, 0)) out.mended_yaml = RuleFileFor(out.report.mended[0]);
  return out;
}

bool Fails(const std::vector<LintedFile>& files, const std::string& fail_on) {
  if (fail_on == "never") return false;
  const LintSeverity least = fail_on == "note"      ? LintSeverity::kNote
                             : fail_on == "warning" ? LintSeverity::kWarning
                                                    : LintSeverity::kError;
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      if (finding.severity >= least) return true;
    }
  }
  return false;
}

void WriteMended(const std::string& path, const std::vector<LintedFile>& files) {
  std::string text;
  for (const LintedFile& file : files) {
    if (!text.empty() && !file.mended_yaml.empty()) text += "---\n";
    text += file.mended_yaml;
  }
  WriteFileAtomically(path, text);
}

bool SourceGiven(const SourceOptions& source) {
  return !source.prometheus.empty() || !source.capture.empty() || !source.scrape_before.empty() ||
         !source.scenario.empty();
}

/// What is said counts, then what the source shows.
LintOptions Judgement(const LintCommandOptions& options, LintedFor* linted_for) {
  LintOptions lint;
  if (SourceGiven(options.source)) {
    const auto source = OpenAnySource(options.source);
    const ClusterSeen seen =
        LookAtCluster(*source, QuerySet::Embedded(), options.source.selector, Now());
    lint.release = seen.release;
    lint.scrape_ms = seen.scrape_ms.value_or(lint.scrape_ms);
    lint.exposed = seen.exposed;
    linted_for->release = seen.release_text;
  }
  if (options.release) {
    lint.release = options.release;
    lint.exposed.clear();
    linted_for->release = fmt::format("1.{}", *options.release);
  }
  lint.scrape_ms = options.scrape_ms.value_or(lint.scrape_ms);
  linted_for->scrape_ms = lint.scrape_ms;
  return lint;
}

int RunLint(const LintCommandOptions& options, const Context& context) {
  if (options.files.empty() && options.expressions.empty()) {
    throw Error(ErrorKind::kUsage, "nothing to judge: give rule files, or --expr EXPRESSION");
  }
  LintedFor linted_for;
  const LintOptions lint = Judgement(options, &linted_for);
  std::vector<LintedFile> files;
  for (const std::string& path : options.files) {
    files.push_back(LintOneFile(path, lint, context.in));
  }
  for (const std::string& expression : options.expressions) {
    files.push_back(LintExpression(expression, lint));
  }
  if (!options.mended_file.empty()) WriteMended(options.mended_file, files);
  context.out << (options.output == "json"    ? LintJson(files, linted_for)
                  : options.output == "sarif" ? LintSarif(files, LintChecks(), Version())
                                              : LintText(files, linted_for));
  return Fails(files, options.fail_on) ? kFound : 0;
}

void AddRelease(CLI::App& app, LintCommandOptions* options) {
  app.add_option_function<std::string>(
         "--release",
         [options](const std::string& text) {
           options->release = ParseRelease(text);
           if (!options->release) {
             throw Error(
                 ErrorKind::kUsage,
                 fmt::format("--release {}: expected a Kubernetes release such as 1.24", text));
           }
         },
         "the cluster's Kubernetes release, to judge which metrics it has (default: the "
         "source's)")
      ->type_name("1.N");
  app.add_option_function<std::string>(
         "--scrape-interval",
         [options](const std::string& text) {
           const auto ms = ParseDuration(text);
           if (!ms || *ms <= 0) {
             throw Error(
                 ErrorKind::kUsage,
                 fmt::format("--scrape-interval {}: expected a duration such as 15s", text));
           }
           options->scrape_ms = *ms;
         },
         "how often the scheduler is scraped (default: as the source shows, else 15s)")
      ->type_name("DURATION");
}

}  // namespace

Run SetUpLint(CLI::App& app) {
  const auto options = std::make_shared<LintCommandOptions>();
  app.add_option("files", options->files,
                 "Prometheus rule files or PrometheusRule objects, - for "
                 "standard input")
      ->type_name("FILE");
  app.add_option("--expr", options->expressions, "judge this expression; may be repeated")
      ->type_name("EXPR")
      ->type_size(1)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddRelease(app, options.get());
  AddSourceOptions(app, &options->source);
  app.add_option("--mended", options->mended_file, "write the mended rules here")
      ->type_name("FILE");
  app.add_option("--fail-on", options->fail_on, "exit with 3 from this severity on")
      ->check(CLI::IsMember({"error", "warning", "note", "never"}))
      ->capture_default_str();
  app.add_option("-o,--output", options->output, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  return [options](const Context& context) { return RunLint(*options, context); };
}

}  // namespace schedlens
