#include "cli/commands/diagnose.h"

#include <atomic>
#include <cctype>
#include <exception>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "cli/options/output.h"
#include "cli/safe_stream.h"
#include "diagnose/pipeline/verdict.h"
#include "kube/metrics.h"
#include "promql/parser.h"
#include "replay/change.h"
#include "replay/cross_check.h"
#include "report/commands.h"
#include "source/capture/recording.h"
#include "source/clusters/by_label.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

using Words = std::vector<std::string>;

/// The selector of the schedulers that were judged: of several, those of the first unit.
std::string SelectorOf(const InvestigateOptions& options, const Diagnosis& d) {
  std::string selector = options.source.selector;
  if (d.units.empty()) return selector;
  for (const auto& [name, value] : d.units.front().labels) {
    selector += (selector.empty() ? "" : ",") + name + "=" + QuotePromql(value);
  }
  return selector;
}

/// The options that lead to the same samples.
Words SourceWords(const InvestigateOptions& options, const Diagnosis& d) {
  const SourceOptions& source = options.source;
  Words words;
  const auto add = [&](const std::string& option, const std::string& value) {
    if (value.empty()) return;
    words.push_back("--" + option);
    words.push_back(Printable(option, value));
  };
  const std::string_view scheme = kServiceScheme;
  if (source.prometheus.starts_with(scheme)) {
    add("service", source.prometheus.substr(scheme.size()));
    add("context", source.context);
    add("kubeconfig", source.kubeconfig);
  } else {
    add("prometheus", HasSource(source) ? source.prometheus : d.source.name);
  }
  add("capture", source.capture);
  add("scrape-before", source.scrape_before);
  add("scrape-after", source.scrape_after);
  add("scenario", source.scenario);
  add("tenant", source.tenant);
  add("http.config.file", source.http_config_file);
  for (const std::string& header : source.headers) add("header", header);
  if (source.semantics) add("semantics", ToString(*source.semantics));
  add("selector", SelectorOf(options, d));
  return words;
}

/// The first of these histograms that the diagnosis has a quantile of; empty without one.
std::string QuantileOf(const Diagnosis& d, std::initializer_list<kube::Metric> metrics) {
  for (const kube::Metric metric : metrics) {
    for (const QuantileRow& row : d.quantiles) {
      if (row.metric == kube::NameOf(metric)) return row.metric;
    }
  }
  return "";
}

/// The words of one command, or nothing where the diagnosis lacks what it needs.
std::optional<Words> WordsOf(const StepCommand& command, const InvestigateOptions& options,
                             const Diagnosis& d) {
  std::istringstream in{std::string(command.command)};
  Words words(std::istream_iterator<std::string>(in), {});
  const auto add = [&](const Words& more) { words.insert(words.end(), more.begin(), more.end()); };
  const AlertVerdict* alert = d.alert ? &*d.alert : nullptr;
  switch (command.needs) {
    case CommandNeeds::kExpression:
      if (alert == nullptr || alert->expr.empty()) return std::nullopt;
      add({"--expr", alert->expr});
      if (kube::ParseRelease(d.release)) add({"--release", d.release});
      return words;
    case CommandNeeds::kTwoHistograms: {
      const std::string part = QuantileOf(d, {kube::Metric::kAlgorithm});
      const std::string whole = QuantileOf(d, {kube::Metric::kAttempt, kube::Metric::kE2e});
      if (part.empty() || whole.empty()) return std::nullopt;
      add({part, whole});
      break;
    }
    case CommandNeeds::kHistogram:
      if (alert == nullptr || alert->metric.empty() || std::isnan(alert->quantile)) {
        return std::nullopt;
      }
      add({alert->metric, "-q", FormatNumber(alert->quantile)});
      break;
    case CommandNeeds::kInvestigation:
      if (!options.queries.empty()) add({"--queries", options.queries});
      if (!options.time.lifetime) add({"--exact"});
      break;
    case CommandNeeds::kSource:
      break;
  }
  add(SourceWords(options, d));
  if (!options.time.lifetime) {
    add({"--start", FormatTime(d.window.start), "--end", FormatTime(d.window.end)});
  } else {
    add({"--window", "lifetime"});
    if (options.time.at) add({"--at", FormatTime(*options.time.at)});
  }
  return words;
}

/// Fills its command into the text and returns it; empty where the text has none, or one that
/// cannot be filled in.
std::string Fill(const InvestigateOptions& options, const Diagnosis& d, Message* text) {
  const StepCommand* command = CommandOf(*text);
  const auto words = command == nullptr ? std::nullopt : WordsOf(*command, options, d);
  if (!words) return "";
  const std::string line = CommandText(*words, {});
  *text = WithCommand(std::move(*text), line);
  return line;
}

/// Of the schedulers, else of the alert, else what the selector asks for; empty without one.
std::string ClusterOf(const std::string& selector, const Diagnosis& d) {
  std::vector<std::pair<std::string, std::string>> labels;
  const auto add = [&](const auto& more) { labels.insert(labels.end(), more.begin(), more.end()); };
  if (!d.units.empty()) add(d.units.front().labels);
  if (d.alert) {
    add(d.alert->population);
    add(d.alert->labels);
  }
  for (const promql::Matcher& one :
       promql::ParseMatchers(selector).value_or(std::vector<promql::Matcher>())) {
    if (one.op == promql::MatchOp::kEqual) labels.emplace_back(one.name, one.value);
  }
  const auto found =
      std::ranges::find_if(labels, [](const auto& label) { return label.first == "cluster"; });
  return found == labels.end() ? "" : found->second;
}

/// The diagnosis with the replay's verdict, who made it (see AddMaking), and names from the
/// scheduler's own configuration. Throws what reading that file throws.
Diagnosis Completed(const InvestigateOptions& options, const Context& context, Diagnosis diagnosis,
                    std::optional<CrossCheck> check) {
  diagnosis.tool_version = Version();
  diagnosis.cross_check = std::move(check);
  // Of what the alert is not about one line is told, and nothing asked for.
  for (Finding& finding : diagnosis.findings) {
    if (!IsElsewhere(diagnosis)) break;
    finding.action.reset();
    for (CauseBehind& one : finding.behind) one.action.reset();
  }
  AddMaking(options, context, &diagnosis);
  const std::string& place = options.scheduler_config;
  if (!place.empty()) {
    constexpr std::string_view kConfigMap = "configmap:";
    const std::string text = place.starts_with(kConfigMap)
                                 ? FetchConfigMap(options.source, place.substr(kConfigMap.size()))
                                 : ReadFile(place);
    diagnosis = WithConfiguration(std::move(diagnosis), text, place);
  }
  return Checked(std::move(diagnosis));
}

/// So many values with restarts are queried for their own samples, those first whose sums lose the
/// most columns. The rest use sums, to keep the queries few.
constexpr std::size_t kMostAskedAlone = 8;

/// The alert's expression, or each wording of the default question, with the label kept.
std::vector<std::string> AlertExpressions(const DiagnoseRequest& request, const QuerySet& queries,
                                          const std::string& label) {
  std::vector<std::string> expressions;
  if (!request.alert_expr.empty()) {
    return {KeepingLabel(NarrowedExpression(request.alert_expr, request.selector), label)};
  }
  for (const std::string& statement : queries.Get("alert").statements) {
    expressions.push_back(KeepingLabel(Substitute(statement, request.selector, "5m"), label));
  }
  return expressions;
}

LabelPlan PlanFor(const std::string& label, const DiagnoseRequest& request, const TimeRange& range,
                  const std::vector<std::string>& expressions) {
  LabelPlan plan;
  plan.label = label;
  plan.selector = request.selector;
  plan.range = range;
  plan.window = request.window;
  for (const std::string& expression : expressions) {
    plan.kept.merge(LabelsOf(expression));
    const auto alert = promql::ParseAlertExpression(expression);
    // The whole and what it compares as well, where it is a condition.
    std::set<std::string> asked = {alert.compared_expression, alert.quantile_expression};
    if (!alert.comparison.empty()) asked.insert(alert.expr);
    asked.erase("");
    plan.expressions.insert(plan.expressions.end(), asked.begin(), asked.end());
  }
  return plan;
}

/// Leaves out what a second replica of Prometheus scraped, and says so.
std::vector<Message> CountOnce(Source& source, const std::string& label, const TimeRange& range,
                               DiagnoseRequest* request) {
  const auto replica = FindOneReplica(source, request->selector, range);
  if (!replica || replica->label == label) return {};
  request->selector = JoinedSelector(request->selector,
                                     {{promql::MatchOp::kEqual, replica->label, replica->value}});
  return {Message("by_label.one_replica", {{"count", arg::Count(replica->processes)},
                                           {"label", replica->label},
                                           {"value", replica->value}})};
}

/// Of several wordings the one whose metric this part has.
std::string ExpressionWithData(const std::vector<std::string>& expressions, Source& source,
                               const TimeRange& range) {
  for (const std::string& expression : expressions) {
    const std::string value = promql::ParseAlertExpression(expression).compared_expression;
    if (!source.Ask({value, range.start, range.end, 1000}).series.empty()) return expression;
  }
  return expressions.front();
}

std::string ForValue(const std::string& expression, const std::string& label,
                     const std::string& value) {
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(expression), [&](promql::Expr& node) {
    auto* selector = std::get_if<promql::Selector>(&node.node);
    if (selector != nullptr) selector->matchers.push_back({promql::MatchOp::kEqual, label, value});
  });
  return promql::ToString(*tree);
}

std::vector<bool> AskedAlone(const std::vector<LabelSlice>& slices) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (!slices[i].lost.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return slices[a].lost.size() > slices[b].lost.size();
  });
  std::vector<bool> alone(slices.size(), false);
  for (std::size_t i = 0; i < std::min(order.size(), kMostAskedAlone); ++i) alone[order[i]] = true;
  return alone;
}

double PercentLost(const std::vector<TimeRange>& lost, const TimeRange& window) {
  TimeMs sum = 0;
  for (const TimeRange& column : lost) {
    sum += std::max<TimeMs>(
        0, std::min(column.end, window.end) - std::max(column.start, window.start));
  }
  return 100.0 * static_cast<double>(sum) /
         static_cast<double>(std::max<TimeMs>(1, window.end - window.start));
}

/// How one value's part is diagnosed; by several threads at a time.
struct PartDiagnosis {
  const std::string& label;
  const DiagnoseRequest& request;  ///< of all values
  const TimeRange& range;
  const std::vector<std::string>& expressions;
  const QuerySet& queries;
  Source& all;
  std::mutex asking = {};  ///< `all` answers one thread at a time

  /// The matchers of one value's schedulers, without braces.
  std::string SelectorOf(const std::string& value) const {
    return JoinedSelector(request.selector, {{promql::MatchOp::kEqual, label, value}});
  }
  /// From the slice's sums, or from its own samples where it is queried `alone`.
  Investigation Investigated(const LabelSlice& slice, bool alone) {
    DiagnoseRequest each = request;
    each.firing = {};        // a part has its own label, and nothing of instances
    each.recompute = false;  // the server's value is of raw samples, a part has their sums
    each.alert_expr = ExpressionWithData(expressions, *slice.source, range);
    Investigation found;
    if (alone) {
      each.selector = SelectorOf(slice.value);
      each.alert_expr = ForValue(each.alert_expr, label, slice.value);
      const std::lock_guard lock(asking);
      found = Investigate(all, queries, each);
    } else {
      found = Investigate(*slice.source, queries, each);
      found.diagnosis.control_plane.reset();
      found.diagnosis.warnings.push_back(
          Message("by_label.no_control_plane",
                  {{"value", slice.value}, {"selector", arg::Promql(SelectorOf(slice.value))}}));
    }
    Diagnosis& diagnosis = found.diagnosis;
    if (request.alert_expr.empty() && diagnosis.alert) diagnosis.alert->given = false;
    if (alone) {
      diagnosis.warnings.push_back(Message("by_label.asked_alone", {{"value", slice.value}}));
    } else if (!slice.lost.empty()) {
      const double percent = PercentLost(slice.lost, diagnosis.window);
      diagnosis.warnings.push_back(
          Message("by_label.lost", {{"percent", arg::Number(percent)},
                                    {"value", slice.value},
                                    {"count", arg::Count(kMostAskedAlone)},
                                    {"selector", arg::Promql(SelectorOf(slice.value))}}));
    }
    return found;
  }
};

auto PlaceInList(const DiagnosedPart& part) {
  const Diagnosis& d = part.diagnosis;
  const double shown = d.alert && d.alert->shown ? *d.alert->shown : 0;
  return std::make_tuple(SeverityRank(d.verdict), -shown, part.value);
}

/// Asks once for all values of the label, with sums over processes made on the server, and
/// diagnoses each value's part. Worst first: incidents, then what cannot be decided, each by what
/// the alert shows. Throws Error(kUsage) for a label that no scheduler has,
/// Error(kInsufficientData) when no scheduler is found, and what the source throws.
SplitDiagnosis DiagnoseBy(const std::string& label, const InvestigateOptions& options,
                          const QuerySet& queries, const Context& context) {
  Progress progress(context.err);
  AskedInvestigation asked = OpenAsAsked(options, &progress);
  DiagnoseRequest& request = asked.request;
  const SourceInfo info = asked.source->Describe();
  TimeRange range = RangeToFetch(request, info);
  range.end = std::min(range.end, info.extent ? info.extent->end : Now());
  if (request.selector.empty()) request.selector = FindSchedulers(*asked.source, range);
  std::vector<Message> notes = CountOnce(*asked.source, label, range, &request);
  if (asked.alert) AddNew(asked.alert->notes, &notes);
  const std::vector<std::string> expressions = AlertExpressions(request, queries, label);
  std::vector<LabelSlice> slices =
      SplitByLabel(*asked.source, queries, PlanFor(label, request, range, expressions));
  if (slices.empty()) {
    throw Error(ErrorKind::kInsufficientData,
                "no kube-scheduler metrics were found here: run `schedlens doctor` with the same "
                "source to see what it has");
  }
  PartDiagnosis part{label, request, range, expressions, queries, *asked.source};
  const std::vector<bool> asked_alone = AskedAlone(slices);
  SplitDiagnosis split{.label = label, .parts = std::vector<DiagnosedPart>(slices.size())};
  std::mutex one_at_a_time, completing;
  std::size_t begun = 0;
  SideBySide(slices.size(), [&](std::size_t i) {
    {
      const std::lock_guard lock(one_at_a_time);
      progress.Show("diagnosing", ++begun, slices.size(), slices[i].value);
    }
    Investigation found = part.Investigated(slices[i], asked_alone[i]);
    AddNew(notes, &found.diagnosis.warnings);
    slices[i].source.reset();
    // Of many schedulers only those with an incident are worth a replay.
    std::optional<CrossCheck> check;
    if (!options.no_cross_check && found.diagnosis.verdict == Verdict::kIncident) {
      check = CrossCheckByReplay(found, queries);
    }
    InvestigateOptions own = options;
    own.source.selector = part.SelectorOf(slices[i].value);
    // A configuration may come from a server, or from a program that is run.
    const std::lock_guard lock(completing);
    split.parts[i] = {slices[i].value,
                      Completed(own, context, std::move(found.diagnosis), std::move(check))};
  });
  std::ranges::sort(split.parts, {}, PlaceInList);
  return split;
}

struct DiagnoseOptions {
  InvestigateOptions diagnosing;
  OutputOptions output;
  std::string fail_on, by;
  std::string against;
};

/// Whether a finding has the confidence that `--fail-on` names, or more.
bool Reaches(const Diagnosis& diagnosis, const std::string& fail_on) {
  if (fail_on.empty() || diagnosis.verdict != Verdict::kIncident) return false;
  const Confidence level = fail_on == "certain"  ? Confidence::kCertain
                           : fail_on == "likely" ? Confidence::kLikely
                                                 : Confidence::kPossible;
  return std::ranges::any_of(diagnosis.findings,
                             [&](const Finding& f) { return f.confidence <= level; });
}

int CodeOf(const std::vector<const Diagnosis*>& all, const std::string& fail_on) {
  if (std::ranges::all_of(all, [](const Diagnosis* d) {
        return d->verdict == Verdict::kInsufficientData || IsElsewhere(*d);
      })) {
    return static_cast<int>(ErrorKind::kInsufficientData);
  }
  return std::ranges::any_of(all, [&](const Diagnosis* d) { return Reaches(*d, fail_on); }) ? 3 : 0;
}

int RunDiagnose(const DiagnoseOptions& options, const Context& context) {
  const QuerySet queries = QueriesOf(options.diagnosing);
  if (!options.by.empty()) {
    CheckForms(options.output, "--by", "; for other formats select one scheduler with --selector");
    const SplitDiagnosis split = DiagnoseBy(options.by, options.diagnosing, queries, context);
    WriteReports(split, options.output, context);
    std::vector<const Diagnosis*> all;
    for (const DiagnosedPart& part : split.parts) all.push_back(&part.diagnosis);
    return CodeOf(all, options.fail_on);
  }
  std::optional<EarlierFile> earlier;
  if (!options.against.empty()) {
    CheckForms(options.output, "--against");
    earlier = OpenEarlier(options.against);
  }
  const Diagnosis diagnosis = DiagnoseAsAsked(options.diagnosing, queries, context);
  if (earlier) {
    WriteReports(
        SetAgainst(EarlierSide(*std::move(earlier), options.diagnosing, diagnosis, context),
                   diagnosis),
        options.output, context);
  } else {
    WriteReports(diagnosis, options.output, context);
  }
  return CodeOf({&diagnosis}, options.fail_on);
}

}  // namespace

void AddMaking(const InvestigateOptions& options, const Context& context, Diagnosis* diagnosis) {
  const auto fixed = ParseTime(Environment("SOURCE_DATE_EPOCH"), 0);
  diagnosis->made = fixed.value_or(Now()) / 1000 * 1000;
  diagnosis->command = context.command;
  diagnosis->cluster = ClusterOf(options.source.selector, *diagnosis);
  for (Message& gap : diagnosis->gaps) Fill(options, *diagnosis, &gap);
  const auto fill = [&](std::vector<NextStep>& steps, std::optional<Remedy>& action) {
    for (NextStep& step : steps) {
      step.command = Fill(options, *diagnosis, &step.text);
      const bool bare = action && action->command.empty() && action->query.empty();
      if (bare && !step.command.empty()) action->command = Verbatim(step.command);
    }
  };
  for (Finding& finding : diagnosis->findings) {
    fill(finding.next_steps, finding.action);
    for (CauseBehind& one : finding.behind) fill(one.next_steps, one.action);
  }
  Words source = SourceWords(options, *diagnosis);
  source.insert(source.begin(), "diagnose");
  for (Episode& episode : diagnosis->episodes) {
    if (episode.reported) continue;
    Words words = source;
    words.insert(words.end(), {"--start", FormatTime(episode.window.start), "--end",
                               FormatTime(episode.window.end)});
    episode.command = CommandText(words, {});
  }
}

Options BeyondOptionTable(InvestigateOptions* o) {
  return {{"--no-cross-check", &o->no_cross_check},
          {"--no-neighbours", &o->no_control_plane},
          {"--no-answers", &o->no_answers},
          {"--scheduler-config", &o->scheduler_config}};
}

Diagnosis DiagnoseAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                          const Context& context) {
  std::optional<CrossCheck> check;
  Meanwhile replay;
  if (!options.no_cross_check) {
    replay = [&](const Investigation& found) { check = CrossCheckByReplay(found, queries); };
  }
  InvestigateOptions investigate = options;
  investigate.answer_steps = !options.no_answers;
  Investigation found = InvestigateAsAsked(investigate, queries, context, replay);
  return Completed(options, context, std::move(found.diagnosis), std::move(check));
}

void SideBySide(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::exception_ptr> thrown(count);
  const auto run = [&] {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        work(i);
      } catch (...) {
        thrown[i] = std::current_exception();
        failed = true;
      }
    }
  };
  const std::size_t threads =
      std::min({count, std::size_t{8}, std::size_t{std::thread::hardware_concurrency()}});
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run);
    run();
  }
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

Declared DeclareDiagnose() {
  return DeclareWith<DiagnoseOptions>(RunDiagnose, [](DiagnoseOptions* o) {
    return Together(
        {InvestigateOptionTable(&o->diagnosing, &o->output.look.zone),
         BeyondOptionTable(&o->diagnosing),
         OutputOptionTable(&o->output),
         {Option("diagnose:--fail-on", &o->fail_on, {.choices = {"certain", "likely", "possible"}}),
          Option("--by",
                 [o](const std::string& text) {
                   if (!promql::IsLabelName(text)) {
                     throw Error(ErrorKind::kUsage,
                                 "--by: expected the name of a label, such as cluster");
                   }
                   o->by = text;
                 },
                 {.excludes = {"--against"}}),
          {"--against", &o->against}}});
  });
}

}  // namespace schedlens
