#include "analysis/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>

#include "analysis/glossary/glossary.h"
#include "analysis/lint/cluster.h"
#include "cli/commands/commands.h"
#include "cli/commands/lint_input.h"
#include "cli/options/any_source.h"
#include "cli/options/output.h"
#include "cli/options/source.h"
#include "cli/options/time.h"
#include "cli/options/typed_time.h"
#include "cli/version.h"
#include "kube/metrics.h"
#include "model/file.h"
#include "model/text.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr int kFound = 3;

struct LintCommandOptions {
  SourceOptions source;
  std::vector<std::string> files;
  std::vector<std::string> expressions;
  std::optional<int> release;
  std::optional<std::int64_t> scrape_ms;
  std::string at;
  std::string output = "text";
  std::string lang = "en";
  std::string mended_file;
  bool in_place = false;
  bool diff = false;
  bool move_thresholds = false;
  std::string fail_on = "error";
};

bool Fails(const std::vector<LintedFile>& files, const std::string& fail_on) {
  if (fail_on == "never") return false;
  const LintSeverity least = fail_on == "note"      ? LintSeverity::kNote
                             : fail_on == "warning" ? LintSeverity::kWarning
                                                    : LintSeverity::kError;
  for (const LintedFile& file : files) {
    if (file.report.worst_left_out >= least) return true;
    for (const LintFinding& finding : file.report.findings) {
      if (finding.severity >= least) return true;
    }
  }
  return false;
}

void WriteInPlace(const std::vector<LintedFile>& files) {
  for (const LintedFile& file : files) {
    if (file.mended) WriteFileAtomically(file.name, file.mended_yaml);
  }
}

bool SourceGiven(const SourceOptions& source) {
  return !source.prometheus.empty() || !source.capture.empty() || !source.scrape_before.empty() ||
         !source.scenario.empty();
}

bool NothingGiven(const LintCommandOptions& options) {
  return options.files.empty() && options.expressions.empty();
}

void CheckResults(const LintCommandOptions& options) {
  const auto fail = [](const char* why) { throw Error(ErrorKind::kUsage, why); };
  if (NothingGiven(options) && options.source.prometheus.empty()) {
    fail(
        "nothing to lint: give rule files, dashboards, --expr EXPRESSION, or --prometheus URL for "
        "the rules of the server itself");
  }
  if (!options.at.empty() && !SourceGiven(options.source)) {
    fail("--at says when to look at a source: give --prometheus or --capture");
  }
  if (!options.mended_file.empty() && options.files.size() + options.expressions.size() != 1) {
    fail("--mended FILE takes the one file or expression that is linted; --in-place mends several");
  }
  const bool from_files =
      !options.files.empty() && options.expressions.empty() &&
      std::find(options.files.begin(), options.files.end(), "-") == options.files.end();
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
  if (SourceGiven(options.source)) {
    const ClusterSeen seen = Look(options, err);
    lint.release = seen.release;
    lint.scrape_ms = seen.scrape_ms.value_or(lint.scrape_ms);
    lint.exposed = seen.exposed;
    lint.native = seen.native;
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
  const std::vector<LintedFile> files =
      NothingGiven(options) ? LintServer(options.source, lint)
                            : LintInput(options.files, options.expressions, lint, context.in);
  if (!options.mended_file.empty()) {
    WriteFileAtomically(options.mended_file, files.front().mended_yaml);
  }
  if (options.in_place) WriteInPlace(files);
  context.out << Printed(options, files, linted_for);
  return Fails(files, options.fail_on) ? kFound : 0;
}

void ReadRelease(const std::string& text, LintCommandOptions* o) {
  o->release = kube::ParseRelease(text);
  if (!o->release) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--release {}: expected a Kubernetes release such as 1.24", text));
  }
}

void ReadAt(const std::string& text, LintCommandOptions* o) {
  if (!TimeAsTyped(text, Now())) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--at {}: expected a time such as 2026-11-21T10:00:00Z or now-1h", text));
  }
  o->at = text;
}

void ReadScrapeInterval(const std::string& text, LintCommandOptions* o) {
  o->scrape_ms = ParseDuration(text);
  if (!o->scrape_ms || *o->scrape_ms <= 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--scrape-interval {}: expected a duration such as 15s", text));
  }
}

Options RuleOptions(LintCommandOptions* o) {
  return {
      {.names = "files",
       .value = "FILE",
       .help = "Prometheus rule files, PrometheusRule objects, Grafana dashboards, ConfigMaps of "
               "these (several documents, lists), - for standard input; without any the rules of "
               "--prometheus",
       .target = &o->files},
      {.names = "--expr",
       .value = "EXPR",
       .help = "lint this expression; may be repeated",
       .target = &o->expressions},
      {.names = "--release",
       .value = "1.N",
       .help = "the cluster's Kubernetes release, which decides what metrics it has (default: the "
               "source's)",
       .target = [o](const std::string& text) { ReadRelease(text, o); }},
      {.names = "--at",
       .value = "TIME",
       .help = "the moment at which the source shows release and scrape interval (default: now, or "
               "all of a recording)",
       .target = [o](const std::string& text) { ReadAt(text, o); }},
      {.names = "--scrape-interval",
       .value = "DURATION",
       .help = "how often the scheduler is scraped (default: as the source shows, else 15s)",
       .target = [o](const std::string& text) { ReadScrapeInterval(text, o); }},
  };
}

Options ResultOptions(LintCommandOptions* o) {
  return {
      {.names = "--mended",
       .value = "FILE",
       .help = "write the one input, mended, to this file: all but the mended expressions stays "
               "byte for byte",
       .target = &o->mended_file},
      {.names = "--in-place", .help = "mend the files themselves", .target = &o->in_place},
      {.names = "--diff",
       .help = "print what mending changes as a unified diff, and nothing else",
       .target = &o->diff},
      {.names = "--move-thresholds",
       .help = "mend thresholds too: to the nearest bucket bound",
       .target = &o->move_thresholds},
      {.names = "--fail-on",
       .value = "SEVERITY",
       .help = "exit with 3 for findings of this severity or above",
       .target = &o->fail_on,
       .show_default = true,
       .choices = {"error", "warning", "note", "never"}},
      {.names = "-o,--output",
       .value = "FORMAT",
       .help = "text, json or sarif",
       .target = &o->output,
       .show_default = true,
       .choices = {"text", "json", "sarif"}},
      LanguageOption(&o->lang),
  };
}

}  // namespace

Declared DeclareLint() {
  const auto options = std::make_shared<LintCommandOptions>();
  LintCommandOptions* o = options.get();
  return {Together({RuleOptions(o), SourceOptionTable(&o->source), ResultOptions(o)}),
          [options](const Context& context) { return RunLint(*options, context); }};
}

}  // namespace schedlens
