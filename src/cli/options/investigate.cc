#include "cli/options/investigate.h"

#include <future>

#include "diagnose/collect/units.h"
#include "diagnose/pipeline/verdict.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

/// What the alert's `by (...)` keeps of the labels that tell schedulers apart. Replicas of one
/// scheduler differ in instance and pod.
std::set<std::string> KeptLabels(const std::optional<ResolvedAlert>& alert) {
  std::set<std::string> kept;
  if (!alert) return kept;
  for (const std::string& name : alert->expression.by) {
    if (name != "instance" && name != "pod") kept.insert(name);
  }
  for (const std::string& name : MeasurementLabels()) kept.erase(name);
  return kept;
}

/// The request for one unit alone. Where it names no schedulers, those that were found are its
/// selector, lest other jobs' metrics are asked for.
DiagnoseRequest RequestFor(const DiagnoseRequest& request, const Facts& facts,
                           const SchedulerUnit& unit) {
  const bool by_job =
      std::ranges::any_of(unit.matchers, [](const promql::Matcher& m) { return m.name == "job"; });
  DiagnoseRequest one = request;
  const bool found = facts.given_selector.empty() && !by_job;
  one.selector = JoinedSelector(found ? facts.selector : facts.given_selector, unit.matchers);
  return one;
}

/// The schedulers that these facts are of; those that the alert fired for, where its firings tell.
/// Empty for one scheduler alone.
std::vector<SchedulerUnit> UnitsToJudge(const AskedInvestigation& asked, const Facts& facts) {
  std::vector<SchedulerUnit> units = UnitsOf(facts, KeptLabels(asked.alert));
  if (units.size() < 2) return {};
  if (!asked.alert || asked.alert->firings.empty()) return units;
  const std::vector<Firing>& firings = asked.alert->firings;
  std::vector<SchedulerUnit> fired = units;
  std::erase_if(fired, [&](const SchedulerUnit& unit) {
    return std::ranges::none_of(firings, [&](const Firing& firing) {
      return std::ranges::all_of(unit.labels, [&](const auto& label) {
        return !firing.labels.Has(label.first) || firing.labels.Get(label.first) == label.second;
      });
    });
  });
  return fired.empty() ? units : fired;
}

/// Each of the units judged as if the request had selected it alone: the worst one's investigation,
/// with a row for each, worst first.
Investigation InvestigateUnits(const AskedInvestigation& asked, const QuerySet& queries,
                               const Facts& facts, const std::vector<SchedulerUnit>& units,
                               Progress* progress) {
  std::optional<Investigation> worst;
  std::vector<std::pair<Severity, JudgedUnit>> judged;
  const HeldSeries held(facts);
  for (std::size_t i = 0; i < units.size(); ++i) {
    progress->Show("diagnosing", i + 1, units.size(), Labels(units[i].labels).ToString());
    const DiagnoseRequest request = RequestFor(asked.request, facts, units[i]);
    HeldFacts source(*asked.source, facts, held, queries, request.selector);
    Investigation one = Investigate(source, queries, request);
    const Diagnosis& d = one.diagnosis;
    judged.emplace_back(SeverityOf(d), JudgedUnit{units[i].labels, d.verdict, d.headline,
                                                  d.alert ? d.alert->shown : std::nullopt});
    if (!worst || judged.back().first < SeverityOf(worst->diagnosis)) worst = std::move(one);
  }
  std::ranges::stable_sort(judged, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [severity, unit] : judged) worst->diagnosis.units.push_back(std::move(unit));
  AddNew(facts.warnings, &worst->diagnosis.warnings);
  return *std::move(worst);
}

/// An alert that fired within so long before the moment to look at is taken for what is asked.
constexpr TimeMs kFiresNow = TimeMs{10} * 60 * 1000;
/// How far back the samples of ALERTS are searched on a source that knows no extent.
constexpr TimeMs kAlertsBack = TimeMs{24} * 60 * 60 * 1000;

/// The moment the request is about: `--at`, or when the alert fired, by what is known of it or else
/// by the samples of ALERTS.
void TakeMoment(const TimeOptions& time, TimeMs clock, AskedInvestigation* asked) {
  asked->request.at = time.at;
  if (time.at || time.lifetime || !asked->alert) return;
  ResolvedAlert& alert = *asked->alert;
  if (!alert.at && !alert.name.empty()) {
    const auto extent = asked->source->Describe().extent;
    alert.firings = FindFirings(*asked->source, alert.name,
                                {extent ? extent->start - 1 : clock - kAlertsBack, clock});
    if (!alert.firings.empty()) alert.at = alert.firings.back().start;
  }
  asked->request.at = alert.at;
}

/// Data that do not hold the moment cannot answer for it.
void CheckInside(TimeMs at, const TimeRange& extent, bool given) {
  constexpr TimeMs kNear = 30 * 60 * 1000;
  if (at >= extent.start - kNear && at <= extent.end + kNear) return;
  Raise(ErrorKind::kInsufficientData, "{} {} lies outside the data, which spans {} to {}{}",
        given ? "--at" : "the alert fired at", FormatTime(at), FormatTime(extent.start),
        FormatTime(extent.end), given ? "" : ": give --start and --end to look at another time");
}

/// The labels that all firings have with equal values; none without firings.
Labels CommonLabels(const std::vector<Firing>& firings) {
  if (firings.empty()) return {};
  Labels common = firings.front().labels;
  for (const Firing& firing : firings) {
    std::vector<std::string> differing;
    for (const auto& [name, value] : common) {
      if (firing.labels.Get(name) != value) differing.emplace_back(name);
    }
    common = common.Without(differing);
  }
  return common;
}

/// What the server stored of the alert, and what was noticed while it was looked up.
void AddWhatIsStored(const AskedInvestigation& asked, const Facts& facts, Diagnosis* diagnosis) {
  if (!asked.alert) return;
  if (std::optional<AlertVerdict>& verdict = diagnosis->alert) {
    const auto stored = CompareWithStored(*asked.source, *asked.alert, facts.fetched);
    verdict->recomputed.insert(verdict->recomputed.end(), stored.begin(), stored.end());
    // A server evaluates its rules between scrapes too: known up to the time to look at.
    const auto extent = asked.source->Describe().extent;
    const auto [start, end] = facts.fetched;
    const TimeMs known = std::min(end, extent ? extent->end : asked.request.now);
    const Message not_fired =
        WhyNotFired(*asked.source, *asked.alert, {start, std::max(known, start + 1)});
    if (!not_fired.empty()) verdict->notes.push_back(not_fired);
    if (!asked.alert->expression.expr.empty()) verdict->expr = asked.alert->expr;
    verdict->for_seconds = static_cast<double>(asked.alert->for_ms) / 1000;
    verdict->episodes =
        EpisodesOf(diagnosis->timeline, *verdict, asked.alert->for_ms, asked.alert->firings);
  }
  std::vector<Message>& warnings = diagnosis->warnings;
  warnings.insert(warnings.end(), asked.alert->notes.begin(), asked.alert->notes.end());
}

/// What will be asked, but for what the alert asks.
std::vector<std::string> QuestionsOfADiagnosis(bool control_plane) {
  std::vector<std::string> texts = {"ALERTS", "ALERTS_FOR_STATE", "up"};
  const QuerySet all = QuerySet::Embedded();
  for (const Question& question : all.questions()) {
    if (!control_plane && IsOfControlPlane(question)) continue;
    for (const std::string& statement : question.statements) {
      texts.push_back(Substitute(statement, "", "5m"));
    }
  }
  return texts;
}

}  // namespace

Options InvestigateOptionTable(InvestigateOptions* options, Zone* shown) {
  return Together({SourceOptionTable(&options->source),
                   TimeOptionTable(&options->time, shown),
                   JudgedTimeOptions(&options->time),
                   AlertOptionTable(&options->alert),
                   {{"--queries", &options->queries}}});
}

QuerySet QueriesOf(const InvestigateOptions& options) {
  return options.queries.empty() ? QuerySet::Embedded() : QuerySet::WithOverrides(options.queries);
}

AskedInvestigation OpenAsAsked(const InvestigateOptions& options, Progress* progress) {
  AskedInvestigation asked;
  AlertRequest alert = AlertRequestOf(options.alert);
  SourceOptions source = options.source;
  FollowGrafana(&alert, &source);
  source = WithLinkedServer(std::move(source), alert);
  source.since_start = options.time.lifetime;
  source.questions = QuestionsOfADiagnosis(!options.no_control_plane);
  asked.source = WithProgress(OpenAnySource(source), progress);
  const SourceInfo info = asked.source->Describe();
  asked.alert = AlertOf(alert, source, info.rules);
  const auto extent = info.extent;
  const TimeOptions time = TimesOn(options.time, extent);
  const TimeMs clock = extent ? extent->end : Now();
  DiagnoseRequest& request = asked.request;
  request.window = WindowOf(time, time.at.value_or(clock));
  if (!asked.alert && !options.alert.none && !time.lifetime) {
    const TimeMs end = time.at.value_or(clock);
    asked.alert = AlertThatFired(*asked.source, source,
                                 request.window.value_or(TimeRange{end - kFiresNow, end}));
    if (asked.alert) asked.taken = asked.alert->notes.front();
  }
  if (!request.window) TakeMoment(time, clock, &asked);
  request.now = time.at.value_or(TimeToLook(asked.alert, clock));
  if (request.at && extent) CheckInside(*request.at, *extent, time.at.has_value());
  request.whole = time.lifetime;
  request.exact = time.exact;
  request.control_plane = !options.no_control_plane;
  request.want_baseline = time.baseline != BaselineChoice::kOff;
  request.baseline = time.baseline_range;
  request.selector = options.source.selector;
  if (asked.alert) {
    request.alert_expr = asked.alert->expression.expr;
    request.firing = CommonLabels(asked.alert->firings);
  }
  return asked;
}

Investigation InvestigateAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                                 const Context& context, const Meanwhile& meanwhile) {
  Progress progress(context.err);
  const AskedInvestigation asked = OpenAsAsked(options, &progress);
  if (!asked.taken.empty()) context.err << "schedlens: " << InEnglish(asked.taken) << "\n";
  Investigation found = GatherFacts(*asked.source, queries, asked.request);
  const std::vector<SchedulerUnit> units = UnitsToJudge(asked, found.facts);
  std::future<void> running;
  Diagnosis concluded;
  if (!units.empty()) {
    const Facts all = std::move(found.facts);
    found = InvestigateUnits(asked, queries, all, units, &progress);
    concluded = found.diagnosis;
  } else {
    found = GatherFrom(*asked.source, queries, std::move(found));
    if (meanwhile) running = std::async(std::launch::async, meanwhile, std::cref(found));
    AskControlPlane(*asked.source, queries, &found);
    concluded = Conclude(*asked.source, found);
  }
  AddWhatIsStored(asked, found.facts, &concluded);
  if (options.answer_steps) {
    AnswerNextSteps(*asked.source, queries, found, &concluded);
  } else if (units.empty()) {
    WriteNextSteps(queries, found, &concluded);
  }
  if (running.valid()) running.get();
  found.diagnosis = std::move(concluded);
  if (meanwhile && !units.empty()) meanwhile(found);
  return found;
}

}  // namespace schedlens
