#include "sim/engine/scheduling_queue.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "sim/queue/labels.h"

namespace schedlens::sim {
namespace {

using queue::kNone;
using queue::PodVersion;

constexpr queue::Resource kNode = queue::kFirstOwnResource;
constexpr queue::Resource kClaim = queue::kFirstOwnResource + 1;
constexpr std::uint32_t kAdd = 1, kDelete = 2, kGatesGone = 8;

// Events that are not a pod's.
struct OfObject {
  PodEvent event;
  queue::Resource resource;
  std::uint32_t bits;
};
constexpr OfObject kOfObjects[] = {{PodEvent::kNodeAdd, kNode, kAdd},
                                   {PodEvent::kNodeDelete, kNode, kDelete},
                                   {PodEvent::kClaimAdd, kClaim, kAdd}};

queue::PluginId PluginOf(Rejection bit) {
  return static_cast<queue::PluginId>(std::countr_zero(static_cast<unsigned>(bit)));
}

// Which plugin registered for which of the events that happen in a simulation.
struct Interest {
  Rejection plugin;
  queue::Resource resource;
  std::uint32_t bits;
};
constexpr Interest kInterests[] = {
    {kRejectedByResources, kNode, kAdd},
    {kRejectedByResources, queue::kPod, kDelete},
    {kRejectedByNodeAffinity, kNode, kAdd},
    {kRejectedByInterPodAffinity, kNode, kAdd},
    {kRejectedByInterPodAffinity, queue::kPod, kAdd | kDelete},
    {kRejectedByTopologySpread, kNode, kAdd | kDelete},
    {kRejectedByTopologySpread, queue::kPod, kAdd | kDelete},
    {kRejectedByVolumes, kNode, kAdd},
    {kRejectedByVolumes, kClaim, kAdd},
    {kRejectedByVolumeRestrictions, kNode, kAdd},
    {kRejectedByVolumeRestrictions, queue::kPod, kDelete},
    {kRejectedByVolumeRestrictions, kClaim, kAdd},
    {kRejectedByVolumeLimits, queue::kPod, kDelete},
    {kRejectedByVolumeLimits, kClaim, kAdd},
    {kRejectedByVolumeZone, kNode, kAdd},
    {kRejectedByVolumeZone, kClaim, kAdd},
    {kRejectedByTaints, kNode, kAdd},
    {kRejectedByPorts, kNode, kAdd},
    {kRejectedByPorts, queue::kPod, kDelete},
    {kRejectedByUnschedulable, kNode, kAdd},
    {kRejectedByName, kNode, kAdd},
    {kRejectedByPreemption, queue::kPod, kDelete},
    {kRejectedByGates, queue::kPod, kGatesGone},
    {kRejectedByOther, kNode, kAdd | kDelete},
    {kRejectedByOther, queue::kPod, kAdd | kDelete},
    {kRejectedByOther, kClaim, kAdd | kDelete},
};

queue::PriorityQueueSettings SettingsOf(const Release& release, const QueueSettings& settings,
                                        const queue::QueueRules& rules) {
  queue::PriorityQueueSettings out;
  out.backoff = {settings.initial_backoff, settings.max_backoff, settings.start};
  out.leftover_after = rules.leftover_after;
  out.assigned_pod_add = {release.minor >= 32 ? queue::kAssignedPod : queue::kPod, kAdd,
                          queue::kAssignedPodAdd, false};
  out.scheduling_gates = PluginOf(kRejectedByGates);
  return out;
}

PodVersion VersionOf(PodNumber pod, std::int32_t priority = 0) {
  return {pod, pod, pod + 1, priority, 0};
}

queue::LabelId LabelOf(PodEvent event) {
  switch (event) {
    case PodEvent::kPodAdd:
      return queue::kPodAdded;
    case PodEvent::kAttemptFailure:
      return queue::kAttemptFailure;
    case PodEvent::kBackoffComplete:
      return queue::kBackoffComplete;
    case PodEvent::kPopFromBackoff:
      return queue::kPopFromBackoff;
    case PodEvent::kForceActivate:
      return queue::kForceActivate;
    case PodEvent::kUnschedulableTimeout:
      return queue::kUnschedulableTimeout;
    case PodEvent::kAssignedPodAdd:
      return queue::kAssignedPodAdd;
    default:
      return static_cast<queue::LabelId>(queue::kFirstOwnLabel + kube::IndexOf(event));
  }
}

}  // namespace

// Asks the advisor. An event carries its PodEvent in new_object and its subject in old_object.
class SchedulingQueue::Host : public queue::QueueHost {
 public:
  explicit Host(bool hints, bool gates) : hints_(hints), gates_(gates) {}

  bool HintQueues(const PodVersion& pod, queue::PluginId plugin, const queue::Registration&,
                  const queue::EventInstance& event, std::size_t) override {
    const auto rejection = static_cast<Rejection>(1u << plugin);
    const auto what = static_cast<PodEvent>(event.new_object);
    const bool helps =
        !hints_ || advisor == nullptr || advisor->Helps(pod.key, rejection, what, event.old_object);
    if (observer) observer(what, rejection, helps);
    return helps;
  }
  queue::PluginId PreEnqueue(const PodVersion& pod, queue::PluginId) override {
    if (!gates_ || advisor == nullptr) return queue::kNoPlugin;
    const Rejection by = advisor->GatedBy(pod.key);
    return by == kRejectedByNobody ? queue::kNoPlugin : PluginOf(by);
  }
  bool ListedWithoutNode(const PodVersion&) override { return true; }
  // `assigned` is a pod with its template in `object`.
  bool AffinitySelects(const PodVersion& waiting, const PodVersion& assigned, bool) override {
    return advisor == nullptr || advisor->Attracted(waiting.key, assigned.object - 1);
  }
  bool SpreadConcerns(const queue::Record&, const PodVersion&) override { return false; }
  bool Differs(const PodVersion&, const PodVersion&) override { return true; }

  void Entered(const PodVersion& pod, std::size_t queue, queue::LabelId label) override {
    if (!listener) return;
    for (const PodEvent event : kube::All<PodEvent>()) {
      if (LabelOf(event) == label) listener(pod.key, static_cast<QueueName>(queue), event);
    }
  }

  QueueAdvisor* advisor = nullptr;
  HintObserver observer;
  Listener listener;

 private:
  bool hints_, gates_;
};

SchedulingQueue::SchedulingQueue(const Release& release, const QueueSettings& settings) {
  const queue::QueueRules rules = queue::RulesOf(release.minor, queue::DefaultGates(release.minor));
  registrations_ = std::make_unique<queue::Registrations>(rules.ordered_match);
  for (const Interest& one : kInterests) {
    registrations_->Add(PluginOf(one.plugin), {one.resource, one.bits, 0});
  }
  host_ = std::make_unique<Host>(rules.gates.queueing_hints, release.minor >= 27);
  queue_ = std::make_unique<queue::PriorityQueue>(rules, SettingsOf(release, settings, rules),
                                                  *registrations_, *host_);
}

SchedulingQueue::~SchedulingQueue() = default;
SchedulingQueue::SchedulingQueue(SchedulingQueue&&) noexcept = default;

void SchedulingQueue::SetAdvisor(QueueAdvisor* advisor) { host_->advisor = advisor; }

void SchedulingQueue::SetHintObserver(HintObserver observer) {
  host_->observer = std::move(observer);
}

void SchedulingQueue::SetListener(Listener listener) { host_->listener = std::move(listener); }

bool SchedulingQueue::was_flushed(PodNumber pod) const {
  const queue::RecordId id = RecordOf(pod);
  return id != kNone && queue_->At(id).was_flushed;
}

queue::RecordId SchedulingQueue::RecordOf(PodNumber pod) const {
  if (pod < held_.size() && held_[pod] != kNone) return held_[pod];
  for (const queue::Place place : {queue::Place::kActive, queue::Place::kBackoff,
                                   queue::Place::kErrorBackoff, queue::Place::kUnschedulable}) {
    const queue::RecordId id = queue_->Find(place, pod);
    if (id != kNone) return id;
  }
  return kNone;
}

bool SchedulingQueue::Knows(PodNumber pod) const { return RecordOf(pod) != kNone; }

void SchedulingQueue::Add(PodNumber pod, std::int32_t priority, Nanos now) {
  if (Knows(pod)) return;
  // Informers hand over one pod after the other: none ties with another.
  if (now != last_add_) {
    last_add_ = now;
    added_ = 0;
  }
  queue_->Add(VersionOf(pod, priority), now + added_++);
}

std::optional<PodNumber> SchedulingQueue::Pop(Nanos now) {
  const queue::RecordId id = queue_->Pop(now);
  if (id == kNone) return std::nullopt;
  return Hold(id);
}

bool SchedulingQueue::PopSpecific(PodNumber pod, Nanos now) {
  const queue::RecordId id = queue_->PopSpecificPod(VersionOf(pod), now);
  if (id == kNone) return false;
  Hold(id);
  return true;
}

PodNumber SchedulingQueue::Hold(queue::RecordId id) {
  const PodNumber pod = queue_->At(id).pod.key;
  if (pod >= held_.size()) held_.resize(pod + 1, kNone);
  held_[pod] = id;
  return pod;
}

std::optional<QueueName> SchedulingQueue::AddFailed(PodNumber pod, unsigned rejections,
                                                    bool was_error, Nanos now) {
  if (pod >= held_.size() || held_[pod] == kNone) return std::nullopt;
  const queue::RecordId id = held_[pod];
  held_[pod] = kNone;
  queue_->AddUnschedulableIfNotPresent(id, queue_->At(id).pod, was_error ? 0 : rejections, 0,
                                       queue_->scheduling_cycle(), now);
  return Where(pod);
}

void SchedulingQueue::Remove(PodNumber pod) {
  if (pod < held_.size() && held_[pod] != kNone) {
    queue_->Done(pod);
    queue_->Release(held_[pod]);
    held_[pod] = kNone;
    return;
  }
  queue_->Delete(VersionOf(pod));
}

queue::EventInstance SchedulingQueue::Instance(PodEvent event, const EventSubject& subject) const {
  queue::EventInstance out;
  const bool hears_kind = queue_->rules().update_by_events;
  out.event.label = LabelOf(event);
  out.event.resource = hears_kind ? queue::kAssignedPod : queue::kPod;
  out.event.bits = event == PodEvent::kAssignedPodDelete ? kDelete : kAdd;
  for (const OfObject& row : kOfObjects) {
    if (row.event != event) continue;
    out.event.resource = row.resource;
    out.event.bits = row.bits;
  }
  out.new_object = static_cast<queue::ObjectId>(kube::IndexOf(event));
  out.old_object = subject.number;
  return out;
}

void SchedulingQueue::MoveOnEvent(PodEvent event, Nanos now, const EventSubject& subject) {
  const queue::EventInstance instance = Instance(event, subject);
  const bool hints = queue_->rules().gates.queueing_hints;
  if (event == PodEvent::kAssignedPodAdd && !hints) {
    queue_->AssignedPodAdded({subject.pod, subject.pod, subject.number, 0, 0}, now);
  } else if (QueueAdvisor* const advisor = host_->advisor; !hints && advisor != nullptr) {
    const bool node = event == PodEvent::kNodeAdd && subject.number != EventSubject::kNone;
    const auto may_help = [&](const PodVersion& pod) {
      return (!node || advisor->Admits(pod.key, subject.number - 1)) &&
             advisor->MayHelp(pod.key, event);
    };
    queue_->Move(instance, std::cref(may_help), now);
  } else {
    queue_->Move(instance, nullptr, now);
  }
}

void SchedulingQueue::MoveUpTo(std::int32_t priority, PodEvent event, Nanos now,
                               const EventSubject& subject) {
  queue_->Move(
      Instance(event, subject), [&](const PodVersion& pod) { return pod.priority <= priority; },
      now);
}

void SchedulingQueue::Update(PodNumber pod, std::int32_t priority, PodEvent change, Nanos now) {
  if (!Knows(pod)) return;
  const queue::EventInstance event{{queue::kUnschedulablePod, kGatesGone, LabelOf(change), false},
                                   pod + 1,
                                   static_cast<queue::ObjectId>(kube::IndexOf(change)),
                                   pod};
  const PodVersion version = VersionOf(pod, priority);
  queue_->Update(version, version, {&event, 1}, now);
}

bool SchedulingQueue::Activate(PodNumber pod, Nanos now) {
  const std::optional<QueueName> where = Where(pod);
  if (!where || where == QueueName::kActive) return false;
  const PodVersion version = VersionOf(pod);
  queue_->Activate({&version, 1}, now);
  return true;
}

void SchedulingQueue::FlushBackoff(Nanos now) { queue_->FlushBackoffCompleted(now); }

void SchedulingQueue::FlushUnschedulable(Nanos now) { queue_->FlushUnschedulableLeftover(now); }

std::int64_t SchedulingQueue::CountRejectedBy(unsigned bit) const {
  return queue_->metrics().rejected_by[PluginOf(static_cast<Rejection>(bit))];
}

// What the queue says of itself and of a pod in it.

bool SchedulingQueue::HasActive() const { return !queue_->active().empty(); }

bool SchedulingQueue::CanPop() const {
  return HasActive() || (queue_->rules().gates.pop_from_backoff && !queue_->backoff().empty());
}

std::size_t SchedulingQueue::size(QueueName kind) const {
  switch (kind) {
    case QueueName::kActive:
      return queue_->active().size();
    case QueueName::kBackoff:
      return queue_->backoff().size() + queue_->error_backoff().size();
    case QueueName::kUnschedulable:
      return static_cast<std::size_t>(std::max<std::int64_t>(queue_->metrics().unschedulable, 0));
    case QueueName::kGated:
      break;
  }
  return static_cast<std::size_t>(std::max<std::int64_t>(queue_->metrics().gated, 0));
}

std::optional<QueueName> SchedulingQueue::Where(PodNumber pod) const {
  const queue::RecordId id = RecordOf(pod);
  if (id == queue::kNone) return std::nullopt;
  const queue::Record& record = queue_->At(id);
  if (record.In(queue::Place::kActive)) return QueueName::kActive;
  if (record.In(queue::Place::kBackoff) || record.In(queue::Place::kErrorBackoff)) {
    return QueueName::kBackoff;
  }
  if (!record.In(queue::Place::kUnschedulable)) return std::nullopt;
  return record.gated ? QueueName::kGated : QueueName::kUnschedulable;
}

int SchedulingQueue::attempts(PodNumber pod) const { return queue_->At(RecordOf(pod)).attempts; }

Nanos SchedulingQueue::first_added(PodNumber pod) const {
  return queue_->At(RecordOf(pod)).initial_attempt;
}

Nanos SchedulingQueue::timestamp(PodNumber pod) const {
  return queue_->At(RecordOf(pod)).timestamp;
}

Nanos SchedulingQueue::BackoffOf(PodNumber pod) const {
  return queue_->backoff_rule().LengthOf(queue_->At(RecordOf(pod)));
}

std::uint64_t SchedulingQueue::incoming(QueueName kind, PodEvent event) const {
  return queue_->metrics().Incoming(kube::IndexOf(kind), LabelOf(event));
}

// Plugins that reject pods, by bit and by name.

std::span<const std::pair<Rejection, std::string_view>> Rejecters() {
  static constexpr std::pair<Rejection, std::string_view> kAll[] = {
      {kRejectedByResources, "NodeResourcesFit"},
      {kRejectedByNodeAffinity, "NodeAffinity"},
      {kRejectedByInterPodAffinity, "InterPodAffinity"},
      {kRejectedByTopologySpread, "PodTopologySpread"},
      {kRejectedByGang, "Coscheduling"},
      {kRejectedByVolumes, "VolumeBinding"},
      {kRejectedByTaints, "TaintToleration"},
      {kRejectedByPorts, "NodePorts"},
      {kRejectedByUnschedulable, "NodeUnschedulable"},
      {kRejectedByName, "NodeName"},
      {kRejectedByGates, "SchedulingGates"},
      {kRejectedByPreemption, "DefaultPreemption"},
      {kRejectedByVolumeRestrictions, "VolumeRestrictions"},
      {kRejectedByVolumeLimits, "NodeVolumeLimits"},
      {kRejectedByVolumeZone, "VolumeZone"}};
  return kAll;
}

std::string_view RejecterOf(Rejection bit) {
  for (const auto& [known, name] : Rejecters()) {
    if (known == bit) return name;
  }
  return "";
}

Rejection RejectionOf(std::string_view plugin) {
  for (const auto& [bit, name] : Rejecters()) {
    if (name == plugin) return bit;
  }
  return kRejectedByOther;
}

}  // namespace schedlens::sim
