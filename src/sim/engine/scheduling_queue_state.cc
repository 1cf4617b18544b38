// What the queue says of itself and of a pod in it.

#include <algorithm>

#include "sim/engine/queue_labels.h"
#include "sim/engine/scheduling_queue.h"

namespace schedlens::sim {

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

}  // namespace schedlens::sim
