#include "verify/queue_hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schedlens/error.h"

namespace schedlens::verify {
namespace {

// Whether any amount that `a` asks for is smaller in `b`.
bool AnySmaller(const sim::core::Resources& a, const sim::core::Resources& b) {
  return b.milli_cpu < a.milli_cpu || b.memory < a.memory ||
         b.ephemeral_storage < a.ephemeral_storage ||
         std::any_of(a.scalars.begin(), a.scalars.end(),
                     [&](const auto& one) { return b.Scalar(one.name) < one.amount; });
}

// What about a waiting pod changed, in the order of its events, as releases from 1.32 on name the
// actions. Empty: something else, the general Update.
std::string ActionsOf(const sim::core::PodSpec& before, const sim::core::PodSpec& after,
                      int minor) {
  std::string out;
  if (before.labels != after.labels) out += "UpdatePodLabel ";
  if (AnySmaller(before.request, after.request)) out += "UpdatePodScaleDown ";
  if (before.scheduling_gates > 0 && after.scheduling_gates == 0) {
    out += "UpdatePodSchedulingGatesEliminated ";
  }
  if (before.tolerations.size() != after.tolerations.size()) {
    out += minor >= 33 ? "UpdatePodToleration " : "UpdatePodTolerations ";
  }
  return out;
}

}  // namespace

QueueHints::QueueHints(const TraceHeader& header, TraceObjects& objects, TraceSpecs& specs,
                       QueueLog& log)
    : header_(header),
      objects_(objects),
      specs_(specs),
      log_(log),
      hints_(header.minor, specs.cluster()),
      count_(log.Kind("own hints")),
      event_count_(log.Kind("own events")) {
  for (const TraceHeader::Registered& one : header.registered) {
    asks_[objects.plugins.Text(one.plugin) + " " + one.text] = !one.always;
  }
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
  // Only what comes or goes has an answer of ours, and of pods those that have a node.
  if ((before == 0) == (after == 0)) return;
  const queue::ObjectId changed = before == 0 ? after : before;
  const TraceObject& object = objects_.At(changed);
  if (object.is_pod && !object.assigned) return;
  queue::HintChange change;
  change.gone = after == 0;
  if (objects_.Id(changed).starts_with("node/")) change.node = &specs_.Node(changed);
  if (object.is_pod) change.pod = &specs_.Pod(changed);
  const std::optional<bool> own_verdict = hints_.Ask(plugin, specs_.Pod(waiting), change);
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
  const std::string got = ActionsOf(specs_.Pod(before), specs_.Pod(after), header_.minor);
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
