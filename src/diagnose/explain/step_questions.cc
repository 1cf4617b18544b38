#include "diagnose/explain/step_questions.h"

#include <algorithm>
#include <utility>

#include "base/source.h"
#include "diagnose/explain/glossary.h"

namespace schedlens {
namespace {

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

}  // namespace

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
  };
  return all;
}

const StepQuestion* QuestionOf(const Message& step) {
  const std::string name = QuestionName(step.id);
  const auto& all = StepQuestions();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const StepQuestion& q) { return q.name == name; });
  return it == all.end() ? nullptr : &*it;
}

std::string UsualSelector(AskedOf of) {
  switch (of) {
    case AskedOf::kSchedulers:
      return R"(job="kube-scheduler")";
    case AskedOf::kApiServers:
      return R"(job=~".*apiserver.*")";
    case AskedOf::kWholeCluster:
      return "";
  }
  return "";
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
  const auto& all = StepCommands();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const StepCommand& c) { return c.step == text.id; });
  return it == all.end() ? nullptr : &*it;
}

std::string UsualCommand(const StepCommand& command) {
  const std::string words = "schedlens " + std::string(command.command);
  switch (command.needs) {
    case CommandNeeds::kInvestigation:
      return words + " --prometheus URL --start T --end T";
    case CommandNeeds::kHistogram:
      return words + " METRIC --prometheus URL --start T --end T";
    case CommandNeeds::kTwoHistograms:
      return words + " METRIC METRIC --prometheus URL --start T --end T";
    case CommandNeeds::kSource:
      return words + " --prometheus URL";
    case CommandNeeds::kExpression:
      return words + " RULES.yaml";
  }
  return words;
}

Message WithCommand(Message text, const std::string& command) {
  text.args = {{"command", command}};
  return text;
}

}  // namespace schedlens
