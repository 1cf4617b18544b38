#include "diagnose/control_plane/control_plane_facts.h"

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;

/// What the names of the questions about pods begin with. Their answers are the longest: they are
/// asked first, since what begins last ends last.
constexpr std::string_view kPods = "neighbour_pod";
/// A question about the state at the end, whose samples tell no scrape.
constexpr std::string_view kOwners = "pod_owners";

std::string_view ShortName(const Question& question) {
  return std::string_view(question.name).substr(kControlPlanePrefix.size());
}

/// When each question is asked for.
struct Ranges {
  TimeRange facts, pods;
};

/// The first wording that a process answers counts, as for the scheduler's own questions.
void Ask(Source& source, std::vector<const Question*> questions, const std::string& selector,
         const Ranges& ranges, ControlPlaneFacts* facts) {
  std::vector<Query> queries;
  std::vector<const Question*> asked;
  std::stable_partition(questions.begin(), questions.end(),
                        [](const Question* question) { return question->name.starts_with(kPods); });
  for (const Question* question : questions) {
    const TimeRange& range = question->name.starts_with(kPods) ? ranges.pods : ranges.facts;
    const std::string window = FormatDuration(range.end - range.start);
    for (const std::string& statement : question->statements) {
      queries.push_back({Substitute(statement, selector, window), range.end, range.end, 0});
      asked.push_back(question);
    }
  }
  std::vector<Answer> answers = source.AskAll(queries);
  std::map<std::string_view, std::set<Labels>> answered;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Answer answer = std::move(answers[i]);  // gone when its series are kept
    facts->queries.push_back(
        {asked[i]->name, queries[i].promql, queries[i].end, answer.series.size()});
    AddNotes(answer, &facts->warnings);
    const std::string_view name = ShortName(*asked[i]);
    std::set<Labels> here;
    std::vector<Series>& kept = facts->answers[std::string(name)];
    kept.reserve(kept.size() + answer.series.size());
    for (Series& series : answer.series) {
      // One process has most series of an answer, one after the other.
      if (kept.empty() || here.empty() || !OfOneProcess(series.labels, kept.back().labels)) {
        const Labels process = ProcessLabels(series.labels);
        if (answered[name].contains(process)) continue;
        here.insert(process);
      }
      kept.push_back(std::move(series));
    }
    answered[name].merge(here);
  }
}

void NoteScrapes(ControlPlaneFacts* facts) {
  for (const auto& [question, answer] : facts->answers) {
    if (question == kOwners) continue;
    const Series* last = nullptr;
    std::vector<TimeMs>* times = nullptr;
    for (const Series& series : answer) {
      if (last == nullptr || !OfOneProcess(series.labels, last->labels)) {
        times = &facts->scrapes[ProcessLabels(series.labels)];
      }
      MergeTimes(series.samples, times);
      last = &series;
    }
  }
}

/// Cluster, namespace, name, as they stand in the answers.
using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

struct Owner {
  std::string_view kind, name;
};
using Owners = std::map<Key, Owner>;

Key KeyOf(const Labels& labels, std::string_view name) {
  return {labels.Get("cluster"), ObjectLabel(labels, "namespace"), ObjectLabel(labels, name)};
}

/// Of several owners the one that controls it.
void NoteOwner(const Labels& labels, std::string_view name, Owners* owners) {
  Owner owner{ObjectLabel(labels, "owner_kind"), ObjectLabel(labels, "owner_name")};
  if (owner.kind == "<none>") owner = {};
  const std::size_t before = owners->size();
  const auto at = owners->try_emplace(owners->end(), KeyOf(labels, name), owner);
  if (owners->size() == before && ObjectLabel(labels, "owner_is_controller") == "true")
    at->second = owner;
}

/// The pods that had one name, by their creation.
using Namesakes = std::map<double, SeenPod>;

struct Seen {
  std::map<Key, Namesakes> pods;
  Owners pod_owners, replicaset_owners, job_owners;
};

void NoteCreated(const Series& series, Namesakes* pods) {
  for (const Sample& sample : series.samples) {
    SeenPod& pod = (*pods)[sample.v];
    pod.created = sample.v;
    pod.last_seen = std::max(pod.last_seen, sample.t);
  }
}

/// The latest pod of the name that was there by then: when it was scheduled, or seen rejected.
void NoteState(const Series& series, Namesakes* pods) {
  const bool rejected =
      series.labels.Get(kMetricName) == NameOf(Metric::kKubePodStatusUnschedulable);
  for (const Sample& sample : series.samples) {
    const auto after = pods->upper_bound(rejected ? MsToSeconds(sample.t) : sample.v);
    if (after == pods->begin()) continue;
    SeenPod& pod = std::prev(after)->second;
    if (!rejected) pod.scheduled = sample.v;
    if (rejected && sample.v > 0) pod.rejected.push_back(sample.t);
  }
}

void Note(const Series& series, Seen* seen, std::vector<const Series*>* states) {
  const std::string_view metric = series.labels.Get(kMetricName);
  if (metric == NameOf(Metric::kKubePodCreated)) {
    NoteCreated(series,
                &seen->pods.try_emplace(seen->pods.end(), KeyOf(series.labels, "pod"))->second);
  } else if (metric == NameOf(Metric::kKubePodStatusScheduledTime) ||
             metric == NameOf(Metric::kKubePodStatusUnschedulable)) {
    states->push_back(&series);
  } else if (metric == NameOf(Metric::kKubePodOwner)) {
    NoteOwner(series.labels, "pod", &seen->pod_owners);
  } else if (metric == NameOf(Metric::kKubeReplicasetOwner)) {
    NoteOwner(series.labels, "replicaset", &seen->replicaset_owners);
  } else if (metric == NameOf(Metric::kKubeJobOwner)) {
    NoteOwner(series.labels, "job_name", &seen->job_owners);
  }
}

Seen Read(const ControlPlaneFacts& facts) {
  Seen seen;
  std::vector<const Series*> states;
  for (const char* question : {"pods", "pod_owners"}) {
    for (const Series& series : facts.Of(question)) Note(series, &seen, &states);
  }
  auto next = seen.pods.begin();  // behind the last one found: answers mostly have one order
  for (const Series* series : states) {
    const Key key = KeyOf(series->labels, "pod");
    const bool is_next = next != seen.pods.end() && next->first == key;
    const auto pods = is_next ? next : seen.pods.find(key);
    if (pods == seen.pods.end()) continue;
    NoteState(*series, &pods->second);
    next = std::next(pods);
  }
  return seen;
}

/// `owner` is null where it is not known.
WorkloadKey WorkloadOf(const Seen& seen, const Key& pod, const Owner* owner) {
  WorkloadKey workload{std::string(std::get<1>(pod)), "", ""};
  if (owner == nullptr) return workload;
  if (owner->kind.empty()) {
    workload.kind = "Pod";
    return workload;
  }
  workload.kind = owner->kind;
  workload.name = owner->name;
  const Owners* above = workload.kind == "ReplicaSet" ? &seen.replicaset_owners
                        : workload.kind == "Job"      ? &seen.job_owners
                                                      : nullptr;
  if (above == nullptr) return workload;
  const auto of = above->find({std::get<0>(pod), workload.name_space, workload.name});
  if (of == above->end() || of->second.kind.empty()) return workload;
  workload.kind = of->second.kind;
  workload.name = of->second.name;
  return workload;
}

std::vector<SeenPod> ReadPods(const ControlPlaneFacts& facts) {
  const Seen seen = Read(facts);
  std::vector<SeenPod> all;
  all.reserve(seen.pods.size());
  auto owner = seen.pod_owners.begin();  // both are in the order of their keys
  const auto end = seen.pod_owners.end();
  for (const auto& [key, namesakes] : seen.pods) {
    while (owner != end && owner->first < key) ++owner;
    const bool known = owner != end && owner->first == key;
    const WorkloadKey workload = WorkloadOf(seen, key, known ? &owner->second : nullptr);
    for (const auto& [created, pod] : namesakes) {
      all.push_back(pod);
      all.back().workload = workload;
      all.back().name = std::get<2>(key);
      std::ranges::sort(all.back().rejected);  // of several processes
    }
  }
  return all;
}

}  // namespace

const std::vector<TimeMs>* ControlPlaneFacts::ScrapesOf(const Labels& series) const {
  const auto at = scrapes.find(ProcessLabels(series));
  return at == scrapes.end() ? nullptr : &at->second;
}

bool OfOneProcess(const Labels& a, const Labels& b) {
  constexpr std::string_view kNames[] = {"instance", "job", "cluster"};
  return std::ranges::all_of(kNames,
                             [&](std::string_view name) { return a.Get(name) == b.Get(name); });
}

Labels ProcessLabels(const Labels& labels) { return labels.Only({"cluster", "job", "instance"}); }

std::string ClusterSelector(const Facts& facts) {
  std::set<std::string> clusters;
  for (const Target& target : facts.targets) clusters.emplace(target.id.Get("cluster"));
  if (clusters.size() != 1 || clusters.begin()->empty()) return "";
  return "cluster=" + QuotePromql(*clusters.begin());
}

ControlPlaneFacts CollectControlPlane(Source& source, const QuerySet& queries, const Facts& facts,
                                      const TimeRange& pods) {
  ControlPlaneFacts found;
  if (facts.targets.empty()) return found;
  std::vector<const Question*> first, second;
  for (const Question& question : queries.questions()) {
    if (!IsOfControlPlane(question)) continue;
    (question.name == kControlPlaneProcesses ? second : first).push_back(&question);
  }
  found.cluster = ClusterSelector(facts);
  Ask(source, first, found.cluster, {facts.fetched, pods}, &found);
  const auto is_empty = [](const auto& answer) { return answer.second.empty(); };
  // Only the scheduler's job may say its cluster.
  if (!found.cluster.empty() && std::ranges::all_of(found.answers, is_empty)) {
    found.cluster = R"(cluster="")";
    Ask(source, first, found.cluster, {facts.fetched, pods}, &found);
  }
  std::vector<Labels> apiservers;
  for (const Series& series : found.Of("bindings")) {
    apiservers.push_back(ProcessLabels(series.labels));
  }
  const std::string jobs = kube::JobMatcher(apiservers);
  if (!jobs.empty()) {
    found.apiservers = found.cluster.empty() ? jobs : found.cluster + "," + jobs;
    Ask(source, second, found.apiservers, {facts.fetched, pods}, &found);
  }
  NoteScrapes(&found);
  return found;
}

std::string_view ObjectLabel(const Labels& labels, std::string_view name) {
  constexpr std::string_view kExported = "exported_";
  std::string_view plain;
  for (const auto& [label, value] : labels) {
    if (label == name) plain = value;
    if (label.starts_with(kExported) && label.substr(kExported.size()) == name) return value;
  }
  return plain;
}

const std::vector<SeenPod>& PodsOf(const ControlPlaneFacts& facts) {
  if (!facts.pods) facts.pods = std::make_shared<const std::vector<SeenPod>>(ReadPods(facts));
  return *facts.pods;
}

TimeRange PodScrapes(const ControlPlaneFacts& facts, TimeMs until) {
  TimeRange range{0, -1};
  const Series* before = nullptr;
  for (const Series& series : facts.Of("pods")) {
    if (series.labels.Get(kMetricName) != NameOf(Metric::kKubePodCreated)) continue;
    if (before != nullptr && OfOneProcess(series.labels, before->labels)) continue;
    before = &series;
    const std::vector<TimeMs>* scrapes = facts.ScrapesOf(series.labels);
    if (scrapes == nullptr || scrapes->empty() || scrapes->front() > until) continue;
    const TimeMs first = scrapes->front(), last = *--std::ranges::upper_bound(*scrapes, until);
    range = range.end < range.start
                ? TimeRange{first, last}
                : TimeRange{std::min(range.start, first), std::max(range.end, last)};
  }
  return range;
}

double PodScrapeInterval(const ControlPlaneFacts& facts) {
  for (const Series& series : facts.Of("pods")) {
    const auto* scrapes = facts.ScrapesOf(series.labels);
    if (scrapes != nullptr) return MsToSeconds(ScrapeInterval(*scrapes));
  }
  return 0;
}

}  // namespace schedlens
