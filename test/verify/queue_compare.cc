#include "verify/queue_compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace schedlens::verify {
namespace {

using queue::Record;

std::string TimeText(Nanos time) {
  return time == queue::kNever ? "null" : std::to_string(time / sim::kMillisecond);
}

Keys KeysOf(const std::vector<queue::RecordId>& ids, const queue::PriorityQueue& own) {
  Keys out;
  out.reserve(ids.size());
  for (const queue::RecordId id : ids) out.push_back(own.At(id).pod.key);
  return out;
}

// In the order in which popping would give them.
Keys Popped(const queue::PodHeap& heap, const queue::PriorityQueue& own) {
  queue::Records records;
  for (const queue::RecordId id : heap.items()) records.push_back(own.At(id));
  queue::PodHeap copy(records, queue::Place::kActive, heap.order());
  // Inserting them as they lie moves none.
  for (queue::RecordId id = 0; id < records.size(); ++id) copy.Put(id);
  Keys out;
  while (!copy.empty()) out.push_back(records[copy.Pop()].pod.key);
  return out;
}

}  // namespace

QueueCompare::QueueCompare(const queue::PriorityQueue& own, const Nominator& nominator,
                           const TraceHeader& header, const TraceObjects& objects, QueueLog& log)
    : own_(own),
      nominator_(nominator),
      header_(header),
      objects_(objects),
      log_(log),
      pods_(log.Kind("pods")),
      flight_(log.Kind("inFlight")),
      nominated_(log.Kind("nominated")),
      cycles_(log.Kind("cycles")),
      metrics_(log.Kind("metrics")) {
  for (std::size_t i = 0; i < kKeyLists.size(); ++i) list_counts_[i] = &log.Kind(kKeyLists[i]);
}

std::string QueueCompare::Text(const Keys& keys) const {
  std::vector<std::string> out;
  for (const queue::PodKey key : keys) out.push_back(objects_.keys.Text(key));
  return fmt::format("[{}]", fmt::join(out, " "));
}

std::string QueueCompare::Text(queue::PluginSet plugins) const {
  std::vector<std::string> out;
  queue::ForEachPlugin(
      plugins, [&](queue::PluginId plugin) { out.push_back(objects_.plugins.Text(plugin)); });
  std::sort(out.begin(), out.end());
  return fmt::format("[{}]", fmt::join(out, " "));
}

std::string QueueCompare::Text(const std::vector<RecordedFlight>& list) const {
  std::vector<std::string> out;
  for (const RecordedFlight& one : list) {
    out.push_back(one.is_pod
                      ? objects_.keys.Text(one.key)
                      : fmt::format("{}:{}({},{},{})", one.seq, objects_.labels.Text(one.label),
                                    one.bits, objects_.Id(one.old_object),
                                    objects_.Id(one.new_object)));
  }
  return fmt::format("[{}]", fmt::join(out, " "));
}

Keys QueueCompare::SortedByText(Keys keys) const {
  std::sort(keys.begin(), keys.end(), [&](queue::PodKey a, queue::PodKey b) {
    return objects_.keys.Text(a) < objects_.keys.Text(b);
  });
  return keys;
}

void QueueCompare::CompareKeys(KeyList list, const Keys& wanted, const Keys& got) {
  const auto index = static_cast<std::size_t>(list);
  log_.Compare(*list_counts_[index], wanted == got, [&] {
    return QueueMismatch{0, "", kKeyLists[index], Text(wanted), Text(got)};
  });
}

void QueueCompare::CompareHeap(const queue::PodHeap& heap, KeyList sorted, KeyList raw,
                               const RecordedState& wanted) {
  const std::size_t index = static_cast<std::size_t>(sorted) / 2;
  heap_keys_[index] = KeysOf(heap.items(), own_);
  popped_keys_[index] = Popped(heap, own_);
  CompareKeys(sorted, wanted.lists[static_cast<std::size_t>(sorted)], popped_keys_[index]);
  CompareKeys(raw, wanted.lists[static_cast<std::size_t>(raw)], heap_keys_[index]);
}

void QueueCompare::CompareLists(const RecordedState& wanted) {
  CompareHeap(own_.active(), KeyList::kActive, KeyList::kActiveHeap, wanted);
  CompareHeap(own_.backoff(), KeyList::kBackoff, KeyList::kBackoffHeap, wanted);
  if (own_.rules().error_queue()) {
    CompareHeap(own_.error_backoff(), KeyList::kErrorBackoff, KeyList::kErrorBackoffHeap, wanted);
  }
  const auto at = [&](KeyList list) -> const Keys& {
    return wanted.lists[static_cast<std::size_t>(list)];
  };
  CompareKeys(KeyList::kUnschedulable, at(KeyList::kUnschedulable),
              SortedByText(KeysOf(own_.unschedulable(), own_)));
  Keys flying;
  const queue::InFlightList& list = own_.in_flight();
  for (auto one = list.entries().begin(); one != list.entries().end(); ++one) {
    const bool flies = one->is_pod && list.Knows(one->uid) && list.EntryOf(one->uid) == one;
    if (flies) flying.push_back(one->key);
  }
  CompareKeys(KeyList::kInFlightPods, at(KeyList::kInFlightPods), SortedByText(std::move(flying)));
}

const Record* QueueCompare::OwnRecord(const RecordedPod& wanted,
                                      const std::vector<HeldAttempt>& attempts) const {
  constexpr std::pair<const char*, queue::Place> kPlaces[] = {
      {"active", queue::Place::kActive},
      {"backoff", queue::Place::kBackoff},
      {"errorBackoff", queue::Place::kErrorBackoff},
      {"unschedulable", queue::Place::kUnschedulable}};
  for (const auto& [name, place] : kPlaces) {
    if (wanted.place != name) continue;
    const queue::RecordId id = own_.Find(place, wanted.key);
    return id == queue::kNone ? nullptr : &own_.At(id);
  }
  std::size_t nth = 0;
  for (const HeldAttempt& attempt : attempts) {
    if (attempt.key != wanted.key || nth++ != wanted.nth) continue;
    return attempt.left ? &*attempt.left : &own_.At(attempt.record);
  }
  return nullptr;
}

void QueueCompare::ComparePod(const std::string& name, const RecordedPod& wanted, const Record* got,
                              bool plugins) {
  const auto differs = [&](const char* field, const std::string& a, const std::string& b) {
    return QueueMismatch{0, "", fmt::format("pods.{}.{}", name, field), a, b};
  };
  if (got == nullptr) {
    log_.Compare(pods_, false, [&] { return differs("q", wanted.place, "not there"); });
    return;
  }
  const auto number = [&](const char* field, std::int64_t a, std::int64_t b) {
    log_.Compare(pods_, a == b,
                 [&] { return differs(field, std::to_string(a), std::to_string(b)); });
  };
  const auto time = [&](const char* field, Nanos a, Nanos b) {
    log_.Compare(pods_, a == b, [&] { return differs(field, TimeText(a), TimeText(b)); });
  };
  log_.Compare(pods_, wanted.object == got->pod.object, [&] {
    return differs("pod", objects_.Id(wanted.object), objects_.Id(got->pod.object));
  });
  number("attempts", wanted.attempts, got->attempts);
  time("ts", wanted.timestamp, got->timestamp);
  time("init", wanted.initial_attempt, got->initial_attempt);
  time("expiry", wanted.expiry, got->expiry);
  number("gated", wanted.gated, got->gated);
  if (own_.rules().has_gating_plugin()) {
    number("unschedulableCount", wanted.unschedulable_count, got->unschedulable_count);
    number("consecutiveErrorsCount", wanted.consecutive_errors, got->consecutive_errors);
    number("gatingPlugin", wanted.gating_plugin, got->gating_plugin);
    number("wasFlushed", wanted.was_flushed, got->was_flushed);
  }
  if (own_.rules().remembers_flush()) time("flushTs", wanted.flushed, got->flushed);
  if (!plugins) return;
  const auto set = [&](const char* field, queue::PluginSet a, queue::PluginSet b) {
    log_.Compare(pods_, a == b, [&] { return differs(field, Text(a), Text(b)); });
  };
  set("unsched", wanted.unschedulable, got->unschedulable);
  set("pending", wanted.pending, got->pending);
}

void QueueCompare::ComparePods(const RecordedState& wanted,
                               const std::vector<HeldAttempt>& attempts, queue::PodKey popped) {
  for (const auto& [name, pod] : wanted.pods) {
    const bool flying = pod.place == "inFlight";
    ComparePod(name, pod, OwnRecord(pod, attempts), !flying || pod.key == popped);
  }
  const std::size_t got = own_.active().size() + own_.backoff().size() +
                          own_.error_backoff().size() + own_.unschedulable().size() +
                          attempts.size();
  log_.Compare(pods_, wanted.pods.size() == got, [&] {
    return QueueMismatch{0, "", "pods", fmt::format("{} pods", wanted.pods.size()),
                         fmt::format("{} pods", got)};
  });
}

void QueueCompare::CompareFlight(const RecordedState& wanted) {
  std::vector<RecordedFlight> got;
  for (const queue::InFlightList::Entry& entry : own_.in_flight().entries()) {
    RecordedFlight one;
    one.is_pod = entry.is_pod;
    if (entry.is_pod) {
      one.key = entry.key;
    } else {
      one.label = entry.event.event.label;
      one.bits = entry.event.event.bits;
      one.old_object = entry.event.old_object;
      one.new_object = entry.event.new_object;
      one.seq = entry.seq;
    }
    got.push_back(one);
  }
  log_.Compare(flight_, wanted.in_flight == got, [&] {
    return QueueMismatch{0, "", "inFlight", Text(wanted.in_flight), Text(got)};
  });
}

void QueueCompare::CompareNominated(const RecordedState& wanted) {
  std::map<std::uint32_t, Keys> got;
  for (const auto& pod : nominator_.all()) got[pod.node].push_back(pod.key);
  log_.Compare(nominated_, wanted.nominated == got, [&] {
    std::string a, b;
    for (const auto& [node, keys] : wanted.nominated) a += objects_.nodes.Text(node) + Text(keys);
    for (const auto& [node, keys] : got) b += objects_.nodes.Text(node) + Text(keys);
    return QueueMismatch{0, "", "nominated", a, b};
  });
}

// Of a metric; `name` gives it.
void QueueCompare::CompareNumber(std::int64_t wanted, std::int64_t got, const auto& name) {
  if (wanted == 0 && got == 0) return;
  log_.Compare(metrics_, wanted == got, [&] {
    return QueueMismatch{0, "", "metrics." + name(), std::to_string(wanted), std::to_string(got)};
  });
}

void QueueCompare::CompareEntries(const RecordedMetrics::ByLabel& wanted,
                                  const std::vector<std::array<std::uint64_t, 3>>& got,
                                  const char* metric, const char* type) {
  for (std::size_t label = 0; label < std::max(got.size(), wanted.size()); ++label) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t a = label < wanted.size() ? wanted[label][i] : 0;
      const std::int64_t b =
          label < got.size() ? static_cast<std::int64_t>(got[label][i]) : std::int64_t{0};
      CompareNumber(a, b, [&] {
        return fmt::format("{}/{}/{}{}", metric, kQueueNames[i],
                           objects_.labels.Text(static_cast<std::uint32_t>(label)), type);
      });
    }
  }
}

void QueueCompare::CompareMetrics(const RecordedMetrics& wanted) {
  const queue::QueueMetrics& own = own_.metrics();
  const std::array<std::int64_t, kQueueNames.size()> pending = {
      static_cast<std::int64_t>(own_.active().size()),
      static_cast<std::int64_t>(own_.backoff().size() + own_.error_backoff().size()),
      own.unschedulable, own.gated};
  const bool entities = own_.rules().counts_entities();
  for (std::size_t i = 0; i < pending.size(); ++i) {
    CompareNumber(wanted.pending[i], pending[i],
                  [&] { return fmt::format("pending_pods/{}", kQueueNames[i]); });
    if (!entities) continue;
    CompareNumber(wanted.entities[i], pending[i],
                  [&] { return fmt::format("queued_entities/{}/pod", kQueueNames[i]); });
  }
  CompareEntries(wanted.incoming, own.incoming, "queue_incoming_pods_total", "");
  if (entities) {
    CompareEntries(wanted.incoming_entities, own.incoming_entities, "queue_incoming_entities_total",
                   "/pod");
  }
  for (std::size_t plugin = 0; plugin < objects_.plugins.size(); ++plugin) {
    CompareNumber(wanted.rejected_by[plugin], own.rejected_by[plugin], [&] {
      return "unschedulable_pods/" + objects_.plugins.Text(static_cast<std::uint32_t>(plugin));
    });
  }
}

void QueueCompare::Compare(const RecordedState& wanted, const std::vector<HeldAttempt>& attempts,
                           queue::PodKey popped) {
  CompareLists(wanted);
  ComparePods(wanted, attempts, popped);
  CompareFlight(wanted);
  CompareNominated(wanted);
  const auto cycle = [&](const char* field, std::int64_t a, std::int64_t b) {
    log_.Compare(cycles_, a == b, [&] {
      return QueueMismatch{0, "", field, std::to_string(a), std::to_string(b)};
    });
  };
  cycle("schedulingCycle", wanted.scheduling_cycle, own_.scheduling_cycle());
  cycle("moveRequestCycle", wanted.move_request_cycle, own_.move_request_cycle());
  CompareMetrics(wanted.metrics);
}

}  // namespace schedlens::verify
