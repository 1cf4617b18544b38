#include "cli/options/investigate.h"

#include <algorithm>
#include <functional>
#include <future>
#include <utility>

#include "analysis/alert/recompute.h"
#include "cli/options/any_source.h"
#include "cli/options/investigate_units.h"

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

/// What the server stored of the alert, and what was noticed while it was looked up.
void AddWhatIsStored(const AskedInvestigation& asked, const Facts& facts, Diagnosis* diagnosis) {
  if (!asked.alert) return;
  if (std::optional<AlertVerdict>& verdict = diagnosis->alert) {
    const auto stored = CompareWithStored(*asked.source, *asked.alert, facts.fetched);
    verdict->recomputed.insert(verdict->recomputed.end(), stored.begin(), stored.end());
    const Message not_fired = WhyNotFired(*asked.source, *asked.alert, KnownRange(facts, asked));
    if (!not_fired.empty()) verdict->notes.push_back(not_fired);
    if (!asked.alert->expression.expr.empty()) verdict->expr = asked.alert->expr;
  }
  std::vector<Message>& warnings = diagnosis->warnings;
  warnings.insert(warnings.end(), asked.alert->notes.begin(), asked.alert->notes.end());
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
  Investigation found = GatherFacts(*asked.source, queries, asked.request);
  const std::vector<SchedulerUnit> units = UnitsToJudge(asked, found.facts);
  if (!units.empty()) {
    const Facts all = std::move(found.facts);
    found = InvestigateUnits(asked, queries, all, units, &progress);
    AddWhatIsStored(asked, found.facts, &found.diagnosis);
    if (meanwhile) meanwhile(found);
    return found;
  }
  found = GatherFrom(queries, std::move(found));
  std::future<void> running;
  if (meanwhile) running = std::async(std::launch::async, meanwhile, std::cref(found));
  Diagnosis concluded = Conclude(*asked.source, found);
  AddWhatIsStored(asked, found.facts, &concluded);
  if (running.valid()) running.get();
  found.diagnosis = std::move(concluded);
  return found;
}

}  // namespace schedlens
