#include "cli/diagnose_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "analysis/diagnose.h"
#include "cli/output_options.h"
#include "cli/source_options.h"
#include "cli/time_options.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct DiagnoseOptions {
  SourceOptions source;
  TimeOptions time;
  OutputOptions output;
  std::string queries;
  std::string alert;
  std::string fail_on;
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
  AddSourceOptions(app, &options->source);
  AddTimeOptions(app, &options->time);
  AddBaselineOption(app, &options->time);
  AddOutputOptions(app, &options->output);
  app.add_option("--alert", options->alert,
                 "The alert's PromQL: sets metric, quantile, range, labels and threshold");
  app.add_option("--queries", options->queries,
                 "Directory with .promql files that replace questions of the same name");
  app.add_option("--fail-on", options->fail_on,
                 "Exit with 3 when a finding has at least this confidence")
      ->check(CLI::IsMember({"certain", "likely", "possible"}));
  return [options](const Context& context) {
    const QuerySet queries =
        options->queries.empty() ? QuerySet::Embedded() : QuerySet::WithOverrides(options->queries);
    const auto source = OpenSource(options->source);
    const auto extent = source->Describe().extent;
    DiagnoseRequest request;
    request.now = Now();
    request.window = WindowOf(options->time, extent ? extent->end : request.now);
    request.whole = options->time.lifetime;
    request.want_baseline = options->time.baseline != BaselineChoice::kOff;
    request.baseline = options->time.baseline_range;
    request.selector = options->source.selector;
    request.alert_expr = options->alert;
    const Diagnosis diagnosis = Diagnose(*source, queries, request);
    WriteReports(diagnosis, options->output, context);
    if (diagnosis.verdict == Verdict::kInsufficientData) {
      return static_cast<int>(ErrorKind::kInsufficientData);
    }
    return Reaches(diagnosis, FailOn(options->fail_on)) ? 3 : 0;
  };
}

}  // namespace schedlens
