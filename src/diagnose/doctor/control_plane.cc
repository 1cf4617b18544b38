#include "diagnose/control_plane/control_plane_facts.h"
#include "diagnose/doctor/doctor.h"

namespace schedlens {
namespace {

using kube::Component;
using kube::Metric;

/// By its labels, not by its name alone, a metric is one of bindings.
constexpr std::string_view kBindingsQuestion = "bindings";
/// How many recording rules are named.
constexpr std::size_t kShownRules = 4;

/// What it says when a component that is there does not show a metric.
enum class Absence {
  kNoScrape,  ///< that it is dropped, or asked of another component
  kIdle,      ///< nothing: one without webhooks, without a second member, idle
  kTooOld,    ///< nothing of a release before the metric
};

struct Need {
  Component component;
  std::string_view question;  ///< of queries/, without its prefix
  const char* cost;           ///< the text of what is lost without it
  Absence absence;
  Metric family;                                          ///< its newest name
  Metric other = Metric::kCount, third = Metric::kCount;  ///< which answer as well, older last

  std::vector<Metric> families() const {
    std::vector<Metric> all = {family, other, third};
    std::erase(all, Metric::kCount);
    return all;
  }
};

/// What is asked of volumes, which no question of queries/ is about.
constexpr std::string_view kVolumesQuestion = "volumes";

/// By component, what costs most first.
const std::vector<Need>& Needs() {
  using enum kube::Metric;
  using enum Absence;
  constexpr Component kApi = Component::kApiServer, kObjects = Component::kKubeStateMetrics;
  constexpr Component kEtcd = Component::kEtcd;
  static const std::vector<Need> all = {
      {kApi, "bindings", "doctor.cost.bindings", kNoScrape, kApiserverRequestDuration},
      {kApi, "bindings", "doctor.cost.indicator", kTooOld, kApiserverRequestSliDuration,
       kApiserverRequestSloDuration},
      {kApi, "admission", "doctor.cost.webhooks", kIdle,
       kApiserverAdmissionWebhookAdmissionDuration},
      {kApi, "etcd_requests", "doctor.cost.storage", kNoScrape, kEtcdRequestDuration},
      {kApi, "flowcontrol", "doctor.cost.flowcontrol", kTooOld,
       kApiserverFlowcontrolRequestWaitDuration},
      {kApi, "admission", "doctor.cost.admission", kNoScrape,
       kApiserverAdmissionStepAdmissionDuration},
      {kApi, "processes", "doctor.cost.cpu", kTooOld, kGoSchedLatencies},
      {kApi, "processes", "doctor.cost.own_calls", kNoScrape, kRestRequest},
      {kEtcd, "etcd", "doctor.cost.fsync", kNoScrape, kEtcdDiskWalFsyncDuration},
      {kEtcd, "etcd", "doctor.cost.commit", kNoScrape, kEtcdDiskBackendCommitDuration},
      {kEtcd, "etcd", "doctor.cost.leader", kNoScrape, kEtcdServerLeaderChangesSeen},
      {kEtcd, "etcd", "doctor.cost.peer", kIdle, kEtcdNetworkPeerRoundTripTime},
      {kObjects, "pods", "doctor.cost.pods", kNoScrape, kKubePodCreated},
      {kObjects, "pods", "doctor.cost.scheduled_time", kNoScrape, kKubePodStatusScheduledTime},
      {kObjects, "pod_owners", "doctor.cost.owners", kNoScrape, kKubePodOwner},
      {kObjects, "pod_owners", "doctor.cost.deployments", kIdle, kKubeReplicasetOwner},
      {kObjects, "objects", "doctor.cost.roll_outs", kIdle, kKubeDeploymentMetadataGeneration,
       kKubeStatefulsetMetadataGeneration, kKubeDaemonsetMetadataGeneration},
      {kObjects, "objects", "doctor.cost.nodes", kNoScrape, kKubeNodeCreated},
      {kObjects, "objects", "doctor.cost.webhook_changes", kIdle,
       kKubeValidatingwebhookconfigurationMetadataResourceVersion,
       kKubeMutatingwebhookconfigurationMetadataResourceVersion},
      {Component::kControllerManager, kVolumesQuestion, "doctor.cost.kube-controller-manager",
       kIdle, kVolumeOperationTotal},
      {Component::kCsiSidecar, kVolumesQuestion, "doctor.cost.csi-sidecar", kIdle,
       kCsiSidecarOperations},
  };
  return all;
}

/// What is told of each, in this order: the texts are doctor.cost.NAME, what is lost without it,
/// and doctor.scrape.NAME, what to do.
constexpr Component kComponents[] = {Component::kApiServer, Component::kEtcd,
                                     Component::kKubeStateMetrics, Component::kControllerManager,
                                     Component::kCsiSidecar};

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
  return fmt::format("{{__name__=~\"{}|{}|{}\", $selector}}",
                     CountOf(Metric::kCsiSidecarOperations), CountOf(Metric::kVolumeOperationTotal),
                     NameOf(Metric::kNodeCollectorZoneSize));
}

class Presence {
 public:
  Presence(Source& source, const QuerySet& queries, const Facts& facts)
      : source_(source), at_(facts.fetched.end), window_(facts.fetched) {
    const std::string cluster = ClusterSelector(facts);
    std::vector<Question> first = {{std::string(kVolumesQuestion), {VolumesQuestion()}}};
    std::vector<Question> second;
    for (const Question& question : queries.questions()) {
      if (!IsOfControlPlane(question)) continue;
      const bool later = question.name == kControlPlaneProcesses;
      Question asked = question;
      asked.name.erase(0, kControlPlanePrefix.size());
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
        const kube::MetricRow* row = kube::FindControlPlaneMetric(family);
        if (row == nullptr || row->component != component) continue;
        for (const Labels& one : series) processes.insert(ProcessLabels(one));
      }
    }
    return {processes.begin(), processes.end()};
  }

  /// Also of a question that could not be asked: then nothing is known to be missing.
  bool Has(const Need& need) const {
    const auto counted = questions_.find(std::string(need.question));
    return counted == questions_.end() || std::ranges::any_of(need.families(), [&](Metric family) {
             return counted->second.families.contains(std::string(NameOf(family)));
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

/// With the recording rules over the component's metrics, where there are any.
CheckUp NotThere(Source& source, const Facts& facts, Component component,
                 const std::string& promql) {
  const std::string name(ToString(component));
  CheckUp check{Health::kNote, name,
                Message("doctor.neighbour.none",
                        {{"component", name}, {"cost", Message("doctor.cost." + name)}}),
                Message("doctor.scrape." + name), Shown(promql)};
  if (component > Component::kKubeStateMetrics) return check;
  const std::string_view prefix = component == Component::kApiServer ? "apiserver_"
                                  : component == Component::kEtcd    ? "etcd_"
                                                                     : "kube_";
  const std::string statement = fmt::format(
      "count by (__name__) ({{__name__=~\"(.*:)?{0}[^:]*:.*|.*:{0}.*\", $selector}})", prefix);
  const std::string rules = Substitute(statement, ClusterSelector(facts), "");
  const TimeMs at = facts.fetched.end;
  std::set<std::string> names;
  for (const Series& series : source.Ask({rules, at, at, 0}).series) {
    names.emplace(series.labels.Get(kMetricName));
  }
  if (names.empty()) return check;
  check.text.id = "doctor.neighbour.rules";
  check.text.args.push_back({"names", FirstNames({names.begin(), names.end()}, kShownRules)});
  check.evidence = Shown(rules);
  return check;
}

/// Why a metric of a component that is there may be absent.
CheckUp Lacking(const Need& need, const ReleaseRange& release, const std::string& jobs,
                const std::string& promql, AbsentMetric* absent) {
  *absent = {std::string(NameOf(need.family)), true};
  const Value metric = arg::Metric(absent->metric);
  CheckUp check = CheckLine(
      Health::kNote, std::string(ToString(need.component)),
      Message("doctor.neighbour.lacks", {{"metric", metric}, {"cost", Message(need.cost)}}),
      Shown(promql));
  const int first = RowOf(need.families().back()).first;
  if (need.absence == Absence::kTooOld && first > release.newest) {
    check.text.id = "doctor.neighbour.lacks.yet";
    check.text.args.push_back({"release", fmt::format("1.{}", first)});
  } else if (need.absence == Absence::kIdle) {
    check.text.id = "doctor.neighbour.lacks.idle";
  } else {
    absent->expected = false;
    if (need.question == kBindingsQuestion) check.text.id = "doctor.neighbour.lacks.bindings";
    check.fix = Message("doctor.neighbour.keep", {{"metric", metric}, {"jobs", jobs}});
  }
  return check;
}

/// One component: an item of `scrape_configs`, and what the chart's values need, which for a
/// component that the chart does not know is the same item. Every line of both ends.
struct Job {
  std::string_view item, values;
};

/// Of the file of the component's name: its first line is a comment with the values.
Job JobOf(const std::string& component) {
  const auto text = std::ranges::find(ScrapeJobs(), component, &EmbeddedFile::name)->text;
  const std::size_t end = text.find('\n') + 1;
  return {text.substr(end), end > 2 ? text.substr(2, end - 2) : ""};
}

std::string Indented(std::string_view text, std::size_t by) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    out.append(by, ' ').append(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string Values(const std::vector<Job>& jobs) {
  std::string out, items;
  for (const Job& job : jobs) {
    out += job.values;
    if (job.values.empty()) items += Indented(job.item, 6);
  }
  if (items.empty()) return out;
  return out + "prometheus:\n  prometheusSpec:\n    additionalScrapeConfigs:\n" + items;
}

/// The collector replaces `$NAME` itself, and takes `$$` for a dollar.
std::string Collector(const std::vector<Job>& jobs) {
  std::string out = "receivers:\n  prometheus/neighbours:\n    config:\n      scrape_configs:\n";
  for (const Job& job : jobs) out += Indented(job.item, 8);
  for (std::size_t at = out.find('$'); at != std::string::npos; at = out.find('$', at + 2)) {
    out.insert(at, 1, '$');
  }
  return out +
         "service:\n  pipelines:\n    metrics/neighbours:\n"
         "      receivers: [prometheus/neighbours]\n"
         "      exporters: [prometheusremotewrite]  # the one of your other pipelines\n";
}

}  // namespace

ControlPlaneCheckUp CheckControlPlane(Source& source, const QuerySet& queries, const Facts& facts,
                                      const ReleaseRange& release) {
  ControlPlaneCheckUp found;
  if (facts.targets.empty()) return found;
  const Presence presence(source, queries, facts);
  ReleaseRange own = release;
  if (const auto minor = presence.ApiServerMinor()) own = {*minor, *minor, {}};
  std::vector<Component> missing;
  for (const Component of : kComponents) {
    const std::vector<Labels> processes = presence.ProcessesOf(of);
    std::set<std::string> own_jobs;
    for (const Labels& process : processes) own_jobs.emplace(process.Get("job"));
    ComponentFound seen{.component = std::string(ToString(of)),
                        .jobs = {own_jobs.begin(), own_jobs.end()},
                        .instances = processes.size(),
                        .missing = {}};
    const auto first = std::ranges::find(Needs(), of, &Need::component);
    const std::string promql = presence.PromqlOf(first->question);
    if (processes.empty()) {
      missing.push_back(of);
      found.checks.push_back(NotThere(source, facts, of, promql));
    } else {
      const std::string jobs = fmt::format("{}", fmt::join(seen.jobs, ", "));
      found.checks.push_back(CheckLine(
          Health::kOk, seen.component,
          Message("doctor.neighbour", {{"count", arg::Count(seen.instances)}, {"jobs", jobs}}),
          Shown(promql)));
      for (const Need& need : Needs()) {
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

std::vector<ScrapeConfiguration> ScrapeConfigurations(const std::vector<Component>& components) {
  std::vector<Job> jobs;
  std::vector<std::string> names;
  std::string prometheus = "scrape_configs:\n";
  for (const Component one : kComponents) {
    if (std::ranges::find(components, one) == components.end()) continue;
    names.emplace_back(ToString(one));
    jobs.push_back(JobOf(names.back()));
    prometheus += Indented(jobs.back().item, 2);
  }
  if (jobs.empty()) return {};
  return {{"prometheus", names, prometheus},
          {"kube-prometheus-stack", names, Values(jobs)},
          {"opentelemetry-collector", names, Collector(jobs)}};
}

}  // namespace schedlens
