#include "diagnose/control_plane/cluster_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "diagnose/control_plane/pods.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;
using kube::Neighbour;

/// What the value of a metric tells.
enum class Tells {
  kCreation,  ///< when the object was created; the series ends with the object
  kVersion,   ///< which state it is in: any other value is a change
  kState,     ///< 1 or 0
};

/// One metric of objects. Messages that are null tell nothing.
struct Row {
  Neighbour metric;
  std::string_view kind, label;
  Tells tells;
  const char* up;              ///< it appeared, changed, or became 1
  const char* down = nullptr;  ///< it went, or became 0
};

const std::vector<Row>& Rows() {
  using enum kube::Metric;
  constexpr const char* kSpec = "change.spec";
  constexpr const char* kNewHook = "change.webhook.created";
  constexpr const char* kHookGone = "change.webhook.removed";
  constexpr const char* kHook = "change.webhook.changed";
  constexpr const char* kPolicy = "change.policy.created";
  constexpr const char* kNoPolicy = "change.policy.removed";
  constexpr std::string_view kValidating = "validatingwebhookconfiguration";
  constexpr std::string_view kMutating = "mutatingwebhookconfiguration";
  static const std::vector<Row> rows = {
      {kKubeDeploymentMetadataGeneration, "Deployment", "deployment", Tells::kVersion, kSpec},
      {kKubeStatefulsetMetadataGeneration, "StatefulSet", "statefulset", Tells::kVersion, kSpec},
      {kKubeDaemonsetMetadataGeneration, "DaemonSet", "daemonset", Tells::kVersion, kSpec},
      {kKubeReplicasetCreated, "ReplicaSet", "replicaset", Tells::kCreation,
       "change.replicaset.created"},
      {kKubeNodeCreated, "", "node", Tells::kCreation, "change.node.added", "change.node.removed"},
      {kKubeNodeSpecUnschedulable, "", "node", Tells::kState, "change.node.cordoned",
       "change.node.uncordoned"},
      {kKubeNodeStatusCondition, "", "node", Tells::kState, "change.node.ready",
       "change.node.not_ready"},
      {kKubeValidatingwebhookconfigurationCreated, "ValidatingWebhookConfiguration", kValidating,
       Tells::kCreation, kNewHook, kHookGone},
      {kKubeMutatingwebhookconfigurationCreated, "MutatingWebhookConfiguration", kMutating,
       Tells::kCreation, kNewHook, kHookGone},
      {kKubeValidatingwebhookconfigurationMetadataResourceVersion, "ValidatingWebhookConfiguration",
       kValidating, Tells::kVersion, kHook},
      {kKubeMutatingwebhookconfigurationMetadataResourceVersion, "MutatingWebhookConfiguration",
       kMutating, Tells::kVersion, kHook},
      {kKubeValidatingadmissionpolicyCreated, "ValidatingAdmissionPolicy",
       "validatingadmissionpolicy", Tells::kCreation, kPolicy, kNoPolicy},
      {kKubeValidatingadmissionpolicybindingCreated, "ValidatingAdmissionPolicyBinding",
       "validatingadmissionpolicybinding", Tells::kCreation, kPolicy, kNoPolicy},
      {kKubeMutatingadmissionpolicyCreated, "MutatingAdmissionPolicy", "mutatingadmissionpolicy",
       Tells::kCreation, kPolicy, kNoPolicy},
      {kKubeMutatingadmissionpolicybindingCreated, "MutatingAdmissionPolicyBinding",
       "mutatingadmissionpolicybinding", Tells::kCreation, kPolicy, kNoPolicy},
  };
  return rows;
}

const Row* RowFor(const Labels& labels) {
  const std::string_view name = labels.Get(kMetricName);
  const auto row = std::find_if(Rows().begin(), Rows().end(),
                                [&](const Row& one) { return NameOf(one.metric) == name; });
  return row == Rows().end() ? nullptr : &*row;
}

std::string ObjectOf(const Row& row, const Labels& labels) {
  std::string object(row.kind);
  if (!object.empty()) object += " ";
  // Only workloads live in namespaces: of others it is where kube-state-metrics runs.
  if (row.tells == Tells::kVersion || row.metric == Neighbour::kKubeReplicasetCreated) {
    const std::string_view name_space = ObjectLabel(labels, "namespace");
    const bool workload = row.kind.find("Webhook") == std::string_view::npos;
    if (workload && !name_space.empty()) object.append(name_space).append("/");
  }
  return object.append(ObjectLabel(labels, row.label));
}

/// One object's series, and the scrapes of who shows it.
class Watched {
 public:
  Watched(const Row& row, const Series& series, const std::vector<TimeMs>& scrapes, ChangeLog* log)
      : row_(row),
        series_(series),
        scrapes_(scrapes),
        interval_(ScrapeInterval(scrapes)),
        log_(log) {}

  void NoteAll() {
    if (series_.samples.empty()) return;
    if (row_.tells == Tells::kCreation) {
      NoteCreation();
      NoteRemoval();
      return;
    }
    const Sample* before = nullptr;
    for (const Sample& after : series_.samples) {
      if (!std::isfinite(after.v)) continue;
      if (before != nullptr && before->v != after.v) NoteChange(*before, after);
      before = &after;
    }
  }

 private:
  ClusterChange Between(const char* what, TimeMs earliest, TimeMs latest) const {
    ClusterChange change;
    change.what = Message(what);
    change.object = ObjectOf(row_, series_.labels);
    change.earliest = earliest;
    change.latest = latest;
    change.source = NameOf(row_.metric);
    return change;
  }

  void Note(const char* what, TimeMs earliest, TimeMs latest) {
    if (what != nullptr) log_->Note(Between(what, earliest, latest), interval_);
  }

  void NoteChange(const Sample& before, const Sample& after) {
    if (row_.tells != Tells::kVersion) {
      return Note(after.v > before.v ? row_.up : row_.down, before.t, after.t);
    }
    ClusterChange change = Between(row_.up, before.t, after.t);
    change.before = FormatNumber(before.v);
    change.after = FormatNumber(after.v);
    log_->Note(std::move(change), interval_);
  }

  /// An older object that appears was hidden until then, by what is scraped or shown.
  void NoteCreation() {
    const TimeMs seen = series_.samples.front().t;
    if (row_.up == nullptr || seen <= scrapes_.front()) return;
    const TimeMs before = *std::prev(std::lower_bound(scrapes_.begin(), scrapes_.end(), seen));
    const auto created = TimeOfSeconds(series_.samples.front().v);
    constexpr TimeMs kSecond = 1000;
    if (!created || *created + kSecond <= before - interval_ || *created > seen) return;
    ClusterChange change = Between(row_.up, *created, *created + kSecond);
    change.at = *created;
    log_->Note(std::move(change), interval_);
  }

  /// Gone for two scrapes at least.
  void NoteRemoval() {
    const TimeMs last = series_.samples.back().t;
    const auto next = std::upper_bound(scrapes_.begin(), scrapes_.end(), last);
    if (row_.down == nullptr || scrapes_.end() - next < 2) return;
    Note(row_.down, last, *next);
  }

  const Row& row_;
  const Series& series_;
  const std::vector<TimeMs>& scrapes_;
  TimeMs interval_;
  ChangeLog* log_;
};

using Scrapes = std::map<Labels, std::vector<TimeMs>>;

constexpr const char* kRestarted = "change.process.restarted";

ClusterChange ChangeBetween(const char* what, std::string object, TimeMs earliest, TimeMs latest,
                            std::string_view source) {
  ClusterChange change;
  change.what = Message(what);
  change.object = std::move(object);
  change.earliest = earliest;
  change.latest = latest;
  change.source = source;
  return change;
}

TimeMs IntervalOf(const Series& series) {
  std::vector<TimeMs> times;
  for (const Sample& sample : series.samples) times.push_back(sample.t);
  return ScrapeInterval(times);
}

/// Process starts are told to the hundredth of a second.
ClusterChange StartedAt(std::string object, TimeMs at) {
  return ChangeBetween(kRestarted, std::move(object), at, at, NameOf(Metric::kProcessStart));
}

void NoteSchedulers(const Facts& facts, ChangeLog* log) {
  for (const Target& target : facts.targets) {
    for (const TimeMs at : target.restarts()) {
      log->Note(StartedAt(target.id.ToString(), at), ScrapeInterval(target.scrapes));
    }
  }
  for (const Series& series : facts.Of("leader")) {
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& before = series.samples[i - 1];
      const Sample& after = series.samples[i];
      if (before.v > 0 || !(after.v > 0)) continue;
      log->Note(ChangeBetween("change.leader", NameLabels(series.labels).ToString(), before.t,
                              after.t, NameOf(Metric::kLeader)),
                IntervalOf(series));
    }
  }
}

void NoteStarts(const std::vector<Series>& processes, ChangeLog* log) {
  for (const Series& series : processes) {
    if (series.labels.Get(kMetricName) != NameOf(Metric::kProcessStart)) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const auto start = TimeOfSeconds(series.samples[i].v);
      if (!start || !(series.samples[i].v > series.samples[i - 1].v)) continue;
      log->Note(StartedAt(ProcessLabels(series.labels).ToString(), *start), IntervalOf(series));
    }
  }
}

/// Another release is another series, that begins after the first has ended.
void NoteReleases(const std::vector<Series>& processes, ChangeLog* log) {
  std::map<Labels, const Series*> versions;  // by process, the release that was seen last
  for (const Series& series : processes) {
    const std::string_view metric = series.labels.Get(kMetricName);
    if (series.samples.empty() || metric != NameOf(Metric::kBuildInfo)) continue;
    const Labels process = ProcessLabels(series.labels);
    const auto [at, fresh] = versions.try_emplace(process, &series);
    if (fresh) continue;
    const Series* older = at->second;
    const Series* newer = &series;
    if (newer->samples.front().t < older->samples.front().t) std::swap(older, newer);
    at->second = newer;
    const TimeMs until = older->samples.back().t, from = newer->samples.front().t;
    if (until >= from || older->labels.Get("git_version") == newer->labels.Get("git_version"))
      continue;
    ClusterChange change = ChangeBetween("change.release", process.ToString(), until, from, metric);
    change.before = older->labels.Get("git_version");
    change.after = newer->labels.Get("git_version");
    log->Note(std::move(change), IntervalOf(*newer));
  }
}

/// A gate that is on where it was off, or the reverse; its stage may change with the release.
void NoteFeatureGates(const std::vector<Series>& processes, ChangeLog* log) {
  std::map<std::pair<Labels, std::string>, std::map<TimeMs, double>> gates;
  const std::string_view metric = NameOf(Neighbour::kKubernetesFeatureEnabled);
  for (const Series& series : processes) {
    if (series.labels.Get(kMetricName) != metric) continue;
    auto& gate = gates[{ProcessLabels(series.labels), std::string(series.labels.Get("name"))}];
    for (const Sample& sample : series.samples) gate[sample.t] = sample.v;
  }
  for (const auto& [gate, values] : gates) {
    for (auto after = values.begin(), before = after; after != values.end(); before = after++) {
      if (after->second == before->second) continue;
      ClusterChange change =
          ChangeBetween("change.feature", gate.second, before->first, after->first, metric);
      change.before = FormatNumber(before->second);
      change.after = FormatNumber(after->second);
      log->Note(std::move(change), after->first - before->first);
    }
  }
}

/// A counter that fell is a process that started again; its own start is in no metric asked for.
void NoteEtcd(const NeighbourFacts& facts, ChangeLog* log) {
  const std::string fsyncs = CountOf(Neighbour::kEtcdDiskWalFsyncDuration);
  for (const Series& series : facts.Of("etcd")) {
    const std::string_view metric = series.labels.Get(kMetricName);
    const bool leaders = metric == NameOf(Neighbour::kEtcdServerLeaderChangesSeen);
    if (!leaders && metric != fsyncs) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& before = series.samples[i - 1];
      const Sample& after = series.samples[i];
      if (leaders ? after.v <= before.v : after.v >= before.v) continue;
      const char* what = leaders ? "change.etcd.leader" : kRestarted;
      const std::string object = leaders ? "etcd" : ProcessLabels(series.labels).ToString();
      log->Note(ChangeBetween(what, object, before.t, after.t, metric), IntervalOf(series));
    }
  }
}

Scrapes AllScrapes(const Facts& facts, const NeighbourFacts& neighbours) {
  Scrapes all = neighbours.scrapes;
  for (const Target& target : facts.targets) {
    // Also a neighbour where one process is both.
    std::vector<TimeMs>& scrapes = all[ProcessLabels(target.id)];
    scrapes.insert(scrapes.end(), target.scrapes.begin(), target.scrapes.end());
    std::sort(scrapes.begin(), scrapes.end());
  }
  return all;
}

/// Three scrapes and more without one of this process, while others were scraped. One that comes
/// back misses them because it is busy: from the onset on that is a consequence.
void NoteTargetsGone(const Scrapes& all, ChangeLog* log) {
  constexpr TimeMs kMissed = 3;
  std::vector<std::pair<TimeMs, const Labels*>> order;  // all scrapes
  for (const auto& [process, scrapes] : all) {
    for (const TimeMs t : scrapes) order.emplace_back(t, &process);
  }
  std::sort(order.begin(), order.end());
  const TimeMs end = order.empty() ? 0 : order.back().first;
  for (const auto& [process, scrapes] : all) {
    const TimeMs interval = ScrapeInterval(scrapes);
    if (interval == 0) continue;
    for (std::size_t i = 0; i < scrapes.size(); ++i) {
      const TimeMs next = i + 1 < scrapes.size() ? scrapes[i + 1] : end;
      if (next - scrapes[i] <= kMissed * interval) continue;
      const bool back = i + 1 < scrapes.size();
      if (back && scrapes[i] >= log->onset()) continue;
      const TimeMs missed = scrapes[i] + 2 * interval;
      auto seen = std::upper_bound(order.begin(), order.end(), std::pair(missed, &process),
                                   [](const auto& a, const auto& b) { return a.first < b.first; });
      while (seen != order.end() && seen->second == &process) ++seen;
      const bool others = seen != order.end() && seen->first < next + interval;
      if (!others) continue;
      log->Note(ChangeBetween("change.target.gone", process.ToString(), scrapes[i],
                              scrapes[i] + interval, "up"),
                interval);
    }
  }
}

}  // namespace

void NoteObjectChanges(const NeighbourFacts& facts, ChangeLog* log) {
  for (const Series& series : facts.Of("objects")) {
    const Row* row = RowFor(series.labels);
    const auto scrapes = facts.scrapes.find(ProcessLabels(series.labels));
    if (row == nullptr || scrapes == facts.scrapes.end()) continue;
    Watched(*row, series, scrapes->second, log).NoteAll();
  }
}

void NoteProcessChanges(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log) {
  NoteSchedulers(facts, log);
  NoteStarts(neighbours.Of("processes"), log);
  for (const auto* processes : {&facts.Of("process"), &neighbours.Of("processes")}) {
    NoteReleases(*processes, log);
    NoteFeatureGates(*processes, log);
  }
  NoteEtcd(neighbours, log);
  NoteTargetsGone(AllScrapes(facts, neighbours), log);
}

}  // namespace schedlens
