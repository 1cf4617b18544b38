#include "sim/engine/scheduling_queue.h"

#include <algorithm>

namespace schedlens::sim {

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
      {kRejectedByName, "NodeName"}};
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

bool EventWakes(const Release& release, PodEvent event, unsigned rejections) {
  if (!release.moves_by_plugin_events() || rejections == kRejectedByNobody) return true;
  if ((rejections & kRejectedByOther) != 0) return true;
  switch (event) {
    case PodEvent::kNodeAdd:
      return (rejections & ~static_cast<unsigned>(kRejectedByGang)) != 0;
    case PodEvent::kAssignedPodDelete:
      return (rejections & (kRejectedByResources | kRejectedByInterPodAffinity |
                            kRejectedByTopologySpread | kRejectedByPorts)) != 0;
    case PodEvent::kClaimAdd:
      return (rejections & kRejectedByVolumes) != 0;
    case PodEvent::kAssignedPodAdd:
      return (rejections & (kRejectedByInterPodAffinity | kRejectedByTopologySpread)) != 0;
    default:
      return true;
  }
}

SchedulingQueue::SchedulingQueue(const Release& release, const QueueSettings& settings)
    : release_(release), settings_(settings) {}

bool SchedulingQueue::Later(const HeapItem& a, const HeapItem& b) {
  if (a.key != b.key) return a.key > b.key;
  if (a.timestamp != b.timestamp) return a.timestamp > b.timestamp;
  return a.order > b.order;
}

Nanos SchedulingQueue::BackoffOf(PodNumber pod) const {
  const Entry& entry = pods_[pod];
  const int count =
      release_.backoff_counts_unschedulable() ? entry.unschedulable_count : entry.attempts;
  if (settings_.max_backoff <= 0) return 0;
  Nanos backoff = settings_.initial_backoff;
  for (int i = 1; i < count && backoff < settings_.max_backoff; ++i) backoff *= 2;
  return std::min(backoff, settings_.max_backoff);
}

void SchedulingQueue::Put(PodNumber pod, QueueName kind, PodEvent event, Nanos now) {
  Entry& entry = pods_[pod];
  entry.where = kind;
  ++entry.version;
  ++size_[static_cast<std::size_t>(kind)];
  ++incoming_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(event)];
  if (kind == QueueName::kUnschedulable) {
    entry.slot = static_cast<std::uint32_t>(unschedulable_.size());
    unschedulable_.push_back(pod);
    return;
  }
  const bool active = kind == QueueName::kActive;
  const std::int64_t key = active ? -static_cast<std::int64_t>(entry.priority)
                                  : std::max(now, entry.timestamp + BackoffOf(pod));
  std::vector<HeapItem>& heap = active ? active_ : backoff_;
  heap.push_back({key, entry.timestamp, order_++, pod, entry.version});
  std::push_heap(heap.begin(), heap.end(), Later);
}

// Leaves stale heap items behind; DropStale skips them.
void SchedulingQueue::Take(PodNumber pod) {
  Entry& entry = pods_[pod];
  if (!entry.where) return;
  --size_[kube::IndexOf(*entry.where)];
  if (entry.where == QueueName::kUnschedulable) {
    const PodNumber last = unschedulable_.back();
    unschedulable_[entry.slot] = last;
    pods_[last].slot = entry.slot;
    unschedulable_.pop_back();
  }
  entry.where.reset();
  ++entry.version;
}

void SchedulingQueue::DropStale(std::vector<HeapItem>* heap) {
  while (!heap->empty() && heap->front().version != pods_[heap->front().pod].version) {
    std::pop_heap(heap->begin(), heap->end(), Later);
    heap->pop_back();
  }
}

void SchedulingQueue::Add(PodNumber pod, std::int32_t priority, Nanos now) {
  if (pod >= pods_.size()) pods_.resize(pod + 1);
  Entry& entry = pods_[pod];
  if (entry.known) return;
  const std::uint32_t version = entry.version;
  entry = Entry();
  entry.version = version;
  entry.known = true;
  entry.priority = priority;
  entry.timestamp = now;
  entry.first_added = now;
  Put(pod, QueueName::kActive, PodEvent::kPodAdd, now);
}

std::optional<PodNumber> SchedulingQueue::Pop(Nanos now) {
  DropStale(&active_);
  if (active_.empty() && release_.pops_from_backoff()) {
    DropStale(&backoff_);
    if (!backoff_.empty()) {
      const PodNumber pod = backoff_.front().pod;
      Take(pod);
      Put(pod, QueueName::kActive, PodEvent::kPopFromBackoff, now);
    }
  }
  if (active_.empty()) return std::nullopt;
  const PodNumber pod = active_.front().pod;
  std::pop_heap(active_.begin(), active_.end(), Later);
  active_.pop_back();
  Take(pod);
  Entry& entry = pods_[pod];
  ++entry.attempts;
  entry.cycle = ++cycle_;
  return pod;
}

// Up to 1.31 any move counts; later only an event that could help this pod.
bool SchedulingQueue::MovedSince(const Entry& entry) const {
  for (std::size_t i = 0; i < event_cycle_.size(); ++i) {
    if (event_cycle_[i] < entry.cycle) continue;
    if (release_.minor < 32) return true;
    if (EventWakes(release_, static_cast<PodEvent>(i), entry.rejections)) return true;
  }
  return false;
}

std::optional<QueueName> SchedulingQueue::AddFailed(PodNumber pod, unsigned rejections,
                                                    bool was_error, Nanos now) {
  if (!Knows(pod) || pods_[pod].where) return std::nullopt;
  Entry& entry = pods_[pod];
  entry.timestamp = now;
  entry.was_flushed = false;
  entry.rejections = was_error ? static_cast<unsigned>(kRejectedByNobody) : rejections;
  ++entry.unschedulable_count;
  const QueueName kind = MovedSince(entry) ? QueueName::kBackoff : QueueName::kUnschedulable;
  Put(pod, kind, PodEvent::kAttemptFailure, now);
  return kind;
}

void SchedulingQueue::Remove(PodNumber pod) {
  if (!Knows(pod)) return;
  Take(pod);
  pods_[pod].known = false;
}

void SchedulingQueue::MoveOnEvent(PodEvent event, Nanos now) { MoveOnEvent(event, now, nullptr); }

void SchedulingQueue::MoveOnEvent(PodEvent event, Nanos now,
                                  const std::function<bool(PodNumber)>& helps) {
  NoteEvent(event);
  for (std::size_t i = 0; i < unschedulable_.size();) {
    const PodNumber pod = unschedulable_[i];
    Entry& entry = pods_[pod];
    const bool wakes = (!helps || helps(pod)) && EventWakes(release_, event, entry.rejections);
    if (hint_observer_) hint_observer_(event, entry.rejections, wakes);
    if (!wakes) {
      ++i;
      continue;
    }
    const bool backing_off = entry.timestamp + BackoffOf(pod) > now;
    Take(pod);
    Put(pod, backing_off ? QueueName::kBackoff : QueueName::kActive, event, now);
  }
}

bool SchedulingQueue::Activate(PodNumber pod, Nanos now) {
  const std::optional<QueueName> where = Where(pod);
  if (where != QueueName::kBackoff && where != QueueName::kUnschedulable) return false;
  Take(pod);
  Put(pod, QueueName::kActive, PodEvent::kForceActivate, now);
  return true;
}

void SchedulingQueue::FlushBackoff(Nanos now) {
  for (DropStale(&backoff_); !backoff_.empty() && backoff_.front().key <= now;
       DropStale(&backoff_)) {
    const PodNumber pod = backoff_.front().pod;
    Take(pod);
    Put(pod, QueueName::kActive, PodEvent::kBackoffComplete, now);
  }
}

void SchedulingQueue::FlushUnschedulable(Nanos now) {
  const Nanos limit = release_.unschedulable_timeout_seconds() * kSecond;
  for (std::size_t i = 0; i < unschedulable_.size();) {
    const PodNumber pod = unschedulable_[i];
    Entry& entry = pods_[pod];
    if (now - entry.timestamp <= limit) {
      ++i;
      continue;
    }
    entry.was_flushed = true;
    const bool backing_off = entry.timestamp + BackoffOf(pod) > now;
    Take(pod);
    Put(pod, backing_off ? QueueName::kBackoff : QueueName::kActive,
        PodEvent::kUnschedulableTimeout, now);
  }
}

std::size_t SchedulingQueue::CountRejectedBy(unsigned bit) const {
  return static_cast<std::size_t>(
      std::count_if(unschedulable_.begin(), unschedulable_.end(),
                    [&](PodNumber pod) { return (pods_[pod].rejections & bit) != 0; }));
}

}  // namespace schedlens::sim
