#include "diagnose/doctor/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/series.h"
#include "base/text.h"
#include "diagnose/control_plane/neighbour_facts.h"
#include "diagnose/doctor/checks.h"
#include "diagnose/doctor/doctor.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Component;
using kube::Neighbour;

/// By its labels, not by its name alone, a metric is one of bindings.
constexpr std::string_view kBindingsQuestion = "bindings";
/// How many recording rules are named.
constexpr std::size_t kShownRules = 4;

/// The series that one question has now, by family.
struct Counted {
  std::string promql;
  std::map<std::string, std::vector<Labels>> families;
};

/// The series of a question's samples, counted at one moment. The release of a component is a label
/// of one of its series.
std::string CountOfSeries(std::string selector) {
  constexpr std::string_view kSamples = "[$window]";
  if (selector.ends_with(kSamples)) selector.resize(selector.size() - kSamples.size());
  return fmt::format("count by (__name__, cluster, job, instance, minor) ({})", selector);
}

std::string VolumesQuestion() {
  return fmt::format(
      "{{__name__=~\"{}|{}|{}\", $selector}}", CountOf(Neighbour::kCsiSidecarOperations),
      CountOf(Neighbour::kVolumeOperationTotal), NameOf(Neighbour::kNodeCollectorZoneSize));
}

/// What is there, by question.
class Presence {
 public:
  Presence(Source& source, const QuerySet& queries, const Facts& facts)
      : source_(source), at_(facts.fetched.end), window_(facts.fetched) {
    const std::string cluster = ClusterSelector(facts);
    std::vector<Question> first = {{std::string(kVolumesQuestion), {VolumesQuestion()}}};
    std::vector<Question> second;
    for (const Question& question : queries.questions()) {
      if (!IsOfNeighbours(question)) continue;
      const bool later = question.name == kNeighbourProcesses;
      Question asked = question;
      asked.name.erase(0, kNeighbourPrefix.size());
      (later ? second : first).push_back(std::move(asked));
    }
    Ask(first, cluster);
    const std::string jobs = kube::JobMatcher(ProcessesOf(Component::kApiServer));
    if (!jobs.empty()) Ask(second, cluster.empty() ? jobs : cluster + "," + jobs);
  }

  /// The processes that show something that only this component has.
  std::vector<Labels> ProcessesOf(Component component) const {
    std::set<Labels> processes;
    for (const auto& [question, counted] : questions_) {
      if (component == Component::kApiServer && !OfApiServersOnly(question)) continue;
      for (const auto& [family, series] : counted.families) {
        const kube::NeighbourRow* row = kube::FindNeighbour(family);
        if (row == nullptr || row->component != component) continue;
        for (const Labels& one : series) processes.insert(ProcessLabels(one));
      }
    }
    return {processes.begin(), processes.end()};
  }

  /// Also of a question that could not be asked: then nothing is known to be missing.
  bool Has(const NeighbourNeed& need) const {
    const auto counted = questions_.find(std::string(need.question));
    return counted == questions_.end() ||
           std::any_of(need.families.begin(), need.families.end(), [&](const std::string& family) {
             return counted->second.families.contains(family);
           });
  }

  std::string PromqlOf(std::string_view question) const {
    const auto counted = questions_.find(std::string(question));
    return counted == questions_.end() ? "" : counted->second.promql;
  }

  /// The minor release that the API servers tell, the oldest of several; nothing where none does.
  std::optional<int> ApiServerMinor() const {
    std::optional<int> oldest;
    const auto counted = questions_.find("processes");
    if (counted == questions_.end()) return oldest;
    for (const auto& [family, series] : counted->second.families) {
      for (const Labels& one : series) {
        const std::string_view text = one.Get("minor");  // "34", or "34+" of some vendors
        int minor = 0;
        std::from_chars(text.data(), text.data() + text.size(), minor);
        if (minor > 0 && (!oldest || minor < *oldest)) oldest = minor;
      }
    }
    return oldest;
  }

 private:
  /// Extension API servers have requests, admission and flow control too, but no pods and webhooks.
  static bool OfApiServersOnly(std::string_view question) {
    return question == kBindingsQuestion || question == "etcd_requests";
  }

  void Ask(const std::vector<Question>& questions, const std::string& selector) {
    std::vector<Query> queries;
    std::vector<Counted*> answered;
    const std::string window = FormatDuration(window_.end - window_.start);
    for (const Question& question : questions) {
      for (const std::string& statement : question.statements) {
        queries.push_back({Substitute(CountOfSeries(statement), selector, window), at_, at_, 0});
        answered.push_back(&questions_[question.name]);
        if (answered.back()->promql.empty()) answered.back()->promql = queries.back().promql;
      }
    }
    const std::vector<Answer> answers = source_.AskAll(queries);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].series.empty()) answered[i]->promql = queries[i].promql;
      for (const Series& series : answers[i].series) {
        answered[i]->families[FamilyOf(series.labels.Get(kMetricName))].push_back(series.labels);
      }
    }
  }

  Source& source_;
  TimeMs at_;
  TimeRange window_;
  std::map<std::string, Counted> questions_;
};

/// Names of recording rules over a component's metrics, a few of them.
struct Rules {
  std::string names;
  std::string promql;
};

std::string_view PrefixOf(Component component) {
  if (component == Component::kApiServer) return "apiserver_";
  return component == Component::kEtcd ? "etcd_" : "kube_";
}

Rules FindRules(Source& source, const Facts& facts, Component component) {
  const std::string_view prefix = PrefixOf(component);
  std::string statement = fmt::format(
      "count by (__name__) ({{__name__=~\"(.*:)?{0}[^:]*:.*|.*:{0}.*\", $selector}})", prefix);
  Rules rules{.names = {}, .promql = Substitute(statement, ClusterSelector(facts), "")};
  const TimeMs at = facts.fetched.end;
  const Answer answer = source.Ask({rules.promql, at, at, 0});
  std::set<std::string> names;
  for (const Series& series : answer.series) names.emplace(series.labels.Get(kMetricName));
  const auto end = std::next(names.begin(), std::min<long>(kShownRules, std::ssize(names)));
  rules.names =
      fmt::format("{}{}", fmt::join(names.begin(), end, ", "), end == names.end() ? "" : ", ...");
  return rules;
}

CheckUp Line(Component component, Health health, Message text, Message fix,
             const std::string& promql) {
  return {.health = health,
          .subject = std::string(ToString(component)),
          .text = std::move(text),
          .fix = std::move(fix),
          .evidence = Shown(promql)};
}

Message ComponentText(std::string_view id, Component component) {
  return Message(std::string(id), {{"component", std::string(ToString(component))}});
}

CheckUp NotThere(Source& source, const Facts& facts, const ComponentNeed& need,
                 const std::string& promql) {
  CheckUp check =
      Line(need.component, Health::kNote, ComponentText("doctor.neighbour.none", need.component),
           Message(std::string(need.fix)), promql);
  check.text.args.push_back({"cost", Message(std::string(need.cost))});
  if (need.component > Component::kKubeStateMetrics) return check;
  const Rules rules = FindRules(source, facts, need.component);
  if (rules.names.empty()) return check;
  check.text.id = "doctor.neighbour.rules";
  check.text.args.push_back({"names", rules.names});
  check.evidence = Shown(rules.promql);
  return check;
}

/// Why a metric of a component that is there may be absent.
CheckUp Lacking(const NeighbourNeed& need, const ReleaseRange& release, const std::string& jobs,
                const std::string& promql, AbsentMetric* absent) {
  const Value metric = arg::Metric(need.families.front());
  CheckUp check = Line(need.component, Health::kNote,
                       Message("doctor.neighbour.lacks", {{"metric", metric}}), {}, promql);
  check.text.args.push_back({"cost", Message(std::string(need.cost))});
  *absent = {need.families.front(), true};
  if (need.first > release.newest) {
    check.text.id = "doctor.neighbour.lacks.yet";
    check.text.args.push_back({"release", fmt::format("1.{}", need.first)});
  } else if (need.idle) {
    check.text.id = "doctor.neighbour.lacks.idle";
  } else {
    absent->expected = false;
    if (need.question == kBindingsQuestion) check.text.id = "doctor.neighbour.lacks.bindings";
    check.fix = Message("doctor.neighbour.keep", {{"metric", metric}, {"jobs", jobs}});
  }
  return check;
}

std::vector<std::string> JobsOf(const std::vector<Labels>& processes) {
  std::set<std::string> jobs;
  for (const Labels& process : processes) jobs.emplace(process.Get("job"));
  return {jobs.begin(), jobs.end()};
}

std::string QuestionOf(Component component) {
  for (const NeighbourNeed& need : NeighbourNeeds()) {
    if (need.component == component) return std::string(need.question);
  }
  return "";
}

std::string Name(kube::Neighbour metric) { return std::string(NameOf(metric)); }

}  // namespace

NeighbourCheckUp CheckNeighbours(Source& source, const QuerySet& queries, const Facts& facts,
                                 const ReleaseRange& release) {
  NeighbourCheckUp found;
  if (facts.targets.empty()) return found;
  const Presence presence(source, queries, facts);
  ReleaseRange own = release;
  if (const auto minor = presence.ApiServerMinor()) own = {*minor, *minor, {}};
  std::vector<Component> missing;
  for (const ComponentNeed& component : ComponentNeeds()) {
    const Component of = component.component;
    const std::vector<Labels> processes = presence.ProcessesOf(of);
    NeighbourFound seen{.component = std::string(ToString(of)),
                        .jobs = JobsOf(processes),
                        .instances = processes.size(),
                        .missing = {}};
    const std::string promql = presence.PromqlOf(QuestionOf(of));
    if (processes.empty()) {
      missing.push_back(of);
      found.checks.push_back(NotThere(source, facts, component, promql));
    } else {
      const std::string jobs = fmt::format("{}", fmt::join(seen.jobs, ", "));
      found.checks.push_back(
          Line(of, Health::kOk,
               Message("doctor.neighbour", {{"count", arg::Count(seen.instances)}, {"jobs", jobs}}),
               {}, promql));
      for (const NeighbourNeed& need : NeighbourNeeds()) {
        if (need.component != of || presence.Has(need)) continue;
        AbsentMetric absent;
        found.checks.push_back(Lacking(need, own, jobs, presence.PromqlOf(need.question), &absent));
        seen.missing.push_back(std::move(absent));
      }
    }
    found.seen.push_back(std::move(seen));
  }
  found.configurations = ScrapeConfigurations(missing);
  return found;
}

const std::vector<NeighbourNeed>& NeighbourNeeds() {
  using enum kube::Metric;
  static const std::vector<NeighbourNeed> all = {
      {Component::kApiServer,
       "bindings",
       {Name(kApiserverRequestDuration)},
       "doctor.cost.bindings"},
      {Component::kApiServer,
       "bindings",
       {Name(kApiserverRequestSliDuration), Name(kApiserverRequestSloDuration)},
       "doctor.cost.indicator",
       false,
       RowOf(kApiserverRequestSloDuration).first},
      {Component::kApiServer,
       "admission",
       {Name(kApiserverAdmissionWebhookAdmissionDuration)},
       "doctor.cost.webhooks",
       true},
      {Component::kApiServer, "etcd_requests", {Name(kEtcdRequestDuration)}, "doctor.cost.storage"},
      {Component::kApiServer,
       "flowcontrol",
       {Name(kApiserverFlowcontrolRequestWaitDuration)},
       "doctor.cost.flowcontrol",
       false,
       RowOf(kApiserverFlowcontrolRequestWaitDuration).first},
      {Component::kApiServer,
       "admission",
       {Name(kApiserverAdmissionStepAdmissionDuration)},
       "doctor.cost.admission"},
      {Component::kApiServer,
       "processes",
       {Name(kGoSchedLatencies)},
       "doctor.cost.cpu",
       false,
       RowOf(kGoSchedLatencies).first},
      {Component::kApiServer,
       "processes",
       {std::string(NameOf(kube::Metric::kRestRequest))},
       "doctor.cost.own_calls"},
      {Component::kEtcd, "etcd", {Name(kEtcdDiskWalFsyncDuration)}, "doctor.cost.fsync"},
      {Component::kEtcd, "etcd", {Name(kEtcdDiskBackendCommitDuration)}, "doctor.cost.commit"},
      {Component::kEtcd, "etcd", {Name(kEtcdServerLeaderChangesSeen)}, "doctor.cost.leader"},
      {Component::kEtcd, "etcd", {Name(kEtcdNetworkPeerRoundTripTime)}, "doctor.cost.peer", true},
      {Component::kKubeStateMetrics, "pods", {Name(kKubePodCreated)}, "doctor.cost.pods"},
      {Component::kKubeStateMetrics,
       "pods",
       {Name(kKubePodStatusScheduledTime)},
       "doctor.cost.scheduled_time"},
      {Component::kKubeStateMetrics, "pod_owners", {Name(kKubePodOwner)}, "doctor.cost.owners"},
      {Component::kKubeStateMetrics,
       "pod_owners",
       {Name(kKubeReplicasetOwner)},
       "doctor.cost.deployments",
       true},
      {Component::kKubeStateMetrics,
       "objects",
       {Name(kKubeDeploymentMetadataGeneration), Name(kKubeStatefulsetMetadataGeneration),
        Name(kKubeDaemonsetMetadataGeneration)},
       "doctor.cost.roll_outs",
       true},
      {Component::kKubeStateMetrics, "objects", {Name(kKubeNodeCreated)}, "doctor.cost.nodes"},
      {Component::kKubeStateMetrics,
       "objects",
       {Name(kKubeValidatingwebhookconfigurationMetadataResourceVersion),
        Name(kKubeMutatingwebhookconfigurationMetadataResourceVersion)},
       "doctor.cost.webhook_changes",
       true},
      {Component::kControllerManager,
       kVolumesQuestion,
       {Name(kVolumeOperationTotal)},
       "doctor.cost.volume_controller",
       true},
      {Component::kCsiSidecar,
       kVolumesQuestion,
       {Name(kCsiSidecarOperations)},
       "doctor.cost.csi",
       true},
  };
  return all;
}

const std::vector<ComponentNeed>& ComponentNeeds() {
  static const std::vector<ComponentNeed> all = {
      {Component::kApiServer, "doctor.cost.apiserver", "doctor.scrape.apiserver"},
      {Component::kEtcd, "doctor.cost.etcd", "doctor.scrape.etcd"},
      {Component::kKubeStateMetrics, "doctor.cost.objects", "doctor.scrape.objects"},
      {Component::kControllerManager, "doctor.cost.volume_controller",
       "doctor.scrape.volume_controller"},
      {Component::kCsiSidecar, "doctor.cost.csi", "doctor.scrape.csi"},
  };
  return all;
}

}  // namespace schedlens
