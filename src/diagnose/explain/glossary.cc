#include "diagnose/explain/glossary.h"

// The tables of words, findings, stages and checks that reports use. Each check of `lint` is
// explained by the texts `lint.check.ID` (what is wrong) and `lint.why.ID` (why it matters).

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/series.h"
#include "base/source.h"
#include "kube/metrics.h"
#include "kube/stage.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// The row whose `key` is this; null without one.
template <typename Row, typename Key>
const Row* FindById(const std::vector<Row>& rows, std::string_view id, Key Row::*key) {
  const auto it = std::ranges::find_if(rows, [&](const Row& row) { return row.*key == id; });
  return it == rows.end() ? nullptr : &*it;
}

const MetricText* FindMetric(std::string_view word) {
  const std::string plain(word), family(FamilyOf(word));
  for (const std::string& name : {plain, family, "scheduler_" + plain, "scheduler_" + family}) {
    if (const MetricText* metric = FindById(MetricTexts(), name, &MetricText::name)) return metric;
  }
  return nullptr;
}

constexpr std::string_view kFinding = "finding.";
constexpr std::string_view kStep = ".step.";
/// The argument of a step's text that is its query.
constexpr const char* kQuery = "query";

/// `next_bind.apiserver.1` of `finding.bind.apiserver.step.1`.
std::string QuestionName(std::string_view step) {
  const std::size_t at = step.rfind(kStep);
  if (!step.starts_with(kFinding) || at == std::string_view::npos) return "";
  std::string name(kNextStepPrefix);
  name += step.substr(kFinding.size(), at - kFinding.size());
  return name.append(".").append(step.substr(at + kStep.size()));
}

/// The same as others in seconds, off since 1.17: names that the table of metrics does not hold.
constexpr std::string_view kInMicroseconds[] = {
    "scheduler_scheduling_algorithm_latency_microseconds",
    "scheduler_binding_latency_microseconds",
    "scheduler_scheduling_algorithm_predicate_evaluation",
    "scheduler_scheduling_algorithm_priority_evaluation",
    "scheduler_scheduling_algorithm_preemption_evaluation",
};

}  // namespace

const std::vector<FindingText>& FindingTexts() {
  using enum ShownBy;
  static const std::vector<FindingText> all = {
      // Causes in the order of the scheduling attempt, then remarks about the number.
      {"bind.extender", 5},
      {"bind.apiserver", 4, kQuery},
      {"bind.client-throttling", 4},
      {"bind.async-queue", 3},
      {"algorithm.extender", 4},
      {"algorithm.prefilter", 3},
      {"algorithm.filter", 4, kQuery},
      {"algorithm.prescore", 3},
      {"algorithm.score", 3},
      {"algorithm.cpu-starved", 4},
      {"preemption", 4},
      {"attempts.unschedulable", 4},
      {"attempts.error", 3},
      {"reserve", 2},
      {"permit.wait", 4},
      {"prebind.volume", 4},
      {"prebind", 3},
      {"queue.backlog", 4, kQuery},
      {"scheduler.down", 4},
      {"scheduler.no-leader", 4},
      {"scheduler.stuck", 4},
      {"queue.gated", 4},
      {"queue.flush", 5, kQuery},
      {"queue.loop-busy", 3},
      {"quantile.population", 3, kOwnCommand},
      {"quantile.threshold-inside-bucket", 3, kOwnCommand, false},
      {"quantile.saturated", 3, kOwnCommand, false},
      {"quantile.few-samples", 3, kCommand, false},
      {"quantile.profile", 2, kCommand, false},
      {"quantile.forced-monotonic", 3, kQuery, false},
      {"quantile.rate-extrapolation", 3, kOwnCommand, false},
      {"data.reset", 3},
      {"data.missing", 3, kOwnCommand, false},
      {"data.mixed-layouts", 3, kQuery, false},
      {"data.contradiction", 3, kOwnCommand},
      // Behind a cause: on the binding path, and who sends the scheduler work.
      {"apiserver.webhook", 2},
      {"apiserver.flowcontrol", 2, kQuery},
      {"etcd.disk", 2, kQuery},
      {"etcd.peer", 2, kQuery},
      {"etcd.leader", 2, kQuery},
      {"etcd.slow", 2},
      {"apiserver.cpu", 2, kQuery},
      {"apiserver.audit", 2, kQuery},
      {"bind.network", 2},
      {"apiserver.unknown", 2},
      {"apiserver.instance", 2},
      {"unschedulable.plugin", 2},
      {"load.workload", 2},
      {"csi.driver", 2},
      {"volume.controller", 2},
      {"plugin", 2},
  };
  return all;
}

const FindingText& TextOfFinding(std::string_view id) {
  if (const FindingText* text = FindById(FindingTexts(), id, &FindingText::id)) return *text;
  throw Error(ErrorKind::kFailed, "finding " + std::string(id) + " has no text in the glossary");
}

Explanation Explain(std::string_view word) {
  Explanation found;
  found.finding = FindById(FindingTexts(), word, &FindingText::id);
  if (found.finding != nullptr) {
    for (NextStep& step : NextStepsOf(*found.finding)) {
      found.next_steps.push_back(std::move(step.text));
    }
  }
  found.stage = FindById(StageTexts(), word.substr(0, word.find('/')), &StageText::id);
  found.metric = FindMetric(word);
  found.lint = FindById(LintChecks(), word, &LintCheck::id);
  found.topic = FindById(TopicTexts(), word, &TopicText::name);
  return found;
}

std::vector<std::string> ExplainedWords() {
  std::vector<std::string> words;
  for (const FindingText& row : FindingTexts()) words.push_back(row.id);
  for (const StageText& row : StageTexts()) words.push_back(row.id);
  for (const MetricText& row : MetricTexts()) words.push_back(row.name);
  for (const LintCheck& row : LintChecks()) words.push_back(row.id);
  for (const TopicText& row : TopicTexts()) words.push_back(row.name);
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

const std::vector<TopicText>& TopicTexts() {
  static const std::vector<TopicText> all = {
      {"quantile"},   {"interval"},   {"estimate"},        {"sampling-interval"},
      {"share"},      {"excess"},     {"tail_time_share"}, {"sufficient"},
      {"remainder"},  {"window"},     {"baseline"},        {"verdict"},
      {"confidence"}, {"decided"},    {"cross_check"},     {"whatif"},
      {"population"}, {"semantics"},  {"witness"},         {"extender"},
      {"impact"},     {"neighbours"}, {"changes"},         {"result"},
  };
  return all;
}

const std::vector<LintCheck>& LintChecks() {
  using enum LintSeverity;
  static const std::pair<LintSeverity, std::vector<std::string>> kInOrder[] = {
      {kError, {"syntax"}},
      {kNote, {"logql"}},
      {kError,
       {"empty-expression", "bad-duration", "bad-name", "bad-rule", "bad-field", "duplicate-group",
        "quantile-out-of-range", "missing-rate", "counter-without-rate", "rate-of-gauge",
        "delta-of-counter", "sum-before-rate", "divided-by-itself"}},
      {kNote, {"gauge-that-counts"}},
      {kWarning, {"counted-per-plugin", "quantile-of-means", "fires-on-standby"}},
      {kError, {"missing-le", "buckets-cut"}},
      {kWarning, {"irate-in-quantile", "le-without-point"}},
      {kError, {"no-buckets"}},
      {kWarning, {"bare-histogram"}},
      {kNote, {"native-histogram"}},
      {kError, {"averaged-quantiles"}},
      {kWarning, {"mixed-results", "short-window", "interval-in-rate", "threshold-inside-bucket"}},
      {kError, {"threshold-over-top", "metric-removed", "metric-hidden", "metric-too-new"}},
      {kNote, {"metric-may-be-gone"}},
      {kWarning, {"unknown-metric"}},
      {kNote, {"foreign-metric"}},
      {kError,
       {"absent-of-dead-metric", "count-of-nothing", "unknown-label", "unknown-label-value"}},
      {kWarning,
       {"other-target", "unknown-grouping", "short-for", "mixed-jobs", "cluster-dropped"}},
      {kNote, {"not-mended"}},
  };
  static const std::vector<LintCheck> all = [] {
    std::vector<LintCheck> checks;
    for (const auto& [severity, ids] : kInOrder) {
      for (const std::string& id : ids) {
        checks.push_back({id, severity, Message("lint.check." + id), Message("lint.why." + id)});
      }
    }
    return checks;
  }();
  return all;
}

const std::vector<StageText>& StageTexts() {
  static const std::vector<StageText> all = [] {
    std::vector<StageText> texts;
    for (const kube::StageRow& row : kube::kStageTable) {
      texts.push_back({std::string(row.id)});
      if (row.stage != kube::Stage::kBindRequest) continue;
      for (const char* id :
           {"bind.network", "apiserver", "apiserver.flowcontrol", "apiserver.webhook",
            "apiserver.admission", "apiserver.storage", "apiserver.rest"}) {
        texts.push_back({id});
      }
    }
    return texts;
  }();
  return all;
}

const std::vector<MetricText>& MetricTexts() {
  static const std::vector<MetricText> all = [] {
    std::vector<MetricText> texts;
    for (const kube::MetricRow& row : kube::MetricTable()) {
      texts.push_back({std::string(row.name), ReleasesText(row), {}, {}});
    }
    for (const std::string_view old : kInMicroseconds) {
      texts.push_back({std::string(old), "up to 1.16", {}, {}});
    }
    for (const kube::MetricRow& row : kube::ControlPlaneTable()) {
      if (row.id == kube::Metric::kCount) continue;  // only `lint` reads it
      texts.push_back({std::string(row.name), ReleasesText(row),
                       std::string(ToString(row.component)),
                       fmt::format("{}", fmt::join(row.eras.back().labels, ", "))});
    }
    return texts;
  }();
  return all;
}

const std::vector<StepQuestion>& StepQuestions() {
  static const std::vector<StepQuestion> all = {
      {"next_algorithm.cpu-starved.1", AskedOf::kWholeCluster, StepUnit::kRatio},
      {"next_algorithm.cpu-starved.2", AskedOf::kSchedulers, StepUnit::kCpuSeconds},
      {"next_algorithm.filter.2", AskedOf::kSchedulers, StepUnit::kRatio},
      {"next_algorithm.prefilter.3", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_apiserver.audit.2", AskedOf::kApiServers, StepUnit::kSeconds},
      {"next_apiserver.cpu.1", AskedOf::kApiServers, StepUnit::kPerSecond},
      {"next_apiserver.cpu.2", AskedOf::kApiServers, StepUnit::kCpuSeconds},
      {"next_apiserver.flowcontrol.1", AskedOf::kApiServers, StepUnit::kSeatSeconds,
       "priority_level"},
      {"next_attempts.error.2", AskedOf::kSchedulers, StepUnit::kPerSecond},
      {"next_attempts.error.3", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_attempts.unschedulable.2", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_bind.apiserver.1", AskedOf::kApiServers, StepUnit::kSeconds},
      {"next_bind.apiserver.2", AskedOf::kApiServers, StepUnit::kSeconds},
      {"next_bind.apiserver.3", AskedOf::kApiServers, StepUnit::kSeconds},
      {"next_bind.apiserver.4", AskedOf::kApiServers, StepUnit::kSeconds},
      {"next_bind.async-queue.3", AskedOf::kSchedulers, StepUnit::kPerSecond},
      {"next_bind.client-throttling.3", AskedOf::kSchedulers, StepUnit::kPerSecond},
      {"next_csi.driver.2", AskedOf::kWholeCluster, StepUnit::kPerSecond},
      {"next_data.mixed-layouts.1", AskedOf::kSchedulers, StepUnit::kPerSecond},
      {"next_etcd.disk.2", AskedOf::kWholeCluster, StepUnit::kSeconds},
      {"next_etcd.leader.2", AskedOf::kWholeCluster, StepUnit::kCount},
      {"next_etcd.peer.1", AskedOf::kWholeCluster, StepUnit::kSeconds},
      {"next_permit.wait.3", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_prebind.volume.2", AskedOf::kWholeCluster, StepUnit::kSeconds},
      {"next_preemption.2", AskedOf::kSchedulers, StepUnit::kPerSecond},
      {"next_quantile.forced-monotonic.1", AskedOf::kSchedulers, StepUnit::kPerSecond},
      {"next_queue.backlog.1", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_queue.flush.1", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_queue.flush.2", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_queue.flush.3", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_queue.gated.3", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_scheduler.down.3", AskedOf::kSchedulers, StepUnit::kCount},
      {"next_scheduler.no-leader.3", AskedOf::kSchedulers, StepUnit::kSeconds},
      {"next_scheduler.stuck.2", AskedOf::kWholeCluster, StepUnit::kRatio},
  };
  return all;
}

const StepQuestion* QuestionOf(const Message& step) {
  return FindById(StepQuestions(), QuestionName(step.id), &StepQuestion::name);
}

std::string UsualSelector(AskedOf of) {
  if (of == AskedOf::kWholeCluster) return "";
  return of == AskedOf::kSchedulers ? R"(job="kube-scheduler")" : R"(job=~".*apiserver.*")";
}

std::string StepSelector(AskedOf of, const std::string& cluster, const std::string& apiservers) {
  if (of == AskedOf::kWholeCluster) return cluster;
  if (!apiservers.empty()) return apiservers;
  return cluster.empty() ? UsualSelector(of) : cluster + "," + UsualSelector(of);
}

Message WithQuery(Message step, const std::string& query) {
  step.args = {{kQuery, arg::Promql(query)}};
  return step;
}

std::vector<NextStep> NextStepsOf(const FindingText& finding) {
  static const QuerySet queries = QuerySet::Embedded();
  std::vector<NextStep> steps;
  for (int i = 1; i <= finding.steps; ++i) {
    NextStep step{Message("finding." + finding.id + ".step." + std::to_string(i)), "", {}};
    if (const StepQuestion* question = QuestionOf(step.text)) {
      const std::string& first = queries.Get(question->name).statements.front();
      step.query = Substitute(first, UsualSelector(question->of), "5m");
      step.text = WithQuery(std::move(step.text), step.query);
    } else if (const StepCommand* command = CommandOf(step.text)) {
      step.text = WithCommand(std::move(step.text), UsualCommand(*command));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

Action ActionOf(const FindingText& finding, std::vector<Argument> known,
                const std::vector<NextStep>& steps) {
  const auto text = [&](const char* part) { return Message("finding." + finding.id + part, known); };
  Action action{text(".now"), text(".owner"), text(".later"), {}, ""};
  if (finding.shown_by == ShownBy::kCommand) action.command = text(".command");
  if (finding.shown_by != ShownBy::kQuery) return action;
  const auto asks = [](const NextStep& step) { return !step.query.empty(); };
  if (const auto step = std::ranges::find_if(steps, asks); step != steps.end()) {
    action.query = step->query;
  }
  return action;
}

const std::vector<StepCommand>& StepCommands() {
  static const std::vector<StepCommand> all = {
      {"finding.bind.client-throttling.step.4", "whatif --set client.qps=200",
       CommandNeeds::kInvestigation},
      {"finding.bind.extender.step.4", "whatif --set bind.extender=0",
       CommandNeeds::kInvestigation},
      {"finding.data.contradiction.step.3", "doctor", CommandNeeds::kSource},
      {"finding.data.missing.step.1", "doctor", CommandNeeds::kSource},
      {"finding.quantile.population.step.2", "compare", CommandNeeds::kTwoHistograms},
      {"finding.quantile.rate-extrapolation.step.3", "quantile", CommandNeeds::kHistogram},
      {"finding.quantile.saturated.step.2", "lint", CommandNeeds::kExpression},
      {"finding.quantile.threshold-inside-bucket.step.3", "lint", CommandNeeds::kExpression},
      {"gap.nothing", "doctor", CommandNeeds::kSource},
  };
  return all;
}

const StepCommand* CommandOf(const Message& text) {
  return FindById(StepCommands(), text.id, &StepCommand::step);
}

std::string UsualCommand(const StepCommand& command) {
  constexpr const char* kWords[] = {
      " --prometheus URL --start T --end T",                // kInvestigation
      " METRIC --prometheus URL --start T --end T",         // kHistogram
      " METRIC METRIC --prometheus URL --start T --end T",  // kTwoHistograms
      " --prometheus URL",                                  // kSource
      " RULES.yaml"};                                       // kExpression
  return fmt::format("schedlens {}{}", command.command, kWords[static_cast<int>(command.needs)]);
}

Message WithCommand(Message text, const std::string& command) {
  text.args = {{"command", command}};
  return text;
}

}  // namespace schedlens
