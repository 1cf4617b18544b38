#include "cli/diagnose_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "cli/investigate_options.h"
#include "cli/output_options.h"
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
  bool no_cross_check = false;
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

}  // namespace

Run SetUpDiagnose(CLI::App& app) {
  const auto options = std::make_shared<DiagnoseOptions>();
  AddInvestigateOptions(app, &options->investigate);
  AddOutputOptions(app, &options->output);
  app.add_option("--fail-on", options->fail_on,
                 "Exit with 3 when a finding has at least this confidence")
      ->check(CLI::IsMember({"certain", "likely", "possible"}));
  app.add_flag("--no-cross-check", options->no_cross_check,
               "Do not replay the incident in the reference scheduler");
  app.add_option("--scheduler-config", options->scheduler_config,
                 "The scheduler's KubeSchedulerConfiguration: names extenders, limits, plugins")
      ->type_name("FILE");
  return [options](const Context& context) {
    const QuerySet queries = QueriesOf(options->investigate);
    Investigation investigation = InvestigateAsAsked(options->investigate, queries, context);
    Diagnosis& diagnosis = investigation.diagnosis;
    diagnosis.tool_version = Version();
    if (!options->no_cross_check) {
      diagnosis.cross_check = CrossCheckByReplay(investigation, queries);
    }
    if (!options->scheduler_config.empty()) {
      diagnosis = WithConfiguration(std::move(diagnosis), ReadFile(options->scheduler_config),
                                    options->scheduler_config);
    }
    WriteReports(diagnosis, options->output, context);
    if (diagnosis.verdict == Verdict::kInsufficientData) {
      return static_cast<int>(ErrorKind::kInsufficientData);
    }
    return Reaches(diagnosis, FailOn(options->fail_on)) ? 3 : 0;
  };
}

}  // namespace schedlens
