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

// The pods outside the queues: pending or incomplete.
std::vector<queue::RecordId> Waiting(const queue::PriorityQueue& own, bool pending) {
  std::vector<queue::RecordId> out = own.waiting();
  std::erase_if(out,
                [&](queue::RecordId id) { return own.Knows(own.At(id).pod.group) != pending; });
  return out;
}

// In the order in which popping would give them; the array may be out of order (a group's priority
// changes without its moving).
Keys Popped(const queue::PodHeap& heap, const queue::PriorityQueue& own) {
  std::vector<queue::RecordId> items = heap.items();
  const auto less = [&](std::size_t a, std::size_t b) {
    return heap.order()(own.At(items[a]), own.At(items[b]));
  };
  Keys out;
  while (!items.empty()) {
    out.push_back(own.At(items.front()).pod.key);
    items.front() = items.back();
    items.pop_back();
    for (std::size_t at = 0, child = 1; child < items.size(); child = 2 * at + 1) {
      if (child + 1 < items.size() && less(child + 1, child)) ++child;
      if (!less(child, at)) break;
      std::swap(items[at], items[child]);
      at = child;
    }
  }
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
  const bool groups = header.rules.gates.pod_groups;
  const std::size_t lists = groups ? kKeyLists.size() : std::size_t{kWithoutGroups};
  for (std::size_t i = 0; i < lists; ++i) list_counts_[i] = &log.Kind(kKeyLists[i]);
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
  const auto among = [&](const std::vector<queue::RecordId>& ids) -> const Record* {
    for (const queue::RecordId id : ids) {
      if (own_.At(id).pod.key == wanted.key) return &own_.At(id);
    }
    return nullptr;
  };
  const bool in_group = wanted.entity != queue::kNone;
  for (const auto& [name, place] : kPlaces) {
    if (wanted.place != name) continue;
    const queue::RecordId id = own_.Find(place, in_group ? wanted.entity : wanted.key);
    if (id == queue::kNone) return nullptr;
    return in_group ? among(own_.At(id).members) : &own_.At(id);
  }
  if (wanted.place == "incomplete") return among(Waiting(own_, false));
  if (wanted.place == "pending") return among(Waiting(own_, true));
  const queue::RecordId group = own_.flying_group();
  if (group != queue::kNone && own_.At(group).pod.key == wanted.key) return &own_.At(group);
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
                               const std::vector<HeldAttempt>& attempts, const Keys& popped) {
  for (const auto& [name, pod] : wanted.pods) {
    const bool flying =
        pod.place == "inFlight" && std::ranges::find(popped, pod.key) == popped.end();
    ComparePod(name, pod, OwnRecord(pod, attempts), !flying);
  }
  std::size_t got = attempts.size();
  const Sizes sizes = OwnSizes();
  for (const std::int64_t pods : sizes.pods) got += static_cast<std::size_t>(pods);
  log_.Compare(pods_, wanted.pods.size() == got, [&] {
    return QueueMismatch{0, "", "pods", fmt::format("{} pods", wanted.pods.size()),
                         fmt::format("{} pods", got)};
  });
}

void QueueCompare::CompareGroups(const RecordedState& wanted) {
  for (const bool pending : {false, true}) {
    const KeyList list = pending ? KeyList::kPending : KeyList::kIncomplete;
    CompareKeys(list, wanted.lists[static_cast<std::size_t>(list)],
                SortedByText(KeysOf(Waiting(own_, pending), own_)));
  }
  for (const auto& [name, group] : wanted.groups) {
    const Record* got = OwnRecord(group, {});
    ComparePod(name, group, got, true);
    if (got == nullptr) continue;
    const Keys members = KeysOf(got->members, own_);
    log_.Compare(pods_, group.members == members, [&] {
      return QueueMismatch{0, "", "groups." + name + ".pods", Text(group.members), Text(members)};
    });
  }
  std::int64_t got = own_.flying_group() == queue::kNone ? 0 : 1;
  const Sizes sizes = OwnSizes();
  for (const std::int64_t count : sizes.entities[1]) got += count;
  log_.Compare(pods_, std::cmp_equal(wanted.groups.size(), got), [&] {
    return QueueMismatch{0, "", "groups", fmt::format("{} groups", wanted.groups.size()),
                         fmt::format("{} groups", got)};
  });
  const auto flying =
      own_.flying_group() == queue::kNone ? queue::kNone : own_.At(own_.flying_group()).pod.key;
  log_.Compare(pods_, wanted.flying_group == flying, [&] {
    const auto text = [&](queue::PodKey key) {
      return key == queue::kNone ? "" : objects_.keys.Text(key);
    };
    return QueueMismatch{0, "", "lastPopped", text(wanted.flying_group), text(flying)};
  });
}

QueueCompare::Sizes QueueCompare::OwnSizes() const {
  Sizes out;
  const auto count = [&](std::size_t queue, const std::vector<queue::RecordId>& ids) {
    for (const queue::RecordId id : ids) {
      const Record& record = own_.At(id);
      const std::size_t at = queue == 2 && record.gated ? 3 : queue;
      out.pods[at] += static_cast<std::int64_t>(record.pods());
      if (at < 4) ++out.entities[record.IsGroup() ? 1 : 0][at];
    }
  };
  count(0, own_.active().items());
  count(1, own_.backoff().items());
  count(1, own_.error_backoff().items());
  count(2, own_.unschedulable());
  count(4, Waiting(own_, false));
  count(5, Waiting(own_, true));
  return out;
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
                                  queue::QueueMetrics::Counted what, const char* metric,
                                  const std::string& type) {
  const queue::QueueMetrics& own = own_.metrics();
  for (std::size_t label = 0; label < std::max(own.incoming.size(), wanted.size()); ++label) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t a = label < wanted.size() ? wanted[label][i] : 0;
      const auto b =
          static_cast<std::int64_t>(own.Incoming(i, static_cast<queue::LabelId>(label), what));
      CompareNumber(a, b, [&] {
        return fmt::format("{}/{}/{}{}", metric, kQueueNames[i],
                           objects_.labels.Text(static_cast<std::uint32_t>(label)), type);
      });
    }
  }
}

void QueueCompare::CompareMetrics(const RecordedMetrics& wanted) {
  using Metrics = queue::QueueMetrics;
  const Metrics& own = own_.metrics();
  // What the gauges of the unschedulable pods show may be wrong, in the original as well.
  Sizes sizes = OwnSizes();
  sizes.pods[2] = own.unschedulable;
  sizes.pods[3] = own.gated;
  CompareEntries(wanted.incoming, Metrics::kPods, "queue_incoming_pods_total", "");
  for (std::size_t i = 0; i < kQueueNames.size(); ++i) {
    CompareNumber(wanted.pending[i], sizes.pods[i],
                  [&] { return fmt::format("pending_pods/{}", kQueueNames[i]); });
  }
  for (std::size_t type = 0; type < kEntityTypes.size() && own_.rules().minor >= 37; ++type) {
    for (std::size_t i = 0; i < kQueueNames.size(); ++i) {
      CompareNumber(wanted.entities[type][i], sizes.entities[type][i], [&] {
        return fmt::format("queued_entities/{}/{}", kQueueNames[i], kEntityTypes[type]);
      });
    }
    CompareEntries(wanted.incoming_entities[type],
                   type == 0 ? Metrics::kSinglePods : Metrics::kGroups,
                   "queue_incoming_entities_total", fmt::format("/{}", kEntityTypes[type]));
  }
  for (std::size_t plugin = 0; plugin < objects_.plugins.size(); ++plugin) {
    CompareNumber(wanted.rejected_by[plugin], own.rejected_by[plugin], [&] {
      return "unschedulable_pods/" + objects_.plugins.Text(static_cast<std::uint32_t>(plugin));
    });
  }
}

void QueueCompare::Compare(const RecordedState& wanted, const std::vector<HeldAttempt>& attempts,
                           const Keys& popped) {
  CompareLists(wanted);
  ComparePods(wanted, attempts, popped);
  if (own_.rules().gates.pod_groups) CompareGroups(wanted);
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
