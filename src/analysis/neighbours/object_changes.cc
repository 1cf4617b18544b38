#include "analysis/neighbours/object_changes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/neighbours/pods.h"
#include "kube/metrics.h"
#include "model/seconds.h"
#include "model/text.h"

namespace schedlens {
namespace {

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
  using enum Neighbour;
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

}  // namespace

void NoteObjectChanges(const NeighbourFacts& facts, ChangeLog* log) {
  for (const Series& series : facts.Of("objects")) {
    const Row* row = RowFor(series.labels);
    const auto scrapes = facts.scrapes.find(ProcessLabels(series.labels));
    if (row == nullptr || scrapes == facts.scrapes.end()) continue;
    Watched(*row, series, scrapes->second, log).NoteAll();
  }
}

}  // namespace schedlens
