#include "cli/investigate_options.h"

#include <CLI/CLI.hpp>

#include "cli/progress.h"
#include "reference/replay.h"
#include "sim/scenario.h"

namespace schedlens {
namespace {

constexpr std::uint64_t kSeed = 1;

std::unique_ptr<Source> OpenScenario(const SourceOptions& options) {
  return ReplayAsSource(sim::LoadScenario(options.scenario), kSeed, nullptr);
}

}  // namespace

void AddInvestigateOptions(CLI::App& app, InvestigateOptions* options) {
  AddSourceOptions(app, &options->source);
  AddTimeOptions(app, &options->time);
  AddBaselineOption(app, &options->time);
  AddAlertOptions(app, &options->alert);
  app.add_option("--queries", options->queries,
                 "Directory with .promql files that replace questions of the same name");
}

QuerySet QueriesOf(const InvestigateOptions& options) {
  return options.queries.empty() ? QuerySet::Embedded() : QuerySet::WithOverrides(options.queries);
}

Investigation InvestigateAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                                 const Context& context) {
  Progress progress(context.err);
  const auto source = WithProgress(OpenSource(options.source, OpenScenario), &progress);
  const auto alert = AlertOf(options.alert, options.source);
  const auto extent = source->Describe().extent;
  DiagnoseRequest request;
  request.now = TimeToLook(alert, Now());
  request.window = WindowOf(options.time, extent ? extent->end : request.now);
  request.whole = options.time.lifetime;
  request.want_baseline = options.time.baseline != BaselineChoice::kOff;
  request.baseline = options.time.baseline_range;
  request.selector = options.source.selector;
  request.alert_expr = ExpressionOf(alert);
  Investigation found = Investigate(*source, queries, request);
  if (alert) {
    std::vector<std::string>& warnings = found.diagnosis.warnings;
    warnings.insert(warnings.end(), alert->notes.begin(), alert->notes.end());
  }
  return found;
}

}  // namespace schedlens
