#include "cli/options/investigate.h"

#include <algorithm>
#include <functional>
#include <future>
#include <utility>

#include "analysis/alert/recompute.h"
#include "cli/options/any_source.h"

namespace schedlens {

Options InvestigateOptionTable(InvestigateOptions* options) {
  return Together(
      {SourceOptionTable(&options->source),
       TimeOptionTable(&options->time),
       {BaselineOption(&options->time), ExactOption(&options->time)},
       AlertOptionTable(&options->alert),
       {{.names = "--queries",
         .value = "DIR",
         .help = "directory of .promql files that replace the built-in queries of the same name",
         .target = &options->queries}}});
}

QuerySet QueriesOf(const InvestigateOptions& options) {
  return options.queries.empty() ? QuerySet::Embedded() : QuerySet::WithOverrides(options.queries);
}

namespace {

/// What was fetched, as far as anything is known: to the recording's end, or to the time to look
/// at, since a server evaluates its rules between scrapes too.
TimeRange KnownRange(const Facts& facts, const AskedInvestigation& asked) {
  const auto extent = asked.source->Describe().extent;
  const TimeMs end = std::min(facts.fetched.end, extent ? extent->end : asked.request.now);
  return {facts.fetched.start, std::max(end, facts.fetched.start + 1)};
}

}  // namespace

AskedInvestigation OpenAsAsked(const InvestigateOptions& options, Progress* progress) {
  AskedInvestigation asked;
  asked.source = WithProgress(OpenAnySource(options.source), progress);
  asked.alert = AlertOf(options.alert, options.source);
  const auto extent = asked.source->Describe().extent;
  DiagnoseRequest& request = asked.request;
  request.now = options.time.at.value_or(TimeToLook(asked.alert, Now()));
  request.window = WindowOf(options.time, extent ? extent->end : request.now);
  request.whole = options.time.lifetime;
  request.exact = options.time.exact;
  request.want_baseline = options.time.baseline != BaselineChoice::kOff;
  request.baseline = options.time.baseline_range;
  request.selector = options.source.selector;
  request.alert_expr = ExpressionOf(asked.alert);
  if (asked.alert) request.firing = CommonLabels(asked.alert->firings);
  return asked;
}

Investigation InvestigateAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                                 const Context& context, const Meanwhile& meanwhile) {
  Progress progress(context.err);
  const AskedInvestigation asked = OpenAsAsked(options, &progress);
  Investigation found = Gather(*asked.source, queries, asked.request);
  std::future<void> running;
  if (meanwhile) running = std::async(std::launch::async, meanwhile, std::cref(found));
  Diagnosis concluded = Conclude(*asked.source, found);
  if (asked.alert) {
    std::optional<AlertVerdict>& verdict = concluded.alert;
    if (verdict) {
      const auto stored = CompareWithStored(*asked.source, *asked.alert, found.facts.fetched);
      verdict->recomputed.insert(verdict->recomputed.end(), stored.begin(), stored.end());
      const Message not_fired =
          WhyNotFired(*asked.source, *asked.alert, KnownRange(found.facts, asked));
      if (!not_fired.empty()) verdict->notes.push_back(not_fired);
      if (!asked.alert->expression.expr.empty()) verdict->expr = asked.alert->expr;
    }
    std::vector<Message>& warnings = concluded.warnings;
    warnings.insert(warnings.end(), asked.alert->notes.begin(), asked.alert->notes.end());
  }
  if (running.valid()) running.get();
  found.diagnosis = std::move(concluded);
  return found;
}

}  // namespace schedlens
