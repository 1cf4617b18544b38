#include "scheduler/engine/scheduling_queue.h"

#include <algorithm>
#include <bit>

namespace schedlens::sim {
namespace {

using queue::PodVersion;

constexpr queue::Resource kNode = queue::kFirstOwnResource;
constexpr queue::Resource kClaim = queue::kFirstOwnResource + 1;
constexpr std::uint32_t kAdd = 1, kDelete = 2, kBoth = kAdd | kDelete, kGatesGone = 8;

constexpr Rejecter kRejecters[] = {
    {kRejectedByResources, "NodeResourcesFit", kAdd, kDelete},
    {kRejectedByNodeAffinity, "NodeAffinity", kAdd},
    {kRejectedByInterPodAffinity, "InterPodAffinity", kAdd, kBoth},
    {kRejectedByTopologySpread, "PodTopologySpread", kBoth, kBoth},
    {kRejectedByGang, "Coscheduling"},
    {kRejectedByVolumes, "VolumeBinding", kAdd, 0, kAdd},
    {kRejectedByTaints, "TaintToleration", kAdd},
    {kRejectedByPorts, "NodePorts", kAdd, kDelete},
    {kRejectedByUnschedulable, "NodeUnschedulable", kAdd},
    {kRejectedByName, "NodeName", kAdd},
    {kRejectedByGates, "SchedulingGates", 0, kGatesGone},
    {kRejectedByPreemption, "DefaultPreemption", 0, kDelete},
    {kRejectedByVolumeRestrictions, "VolumeRestrictions", kAdd, kDelete, kAdd},
    {kRejectedByVolumeLimits, "NodeVolumeLimits", 0, kDelete, kAdd},
    {kRejectedByVolumeZone, "VolumeZone", kAdd, 0, kAdd}};

queue::PluginId PluginOf(Rejection bit) {
  return static_cast<queue::PluginId>(std::countr_zero(static_cast<unsigned>(bit)));
}

queue::QueueRules RulesFor(const Release& release) {
  return queue::RulesOf(release.minor, queue::DefaultGates(release.minor));
}

queue::PriorityQueueSettings SettingsOf(const Release& release, const QueueSettings& settings) {
  queue::PriorityQueueSettings out;
  out.backoff = {settings.initial_backoff, settings.max_backoff, settings.start};
  out.leftover_after = RulesFor(release).leftover_after;
  out.assigned_pod_add = {release.minor >= 32 ? queue::kAssignedPod : queue::kPod, kAdd,
                          queue::kAssignedPodAdd, false};
  out.scheduling_gates = PluginOf(kRejectedByGates);
  return out;
}

PodVersion VersionOf(PodNumber pod, std::int32_t priority = 0) {
  return {pod, pod, pod + 1, priority, 0};
}

// The queue's own labels come first, in the order of the events.
queue::LabelId LabelOf(PodEvent event) {
  if (event == PodEvent::kAssignedPodAdd) return queue::kAssignedPodAdd;
  const bool own = event <= PodEvent::kUnschedulableTimeout;
  return static_cast<queue::LabelId>((own ? queue::kPodAdded : queue::kFirstOwnLabel) +
                                     kube::IndexOf(event));
}

}  // namespace

SchedulingQueue::SchedulingQueue(const Release& release, const QueueSettings& settings)
    : has_gates_(release.minor >= 27),
      queue_(RulesFor(release), SettingsOf(release, settings), *this) {
  const auto add = [&](const Rejecter& one) {
    if (one.node != 0) queue_.Register(PluginOf(one.bit), {kNode, one.node, 0});
    if (one.pod != 0) queue_.Register(PluginOf(one.bit), {queue::kPod, one.pod, 0});
    if (one.claim != 0) queue_.Register(PluginOf(one.bit), {kClaim, one.claim, 0});
  };
  for (const Rejecter& one : kRejecters) add(one);
  add({kRejectedByOther, "", kBoth, kBoth, kBoth});
}

// What the queue asks. An event carries its PodEvent in new_object and its subject in old_object,
// an assigned pod its template in `object`.

bool SchedulingQueue::HintQueues(const PodVersion& pod, queue::PluginId plugin,
                                 const queue::Registration&, const queue::EventInstance& event,
                                 std::size_t) {
  const auto rejection = static_cast<Rejection>(1u << plugin);
  const auto what = static_cast<PodEvent>(event.new_object);
  const bool helps = !hints() || advisor_ == nullptr ||
                     advisor_->Helps(pod.key, rejection, what, event.old_object);
  if (observer_) observer_(what, rejection, helps);
  return helps;
}

queue::PluginId SchedulingQueue::PreEnqueue(const PodVersion& pod, queue::PluginId) {
  if (!has_gates_ || advisor_ == nullptr) return queue::kNoPlugin;
  const Rejection by = advisor_->GatedBy(pod.key);
  return by == kRejectedByNobody ? queue::kNoPlugin : PluginOf(by);
}

bool SchedulingQueue::AffinitySelects(const PodVersion& waiting, const PodVersion& assigned, bool) {
  return advisor_ == nullptr || advisor_->Attracted(waiting.key, assigned.object - 1);
}

void SchedulingQueue::Entered(const PodVersion& pod, std::size_t queue, queue::LabelId label) {
  if (!listener_) return;
  for (const PodEvent event : kube::All<PodEvent>()) {
    if (LabelOf(event) == label) listener_(pod.key, static_cast<QueueName>(queue), event);
  }
}

bool SchedulingQueue::was_flushed(PodNumber pod) const {
  const queue::RecordId id = RecordOf(pod);
  return id != queue::kNone && queue_.At(id).was_flushed;
}

queue::RecordId SchedulingQueue::RecordOf(PodNumber pod) const {
  if (pod < held_.size() && held_[pod] != queue::kNone) return held_[pod];
  for (const queue::Place place : {queue::Place::kActive, queue::Place::kBackoff,
                                   queue::Place::kErrorBackoff, queue::Place::kUnschedulable}) {
    const queue::RecordId id = queue_.Find(place, pod);
    if (id != queue::kNone) return id;
  }
  return queue::kNone;
}

void SchedulingQueue::Add(PodNumber pod, std::int32_t priority, Nanos now) {
  if (RecordOf(pod) != queue::kNone) return;
  // Informers hand over one pod after the other: none ties with another.
  if (now != last_add_) {
    last_add_ = now;
    added_ = 0;
  }
  queue_.Add(VersionOf(pod, priority), now + added_++);
}

std::optional<PodNumber> SchedulingQueue::Pop(Nanos now) {
  const queue::RecordId id = queue_.Pop(now);
  if (id == queue::kNone) return std::nullopt;
  return Hold(id);
}

bool SchedulingQueue::PopSpecific(PodNumber pod, Nanos now) {
  const queue::RecordId id = queue_.PopSpecificPod(VersionOf(pod), now);
  if (id == queue::kNone) return false;
  Hold(id);
  return true;
}

PodNumber SchedulingQueue::Hold(queue::RecordId id) {
  const PodNumber pod = queue_.At(id).pod.key;
  if (pod >= held_.size()) held_.resize(pod + 1, queue::kNone);
  held_[pod] = id;
  return pod;
}

std::optional<QueueName> SchedulingQueue::AddFailed(PodNumber pod, unsigned rejections,
                                                    bool was_error, Nanos now) {
  if (pod >= held_.size() || held_[pod] == queue::kNone) return std::nullopt;
  const queue::RecordId id = held_[pod];
  held_[pod] = queue::kNone;
  queue_.AddUnschedulableIfNotPresent(id, queue_.At(id).pod, was_error ? 0 : rejections, 0,
                                      queue_.scheduling_cycle(), now);
  return Where(pod);
}

void SchedulingQueue::Remove(PodNumber pod) {
  if (pod < held_.size() && held_[pod] != queue::kNone) {
    queue_.Done(pod);
    queue_.Release(held_[pod]);
    held_[pod] = queue::kNone;
    return;
  }
  queue_.Delete(VersionOf(pod));
}

queue::EventInstance SchedulingQueue::Instance(PodEvent event, const EventSubject& subject) const {
  using enum PodEvent;
  queue::ClusterEvent what{queue::kPod, kAdd, LabelOf(event), false};
  if (queue_.rules().update_by_events) what.resource = queue::kAssignedPod;
  if (event == kNodeAdd || event == kNodeDelete) what.resource = kNode;
  if (event == kClaimAdd) what.resource = kClaim;
  if (event == kAssignedPodDelete || event == kNodeDelete) what.bits = kDelete;
  return {what, subject.number, static_cast<queue::ObjectId>(kube::IndexOf(event)), queue::kNone};
}

void SchedulingQueue::MoveOnEvent(PodEvent event, Nanos now, const EventSubject& subject) {
  if (event == PodEvent::kAssignedPodAdd && !hints()) {
    queue_.AssignedPodAdded({subject.pod, subject.pod, subject.number, 0, 0}, now);
    return;
  }
  queue::PriorityQueue::PreCheck may_help;
  if (!hints() && advisor_ != nullptr) {
    const bool node = event == PodEvent::kNodeAdd && subject.number != EventSubject::kNone;
    may_help = [&, node](const PodVersion& pod) {
      return (!node || advisor_->Admits(pod.key, subject.number - 1)) &&
             advisor_->MayHelp(pod.key, event);
    };
  }
  queue_.Move(Instance(event, subject), may_help, now);
}

void SchedulingQueue::MoveUpTo(std::int32_t priority, PodEvent event, Nanos now,
                               const EventSubject& subject) {
  queue_.Move(
      Instance(event, subject), [&](const PodVersion& pod) { return pod.priority <= priority; },
      now);
}

void SchedulingQueue::Ungate(PodNumber pod, std::int32_t priority, Nanos now) {
  if (RecordOf(pod) == queue::kNone) return;
  constexpr PodEvent kWhat = PodEvent::kGatesEliminated;
  const queue::EventInstance event{{queue::kUnschedulablePod, kGatesGone, LabelOf(kWhat), false},
                                   pod + 1,
                                   static_cast<queue::ObjectId>(kube::IndexOf(kWhat)),
                                   pod};
  const PodVersion version = VersionOf(pod, priority);
  queue_.Update(version, version, {&event, 1}, now);
}

bool SchedulingQueue::Activate(PodNumber pod, Nanos now) {
  const std::optional<QueueName> where = Where(pod);
  if (!where || where == QueueName::kActive) return false;
  const PodVersion version = VersionOf(pod);
  queue_.Activate({&version, 1}, now);
  return true;
}

std::int64_t SchedulingQueue::CountRejectedBy(Rejection bit) const {
  return queue_.metrics().rejected_by[PluginOf(bit)];
}

std::size_t SchedulingQueue::size(QueueName kind) const {
  if (kind == QueueName::kActive) return queue_.active().size();
  if (kind == QueueName::kBackoff) return queue_.backoff().size() + queue_.error_backoff().size();
  const queue::QueueMetrics& metrics = queue_.metrics();
  const auto count = kind == QueueName::kGated ? metrics.gated : metrics.unschedulable;
  return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
}

std::optional<QueueName> SchedulingQueue::Where(PodNumber pod) const {
  const queue::RecordId id = RecordOf(pod);
  if (id == queue::kNone) return std::nullopt;
  const queue::Record& record = queue_.At(id);
  if (record.In(queue::Place::kActive)) return QueueName::kActive;
  if (record.In(queue::Place::kBackoff) || record.In(queue::Place::kErrorBackoff)) {
    return QueueName::kBackoff;
  }
  if (!record.In(queue::Place::kUnschedulable)) return std::nullopt;
  return record.gated ? QueueName::kGated : QueueName::kUnschedulable;
}

std::uint64_t SchedulingQueue::incoming(QueueName kind, PodEvent event) const {
  return queue_.metrics().Incoming(kube::IndexOf(kind), LabelOf(event));
}

// Plugins that reject pods, by bit and by name.

std::span<const Rejecter> Rejecters() { return kRejecters; }

std::string_view RejecterOf(Rejection bit) {
  for (const Rejecter& one : kRejecters) {
    if (one.bit == bit) return one.plugin;
  }
  return "";
}

Rejection RejectionOf(std::string_view plugin) {
  for (const Rejecter& one : kRejecters) {
    if (one.plugin == plugin) return one.bit;
  }
  return kRejectedByOther;
}

}  // namespace schedlens::sim
