#include "cli/investigate_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "analysis/recompute.h"
#include "cli/any_source.h"

namespace schedlens {

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

namespace {

/// What was fetched, up to the last scrape: nothing is known of later times.
TimeRange UntilLastScrape(const Facts& facts) {
  TimeMs last = facts.fetched.start;
  for (const Target& target : facts.targets) last = std::max(last, target.scrapes.back());
  return {facts.fetched.start, std::max(last, facts.fetched.start + 1)};
}

}  // namespace

AskedInvestigation OpenAsAsked(const InvestigateOptions& options, Progress* progress) {
  AskedInvestigation asked;
  asked.source = WithProgress(OpenAnySource(options.source), progress);
  asked.alert = AlertOf(options.alert, options.source);
  const auto extent = asked.source->Describe().extent;
  DiagnoseRequest& request = asked.request;
  request.now = TimeToLook(asked.alert, Now());
  request.window = WindowOf(options.time, extent ? extent->end : request.now);
  request.whole = options.time.lifetime;
  request.want_baseline = options.time.baseline != BaselineChoice::kOff;
  request.baseline = options.time.baseline_range;
  request.selector = options.source.selector;
  request.alert_expr = ExpressionOf(asked.alert);
  if (asked.alert) request.firing = CommonLabels(asked.alert->firings);
  return asked;
}

Investigation InvestigateAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                                 const Context& context) {
  Progress progress(context.err);
  const AskedInvestigation asked = OpenAsAsked(options, &progress);
  Investigation found = Investigate(*asked.source, queries, asked.request);
  if (asked.alert) {
    std::optional<AlertVerdict>& verdict = found.diagnosis.alert;
    if (verdict && found.facts) {
      const auto stored = CompareWithStored(*asked.source, *asked.alert, found.facts->fetched);
      verdict->recomputed.insert(verdict->recomputed.end(), stored.begin(), stored.end());
      const std::string not_fired =
          WhyNotFired(*asked.source, *asked.alert, UntilLastScrape(*found.facts));
      if (!not_fired.empty()) verdict->notes.push_back(not_fired);
    }
    std::vector<std::string>& warnings = found.diagnosis.warnings;
    warnings.insert(warnings.end(), asked.alert->notes.begin(), asked.alert->notes.end());
  }
  return found;
}

}  // namespace schedlens
