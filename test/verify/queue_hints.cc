#include "verify/queue_hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "schedlens/error.h"

namespace schedlens::verify {
namespace {

// The actions of the changes, as releases from 1.32 on name them; empty for one they do not know.
std::string ActionOf(PodChange change, int minor) {
  switch (change) {
    case PodChange::kLabels:
      return "UpdatePodLabel";
    case PodChange::kScaleDown:
      return "UpdatePodScaleDown";
    case PodChange::kScaleUp:
      return minor >= 37 ? "UpdatePodScaleUp" : "";  // none before
    case PodChange::kGatesGone:
      return "UpdatePodSchedulingGatesEliminated";
    case PodChange::kTolerations:
      break;
  }
  return minor >= 33 ? "UpdatePodToleration" : "UpdatePodTolerations";
}

}  // namespace

std::vector<PodChange> ChangesOf(const sim::core::PodSpec& old_spec,
                                 const sim::core::PodSpec& spec) {
  std::vector<PodChange> out;
  if (old_spec.labels != spec.labels) out.push_back(PodChange::kLabels);
  if (!old_spec.request.FitsIn(spec.request)) out.push_back(PodChange::kScaleDown);
  if (!spec.request.FitsIn(old_spec.request)) out.push_back(PodChange::kScaleUp);
  if (old_spec.scheduling_gates > 0 && spec.scheduling_gates == 0) {
    out.push_back(PodChange::kGatesGone);
  }
  if (old_spec.tolerations.size() != spec.tolerations.size()) {
    out.push_back(PodChange::kTolerations);
  }
  return out;
}

QueueHints::QueueHints(const TraceHeader& header, TraceObjects& objects, TraceSpecs& specs,
                       QueueLog& log)
    : header_(header),
      objects_(objects),
      specs_(specs),
      log_(log),
      hints_({header.minor, header.gates->value("InPlacePodVerticalScaling", false)},
             specs.cluster()),
      count_(log.Kind("own hints")),
      event_count_(log.Kind("own events")) {
  for (const TraceHeader::Registered& one : header.registered) {
    asks_[objects.plugins.Text(one.plugin) + " " + one.text] = !one.always;
  }
}

const queue::HintPod& QueueHints::PodOf(queue::ObjectId id) {
  const auto [at, added] = pods_.try_emplace(id);
  Pod& pod = at->second;
  if (!added) return pod.hint;
  const TraceObject& object = objects_.At(id);
  const Json& spec = object.json->at("spec");
  if (spec.contains("volumes")) {
    for (const Json& volume : spec["volumes"]) {
      if (!volume.contains("persistentVolumeClaim")) continue;
      pod.claims.push_back(specs_.cluster().strings().Intern(
          volume["persistentVolumeClaim"].at("claimName").get_ref<const std::string&>()));
    }
  }
  pod.hint = {&specs_.Pod(id), object.pod.uid, object.assigned, object.pod.nominated != 0,
              pod.claims};
  return pod.hint;
}

void QueueHints::CompareRow(const Json& line, const Json& row, const queue::PriorityQueue& own) {
  const std::string& plugin = row.at(2).get_ref<const std::string&>();
  const auto asks = asks_.find(plugin + " " + row.at(3).get_ref<const std::string&>());
  if (asks == asks_.end() || !asks->second) return;
  // Which version of the pod, and which objects, the operation has to do with.
  const std::string& op = line["op"].get_ref<const std::string&>();
  Json old_id = line.value("old", Json()), new_id = line.value("new", Json());
  queue::ObjectId waiting = 0;
  if (op == "Update") {
    waiting = objects_.Number(new_id);
  } else if (op == "AddUnschedulableIfNotPresent") {
    const Json& event = line.at("events").at(row.at(1).get<std::size_t>());
    old_id = event.at("old");
    new_id = event.at("new");
    waiting = objects_.Number(line.at("pod"));
  } else {
    if (op == "AssignedPodAdded") new_id = line.at("pod");
    const queue::RecordId id =
        own.Find(queue::Place::kUnschedulable, objects_.keys.Of(row.at(0).get<std::string>()));
    if (id != queue::kNone) waiting = own.At(id).pod.object;
  }
  if (waiting == 0) return;
  const queue::ObjectId before = objects_.Number(old_id), after = objects_.Number(new_id);
  queue::HintChange change;
  const auto is_node = [&](queue::ObjectId id) { return objects_.Id(id).starts_with("node/"); };
  if (is_node(before)) change.old_node = &specs_.Node(before);
  if (is_node(after)) change.new_node = &specs_.Node(after);
  // PodOf may move what it returned before: the map is filled first.
  for (const queue::ObjectId id : {before, after, waiting}) {
    if (objects_.At(id).is_pod) PodOf(id);
  }
  if (objects_.At(before).is_pod) change.old_pod = &PodOf(before);
  if (objects_.At(after).is_pod) change.new_pod = &PodOf(after);
  change.target = row.at(3).get_ref<const std::string&>().starts_with("TargetPod:");
  const std::optional<bool> own_verdict = hints_.Ask(plugin, PodOf(waiting), change);
  if (!own_verdict) return;
  const std::string& wanted = row.at(4).get_ref<const std::string&>();
  const std::string got = *own_verdict ? "Queue" : "Skip";
  log_.Compare(count_, wanted == got || wanted == "Error", [&] {
    return QueueMismatch{
        0, "",
        fmt::format("own hint of {} for {} ({})", plugin, row[0].get<std::string>(), row[1].dump()),
        wanted, got};
  });
}

// What the change of a waiting pod is called; claim statuses are not read here.
void QueueHints::CompareEvents(const Json& line) {
  const queue::ObjectId before = objects_.Number(line.at("old"));
  const queue::ObjectId after = objects_.Number(line.at("new"));
  std::string got;
  for (const PodChange change : ChangesOf(specs_.Pod(before), specs_.Pod(after))) {
    const std::string action = ActionOf(change, header_.minor);
    if (!action.empty()) got += action + " ";
  }
  std::string wanted;
  for (const Json& event : line["events"]) {
    const Json& actions = event.at("action");
    const std::string first = actions.at(0).get<std::string>();
    if (first == "UpdatePodGeneratedResourceClaim") return;
    if (actions.size() == 1 && first != "updatePodOther") wanted += first + " ";
  }
  log_.Compare(event_count_, wanted == got, [&] {
    return QueueMismatch{0, "", "own events", wanted, got};
  });
}

void QueueHints::Compare(const Json& line, const queue::PriorityQueue& own) {
  // Before 1.28 there are no hints, only a table of events and plugins.
  if (line.contains("hints") && header_.rules.gates.queueing_hints) {
    for (const Json& row : line["hints"]) CompareRow(line, row, own);
  }
  if (line["op"] == "Update" && line.contains("events")) CompareEvents(line);
}

}  // namespace schedlens::verify
