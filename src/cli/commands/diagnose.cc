#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/commands.h"
#include "cli/commands/diagnose_by.h"
#include "cli/options/investigate.h"
#include "cli/options/output.h"
#include "cli/version.h"
#include "model/file.h"
#include "reference/cross_check.h"
#include "reference/named_configuration.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct DiagnoseOptions {
  InvestigateOptions investigate;
  OutputOptions output;
  std::string fail_on;
  std::string scheduler_config;
  std::string by;
  bool no_cross_check = false;
  bool no_answers = false;
};

/// The confidence that `--fail-on` names, or nothing.
std::optional<Confidence> FailOn(const std::string& text) {
  if (text == "certain") return Confidence::kCertain;
  if (text == "likely") return Confidence::kLikely;
  if (text == "possible") return Confidence::kPossible;
  return std::nullopt;
}

bool Reaches(const Diagnosis& diagnosis, const std::optional<Confidence>& level) {
  if (!level || diagnosis.verdict != Verdict::kIncident) return false;
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [&](const Finding& f) { return f.confidence <= *level; });
}

/// What goes beyond the analysis: the replay's verdict, and names from the scheduler's own
/// configuration.
Diagnosis Complete(const DiagnoseOptions& options, Diagnosis diagnosis,
                   std::optional<CrossCheck> check) {
  diagnosis.tool_version = Version();
  diagnosis.cross_check = std::move(check);
  if (options.scheduler_config.empty()) return diagnosis;
  return WithConfiguration(std::move(diagnosis), ReadFile(options.scheduler_config),
                           options.scheduler_config);
}

Diagnosis RunOne(const DiagnoseOptions& options, const QuerySet& queries, const Context& context) {
  std::optional<CrossCheck> check;
  Meanwhile replay;
  if (!options.no_cross_check) {
    replay = [&](const Investigation& found) { check = CrossCheckByReplay(found, queries); };
  }
  InvestigateOptions investigate = options.investigate;
  investigate.answer_steps = !options.no_answers;
  Investigation found = InvestigateAsAsked(investigate, queries, context, replay);
  return Complete(options, std::move(found.diagnosis), std::move(check));
}

int RunBy(const DiagnoseOptions& options, const QuerySet& queries, const Context& context) {
  CheckSplitOutput(options.output);
  const SplitDiagnosis split = DiagnoseBy(
      options.by, options.investigate, queries,
      [&](Investigation found) {
        // Of many schedulers only those with an incident are worth a replay.
        const bool replay =
            !options.no_cross_check && found.diagnosis.verdict == Verdict::kIncident;
        std::optional<CrossCheck> check;
        if (replay) check = CrossCheckByReplay(found, queries);
        return Complete(options, std::move(found.diagnosis), std::move(check));
      },
      context);
  WriteReports(split, options.output, context);
  const auto any = [&](const auto& predicate) {
    return std::any_of(split.parts.begin(), split.parts.end(),
                       [&](const DiagnosedPart& part) { return predicate(part.diagnosis); });
  };
  if (!any([](const Diagnosis& d) { return d.verdict != Verdict::kInsufficientData; })) {
    return static_cast<int>(ErrorKind::kInsufficientData);
  }
  return any([&](const Diagnosis& d) { return Reaches(d, FailOn(options.fail_on)); }) ? 3 : 0;
}

int RunDiagnose(const DiagnoseOptions& options, const Context& context) {
  const QuerySet queries = QueriesOf(options.investigate);
  if (!options.by.empty()) return RunBy(options, queries, context);
  const Diagnosis diagnosis = RunOne(options, queries, context);
  WriteReports(diagnosis, options.output, context);
  if (diagnosis.verdict == Verdict::kInsufficientData) {
    return static_cast<int>(ErrorKind::kInsufficientData);
  }
  return Reaches(diagnosis, FailOn(options.fail_on)) ? 3 : 0;
}

}  // namespace

Declared DeclareDiagnose() {
  const auto options = std::make_shared<DiagnoseOptions>();
  DiagnoseOptions* o = options.get();
  return {
      Together({InvestigateOptionTable(&o->investigate),
                OutputOptionTable(&o->output),
                {{.names = "--fail-on",
                  .value = "CONFIDENCE",
                  .help = "exit with 3 when a finding has at least this confidence",
                  .target = &o->fail_on,
                  .choices = {"certain", "likely", "possible"}},
                 {.names = "--no-cross-check",
                  .help = "do not replay the incident in the reference scheduler",
                  .target = &o->no_cross_check},
                 {.names = "--no-neighbours",
                  .help = "ask the schedulers alone, not API servers, etcd or kube-state-metrics",
                  .target = &o->investigate.no_neighbours},
                 {.names = "--no-answers",
                  .help = "do not run the queries of the next steps, only print them",
                  .target = &o->no_answers},
                 {.names = "--scheduler-config",
                  .value = "FILE",
                  .help = "the scheduler's KubeSchedulerConfiguration: names extenders, limits, "
                          "plugins",
                  .target = &o->scheduler_config},
                 {.names = "--by",
                  .value = "LABEL",
                  .help = "diagnose each value of this label (such as cluster) on its own, worst "
                          "first; the server aggregates over processes",
                  .target = &o->by}}}),
      [options](const Context& context) { return RunDiagnose(*options, context); }};
}

}  // namespace schedlens
