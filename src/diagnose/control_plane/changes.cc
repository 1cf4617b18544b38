#include "diagnose/control_plane/changes.h"

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;

TimeMs SchedulerInterval(const Facts& facts) {
  TimeMs widest = 0;
  for (const Target& target : facts.targets) {
    widest = std::max(widest, ScrapeInterval(target.scrapes));
  }
  return widest;
}

/// How far from the onset a change may be to be told with it.
constexpr TimeMs kReach = 120'000;
constexpr TimeMs kReachScrapes = 3;
/// More objects that changed alike are one line.
constexpr std::size_t kEach = 3;
constexpr std::size_t kMost = 20;

bool Nearer(const ClusterChange& a, const ClusterChange& b) {
  if (a.after_onset != b.after_onset) return b.after_onset;
  return std::abs(a.distance_seconds) < std::abs(b.distance_seconds);
}

/// An object as changes call it: with its kind in front, if it has one.
bool Is(const std::string& changed, const std::string& name) {
  return !name.empty() && (changed == name || changed.ends_with(" " + name));
}

/// Whether what changed is a configuration that the webhook is written in.
bool IsConfigurationOf(const ControlPlaneFacts& facts, const std::string& webhook,
                       const std::string& changed) {
  return std::ranges::any_of(facts.Of("objects"), [&](const Series& series) {
    const Labels& labels = series.labels;
    const std::string_view metric = labels.Get(kMetricName);
    const bool validating =
        metric == NameOf(Metric::kKubeValidatingwebhookconfigurationWebhookClientconfigService);
    const bool mutating =
        metric == NameOf(Metric::kKubeMutatingwebhookconfigurationWebhookClientconfigService);
    if ((!validating && !mutating) || labels.Get("webhook_name") != webhook) return false;
    return Is(changed,
              std::string(ObjectLabel(labels, validating ? "validatingwebhookconfiguration"
                                                         : "mutatingwebhookconfiguration")));
  });
}

bool IsAbout(const ClusterChange& change, const CauseBehind& cause,
             const ControlPlaneFacts& facts) {
  if (cause.id == "etcd.leader") return change.what.id == "change.etcd.leader";
  if (Is(change.object, cause.object)) return true;
  return cause.id == "apiserver.webhook" && IsConfigurationOf(facts, cause.object, change.object);
}

Evidence Told(const ClusterChange& change) {
  const double s = change.distance_seconds;
  // Known to be before only where even the latest is; else the span that it lies in.
  const double latest = s + static_cast<double>(change.latest - change.at) / 1000;
  const double earliest = s + static_cast<double>(change.earliest - change.at) / 1000;
  const bool before = latest <= 0;
  const double distance = before ? -s : std::max(std::abs(earliest), latest);
  return {Message(before ? "evidence.behind.changed.before" : "evidence.behind.changed.after",
                  {{"what", change.what}, {"distance", arg::Duration(distance)}})};
}

using ByName = std::map<std::string, const Series*>;  ///< the series that was there first

constexpr double kPassedBy = 20;

void NoteEarliest(std::string name, const Series& series, ByName* first) {
  if (series.samples.empty() || name.empty()) return;
  const auto [at, fresh] = first->try_emplace(std::move(name), &series);
  if (!fresh && series.samples.front().t < at->second->samples.front().t) at->second = &series;
}

/// What counters had counted by then, since each one's first sample.
double CountedBy(const std::vector<Series>& counters, std::string_view suffix, TimeMs t) {
  double sum = 0;
  for (const Series& series : counters) {
    if (!series.labels.Get(kMetricName).ends_with(suffix)) continue;
    const auto after = std::ranges::partition_point(
        series.samples, [t](const Sample& sample) { return sample.t <= t; });
    if (after == series.samples.begin()) continue;
    sum += std::max(0.0, std::prev(after)->v - series.samples.front().v);
  }
  return sum;
}

/// What appeared between two scrapes of who shows it, after twenty of `passing` had passed by.
/// `scrapes_of` gives null for a series of nobody.
template <typename ScrapesOf>
void NoteFirst(const char* what, const ByName& first, const std::vector<Series>& passing,
               std::string_view suffix, const ScrapesOf& scrapes_of, ChangeLog* log) {
  for (const auto& [name, series] : first) {
    const std::vector<TimeMs>* scrapes = scrapes_of(*series);
    if (scrapes == nullptr) continue;
    const TimeMs seen = series->samples.front().t;
    const auto at = std::ranges::lower_bound(*scrapes, seen);
    if (at == scrapes->begin()) continue;
    const TimeMs before = *std::prev(at);
    if (CountedBy(passing, suffix, before) < kPassedBy) continue;
    log->Note(ChangeBetween(what, name, before, seen, series->labels.Get(kMetricName)),
              ScrapeInterval(*scrapes));
  }
}

// What was there for the first time: webhooks that no API server had called before, profiles that
// no scheduler had scheduled with. Only what was idle while twenty bindings, or attempts, passed
// by: what is merely seen late is no news.
void NoteWebhooks(const ControlPlaneFacts& facts, ChangeLog* log) {
  const std::string calls = CountOf(Metric::kApiserverAdmissionWebhookAdmissionDuration);
  ByName first;
  for (const Series& series : facts.Of("admission")) {
    if (series.labels.Get(kMetricName) != calls) continue;
    NoteEarliest(std::string(series.labels.Get("name")), series, &first);
  }
  const auto scrapes = [&](const Series& series) { return facts.ScrapesOf(series.labels); };
  NoteFirst("change.webhook.called", first, facts.Of("bindings"),
            CountOf(Metric::kApiserverRequestDuration), scrapes, log);
}

void NoteProfiles(const Facts& facts, ChangeLog* log) {
  ByName first;
  for (const Series& series : facts.Of("attempt")) {
    if (!series.labels.Get(kMetricName).ends_with("_count")) continue;
    NoteEarliest(std::string(series.labels.Get("profile")), series, &first);
  }
  const TargetIndex index(facts.targets);
  const auto scrapes = [&](const Series& series) {
    const auto target = index.Find(series.labels);
    return target ? &facts.targets[*target].scrapes : nullptr;
  };
  NoteFirst("change.profile.used", first, facts.Of("attempt"), "_count", scrapes, log);
}

/// What the value of a metric tells.
enum class Tells {
  kCreation,  ///< when the object was created; the series ends with the object
  kVersion,   ///< which state it is in: any other value is a change
  kState,     ///< 1 or 0
};

/// One metric of objects; a state has both messages.
struct Row {
  Metric metric;
  std::string_view kind;  ///< that its label is called by; empty: a node
  Tells tells;
  const char* up;              ///< it appeared, changed, or became 1
  const char* down = nullptr;  ///< it went (null tells nothing), or became 0
};

const std::vector<Row>& Rows() {
  using enum kube::Metric;
  constexpr const char* kSpec = "change.spec";
  constexpr const char* kNewHook = "change.webhook.created";
  constexpr const char* kHookGone = "change.webhook.removed";
  constexpr const char* kHook = "change.webhook.changed";
  constexpr const char* kPolicy = "change.policy.created";
  constexpr const char* kNoPolicy = "change.policy.removed";
  constexpr std::string_view kValidating = "ValidatingWebhookConfiguration";
  constexpr std::string_view kMutating = "MutatingWebhookConfiguration";
  static const std::vector<Row> rows = {
      {kKubeDeploymentMetadataGeneration, "Deployment", Tells::kVersion, kSpec},
      {kKubeStatefulsetMetadataGeneration, "StatefulSet", Tells::kVersion, kSpec},
      {kKubeDaemonsetMetadataGeneration, "DaemonSet", Tells::kVersion, kSpec},
      {kKubeReplicasetCreated, "ReplicaSet", Tells::kCreation, "change.replicaset.created"},
      {kKubeNodeCreated, "", Tells::kCreation, "change.node.added", "change.node.removed"},
      {kKubeNodeSpecUnschedulable, "", Tells::kState, "change.node.cordoned",
       "change.node.uncordoned"},
      {kKubeNodeStatusCondition, "", Tells::kState, "change.node.ready", "change.node.not_ready"},
      {kKubeValidatingwebhookconfigurationCreated, kValidating, Tells::kCreation, kNewHook,
       kHookGone},
      {kKubeMutatingwebhookconfigurationCreated, kMutating, Tells::kCreation, kNewHook, kHookGone},
      {kKubeValidatingwebhookconfigurationMetadataResourceVersion, kValidating, Tells::kVersion,
       kHook},
      {kKubeMutatingwebhookconfigurationMetadataResourceVersion, kMutating, Tells::kVersion, kHook},
      {kKubeValidatingadmissionpolicyCreated, "ValidatingAdmissionPolicy", Tells::kCreation,
       kPolicy, kNoPolicy},
      {kKubeValidatingadmissionpolicybindingCreated, "ValidatingAdmissionPolicyBinding",
       Tells::kCreation, kPolicy, kNoPolicy},
      {kKubeMutatingadmissionpolicyCreated, "MutatingAdmissionPolicy", Tells::kCreation, kPolicy,
       kNoPolicy},
      {kKubeMutatingadmissionpolicybindingCreated, "MutatingAdmissionPolicyBinding",
       Tells::kCreation, kPolicy, kNoPolicy},
  };
  return rows;
}

const Row* RowFor(const Labels& labels) {
  const std::string_view name = labels.Get(kMetricName);
  const auto row =
      std::ranges::find_if(Rows(), [&](const Row& one) { return NameOf(one.metric) == name; });
  return row == Rows().end() ? nullptr : &*row;
}

std::string ObjectOf(const Row& row, const Labels& labels) {
  std::string object(row.kind);
  if (!object.empty()) object += " ";
  // Only workloads live in namespaces: of others it is where kube-state-metrics runs.
  if (row.tells == Tells::kVersion || row.metric == Metric::kKubeReplicasetCreated) {
    const std::string_view name_space = ObjectLabel(labels, "namespace");
    const bool workload = row.kind.find("Webhook") == std::string_view::npos;
    if (workload && !name_space.empty()) object.append(name_space).append("/");
  }
  return object.append(ObjectLabel(labels, row.kind.empty() ? "node" : InSmallLetters(row.kind)));
}

constexpr TimeMs kSecond = 1000;

/// Nothing for what was there before. An older object that appears was hidden until then, by what
/// is scraped or shown.
std::optional<TimeMs> CreatedAt(const Series& series, const std::vector<TimeMs>& scrapes) {
  const TimeMs seen = series.samples.front().t;
  if (seen <= scrapes.front()) return std::nullopt;
  const TimeMs before = *std::prev(std::ranges::lower_bound(scrapes, seen));
  const auto created = TimeOfSeconds(series.samples.front().v);
  const TimeMs least = before - ScrapeInterval(scrapes);
  return created && *created + kSecond > least && *created <= seen ? created : std::nullopt;
}

/// One object's series. `scrapes`: of who shows it.
void NoteObject(const Row& row, const Series& series, const std::vector<TimeMs>& scrapes,
                ChangeLog* log) {
  if (series.samples.empty()) return;
  const TimeMs interval = ScrapeInterval(scrapes);
  const auto change = [&](const char* what, TimeMs earliest, TimeMs latest) {
    return ChangeBetween(what, ObjectOf(row, series.labels), earliest, latest, NameOf(row.metric));
  };
  if (row.tells == Tells::kCreation) {
    if (const auto created = CreatedAt(series, scrapes)) {
      ClusterChange one = change(row.up, *created, *created + kSecond);
      one.at = *created;
      log->Note(std::move(one), interval);
    }
    const TimeMs last = series.samples.back().t;
    const auto next = std::ranges::upper_bound(scrapes, last);
    const bool gone = scrapes.end() - next >= 2;  // a scrape may fail
    if (row.down != nullptr && gone) log->Note(change(row.down, last, *next), interval);
    return;
  }
  const Sample* last = nullptr;
  for (const Sample& after : series.samples) {
    if (!std::isfinite(after.v)) continue;
    const Sample* before = std::exchange(last, &after);
    if (before == nullptr || before->v == after.v) continue;
    const bool version = row.tells == Tells::kVersion;
    ClusterChange one =
        change(version || after.v > before->v ? row.up : row.down, before->t, after.t);
    if (version) {
      one.before = FormatNumber(before->v);
      one.after = FormatNumber(after.v);
    }
    log->Note(std::move(one), interval);
  }
}

/// What kube-state-metrics shows to have changed: workloads, nodes, webhooks, admission policies.
void NoteObjects(const ControlPlaneFacts& facts, ChangeLog* log) {
  for (const Series& series : facts.Of("objects")) {
    const Row* row = RowFor(series.labels);
    const std::vector<TimeMs>* scrapes = facts.ScrapesOf(series.labels);
    if (row != nullptr && scrapes != nullptr) NoteObject(*row, series, *scrapes, log);
  }
}

constexpr const char* kRestarted = "change.process.restarted";

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
                SampleInterval(series));
    }
  }
}

void NoteStarts(const std::vector<Series>& processes, ChangeLog* log) {
  for (const Series& series : processes) {
    if (series.labels.Get(kMetricName) != NameOf(Metric::kProcessStart)) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const auto start = TimeOfSeconds(series.samples[i].v);
      if (!start || !(series.samples[i].v > series.samples[i - 1].v)) continue;
      log->Note(StartedAt(ProcessLabels(series.labels).ToString(), *start), SampleInterval(series));
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
    log->Note(ChangeBetween("change.release", process.ToString(), until, from, metric,
                            std::string(older->labels.Get("git_version")),
                            std::string(newer->labels.Get("git_version"))),
              SampleInterval(*newer));
  }
}

/// A gate that is on where it was off, or the reverse; its stage may change with the release.
void NoteFeatureGates(const std::vector<Series>& processes, ChangeLog* log) {
  std::map<std::pair<Labels, std::string>, std::map<TimeMs, double>> gates;
  const std::string_view metric = NameOf(Metric::kKubernetesFeatureEnabled);
  for (const Series& series : processes) {
    if (series.labels.Get(kMetricName) != metric) continue;
    auto& gate = gates[{ProcessLabels(series.labels), std::string(series.labels.Get("name"))}];
    for (const Sample& sample : series.samples) gate[sample.t] = sample.v;
  }
  for (const auto& [gate, values] : gates) {
    for (auto after = values.begin(), before = after; after != values.end(); before = after++) {
      if (after->second == before->second) continue;
      log->Note(ChangeBetween("change.feature", gate.second, before->first, after->first, metric,
                              FormatNumber(before->second), FormatNumber(after->second)),
                after->first - before->first);
    }
  }
}

/// A counter that fell is a process that started again; its own start is in no metric asked for.
void NoteEtcd(const ControlPlaneFacts& facts, ChangeLog* log) {
  const std::string fsyncs = CountOf(Metric::kEtcdDiskWalFsyncDuration);
  for (const Series& series : facts.Of("etcd")) {
    const std::string_view metric = series.labels.Get(kMetricName);
    const bool leaders = metric == NameOf(Metric::kEtcdServerLeaderChangesSeen);
    if (!leaders && metric != fsyncs) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& before = series.samples[i - 1];
      const Sample& after = series.samples[i];
      if (leaders ? after.v <= before.v : after.v >= before.v) continue;
      const char* what = leaders ? "change.etcd.leader" : kRestarted;
      const std::string object = leaders ? "etcd" : ProcessLabels(series.labels).ToString();
      log->Note(ChangeBetween(what, object, before.t, after.t, metric), SampleInterval(series));
    }
  }
}

std::map<Labels, std::vector<TimeMs>> AllScrapes(const Facts& facts,
                                                 const ControlPlaneFacts& control_plane) {
  auto all = control_plane.scrapes;
  for (const Target& target : facts.targets) {
    // Also a component where one process is both.
    std::vector<TimeMs>& scrapes = all[ProcessLabels(target.id)];
    scrapes.insert(scrapes.end(), target.scrapes.begin(), target.scrapes.end());
    std::ranges::sort(scrapes);
  }
  return all;
}

/// Three scrapes and more without one of this process, while others were scraped. One that comes
/// back misses them because it is busy: from the onset on that is a consequence.
void NoteTargetsGone(const std::map<Labels, std::vector<TimeMs>>& all, ChangeLog* log) {
  constexpr TimeMs kMissed = 3;
  std::vector<std::pair<TimeMs, const Labels*>> order;  // all scrapes
  for (const auto& [process, scrapes] : all) {
    for (const TimeMs t : scrapes) order.emplace_back(t, &process);
  }
  std::ranges::sort(order);
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
      auto seen =
          std::ranges::upper_bound(order, std::pair(missed, &process),
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

std::vector<ClusterChange> FindChanges(const Facts& facts, const ControlPlaneFacts& control_plane,
                                       TimeMs onset, const std::optional<LoadWindows>& loads) {
  ChangeLog log(onset, SchedulerInterval(facts));
  NoteSchedulers(facts, &log);
  NoteStarts(control_plane.Of("processes"), &log);
  for (const auto* processes : {&facts.Of("process"), &control_plane.Of("processes")}) {
    NoteReleases(*processes, &log);
    NoteFeatureGates(*processes, &log);
  }
  NoteEtcd(control_plane, &log);
  NoteTargetsGone(AllScrapes(facts, control_plane), &log);
  NoteObjects(control_plane, &log);
  NoteWebhooks(control_plane, &log);
  NoteProfiles(facts, &log);
  std::vector<ClusterChange> changes = log.Changes();
  if (loads && loads->before.end <= onset + SchedulerInterval(facts)) {
    for (ClusterChange& change : FindLoadChanges(control_plane, *loads, onset)) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::vector<ClusterChange> FindChanges(const Facts& facts, const ControlPlaneFacts& control_plane,
                                       const WindowEvidence& evidence) {
  const TimeRange& window = evidence.now.breakdown.window;
  return FindChanges(facts, control_plane, window.start, LoadWindowsOf(evidence));
}

ClusterChange ChangeBetween(const char* what, std::string object, TimeMs earliest, TimeMs latest,
                            std::string_view source, std::string before, std::string after) {
  ClusterChange change;
  change.what = Message(what);
  change.object = std::move(object);
  change.earliest = earliest;
  change.latest = latest;
  change.before = std::move(before);
  change.after = std::move(after);
  change.source = source;
  return change;
}

void ChangeLog::Note(ClusterChange change, TimeMs interval) {
  const TimeMs reach = std::max(kReach, kReachScrapes * std::max(interval, interval_));
  if (change.latest < onset_ - interval_ - reach || change.earliest > onset_ + reach) return;
  change.after_onset = change.earliest > onset_ + interval_;
  if (change.at == 0) change.at = change.earliest + (change.latest - change.earliest) / 2;
  change.distance_seconds = static_cast<double>(change.at - onset_) / 1000;
  const auto same = std::ranges::find_if(changes_, [&](const ClusterChange& other) {
    return other.what == change.what && other.object == change.object &&
           other.after_onset == change.after_onset;
  });
  if (same == changes_.end()) {
    changes_.push_back(std::move(change));
  } else if (Nearer(change, *same)) {
    *same = std::move(change);
  }
}

std::vector<ClusterChange> ChangeLog::Changes() const {
  std::vector<ClusterChange> sorted = changes_;
  std::ranges::stable_sort(sorted, Nearer);
  using Kind = std::pair<std::string, bool>;
  const auto kind = [](const ClusterChange& one) { return Kind(one.what.id, one.after_onset); };
  std::map<Kind, std::size_t> alike;
  for (const ClusterChange& change : sorted) ++alike[kind(change)];
  std::vector<ClusterChange> out;
  for (ClusterChange& change : sorted) {
    std::size_t& left = alike[kind(change)];
    const std::size_t n = left;
    if (n == 0 || out.size() == kMost) continue;
    if (n > kEach) {
      change.count = static_cast<double>(n);
      left = 0;
    }
    out.push_back(std::move(change));
  }
  return out;
}

void SayWhatChanged(const std::vector<ClusterChange>& changes, const ControlPlaneFacts& facts,
                    std::vector<Finding>* findings) {
  for (Finding& finding : *findings) {
    for (CauseBehind& cause : finding.behind) {
      const auto change = std::ranges::find_if(changes, [&](const ClusterChange& one) {
        const bool timed = !one.after_onset && !one.what.id.starts_with("change.load");
        return timed && IsAbout(one, cause, facts);
      });
      if (change != changes.end()) cause.evidence.push_back(Told(*change));
    }
  }
}

}  // namespace schedlens
