#include "verify/queue_state.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "schedlens/error.h"

namespace schedlens::verify {
namespace {

Keys ReadKeys(const Json& json, TraceObjects& objects) {
  Keys out;
  out.reserve(json.size());
  for (const Json& key : json) out.push_back(objects.keys.Of(key.get_ref<const std::string&>()));
  return out;
}

Nanos ReadTime(const Json& json) { return json.is_null() ? queue::kNever : ReadMillis(json); }

RecordedPod ReadPod(const std::string& name, const Json& json, TraceObjects& objects) {
  RecordedPod out;
  out.key = objects.keys.Of(name.substr(0, name.find('#')));
  out.place = json.at("q").get<std::string>();
  const bool group = json.contains("podGroup");
  out.object = objects.Number(json.at(group ? "podGroup" : "pod"));
  if (group) out.members = ReadKeys(json.at("pods"), objects);
  if (json.contains("entity")) out.entity = objects.keys.Of(json["entity"].get<std::string>());
  out.attempts = json.at("attempts").get<std::int64_t>();
  out.timestamp = ReadTime(json.at("ts"));
  out.initial_attempt = ReadTime(json.at("init"));
  out.expiry = ReadTime(json.at("expiry"));
  out.unschedulable = objects.Plugins(json.at("unsched"));
  out.pending = objects.Plugins(json.at("pending"));
  out.gated = json.at("gated").get<bool>();
  out.unschedulable_count = json.value("unschedulableCount", std::int64_t{0});
  out.consecutive_errors = json.value("consecutiveErrorsCount", std::int64_t{0});
  const std::string gate = json.value("gatingPlugin", "");
  if (!gate.empty()) out.gating_plugin = objects.Plugin(gate);
  out.was_flushed = json.value("wasFlushed", false);
  if (json.contains("flushTs")) out.flushed = ReadTime(json["flushTs"]);
  return out;
}

RecordedFlight ReadFlight(const Json& json, TraceObjects& objects) {
  RecordedFlight out;
  out.is_pod = json.contains("pod");
  if (out.is_pod) {
    out.key = objects.keys.Of(json["pod"].get<std::string>());
    return out;
  }
  out.label = objects.labels.Of(json.at("event").get<std::string>());
  out.bits = json.at("bits").get<std::uint32_t>();
  out.old_object = objects.Number(json.at("old"));
  out.new_object = objects.Number(json.at("new"));
  out.seq = json.at("seq").get<std::uint64_t>();
  return out;
}

// The n-th attempt in flight of a key: `key#inFlight2` comes after `key#inFlight`, and that after
// `key` if this is in flight as well.
void NumberAttempts(std::map<std::string, RecordedPod>& pods) {
  for (auto& [name, pod] : pods) {
    if (pod.place != "inFlight") continue;
    const std::size_t mark = name.find('#');
    if (mark == std::string::npos) {
      pod.nth = 0;
      continue;
    }
    const std::string tail = name.substr(std::min(mark + 1 + pod.place.size(), name.size()));
    pod.nth = tail.empty() ? 0 : static_cast<std::size_t>(std::atoi(tail.c_str())) - 1;
    const auto base = pods.find(name.substr(0, mark));
    if (base != pods.end() && base->second.place == "inFlight") ++pod.nth;
  }
}

}  // namespace

void RecordedMetrics::Set(const std::string& name, std::int64_t value, TraceObjects& objects) {
  const std::size_t first = name.find('/');
  const std::string family = name.substr(0, first);
  const std::string rest = first == std::string::npos ? "" : name.substr(first + 1);
  if (family == "unschedulable_pods" && !rest.empty()) {
    rejected_by[objects.Plugin(rest)] = value;
    return;
  }
  const std::size_t second = rest.find('/');
  const auto* queue_name =
      std::find(kQueueNames.begin(), kQueueNames.end(), rest.substr(0, second));
  const auto queue_index = static_cast<std::size_t>(queue_name - kQueueNames.begin());
  const std::string what = second == std::string::npos ? "" : rest.substr(second + 1);
  const auto enter = [&](ByLabel& by_label, const std::string& event) {
    const std::uint32_t label = objects.labels.Of(event);
    if (label >= by_label.size()) by_label.resize(label + std::size_t{1});
    by_label[label][queue_index] = value;
  };
  const auto type = static_cast<std::size_t>(
      std::find(kEntityTypes.begin(), kEntityTypes.end(), what.substr(what.rfind('/') + 1)) -
      kEntityTypes.begin());
  const bool known = queue_index < kQueueNames.size(), entered = queue_index < 3 && !what.empty();
  if (family == "pending_pods" && known && what.empty()) {
    pending[queue_index] = value;
  } else if (family == "queued_entities" && known && type < kEntityTypes.size()) {
    entities[type][queue_index] = value;
  } else if (family == "queue_incoming_pods_total" && entered) {
    enter(incoming, what);
  } else if (family == "queue_incoming_entities_total" && entered && type < kEntityTypes.size()) {
    enter(incoming_entities[type], what.substr(0, what.rfind('/')));
  } else {
    throw Error(ErrorKind::kFailed, "unknown metric `" + name + "`");
  }
}

void RecordedState::Apply(const Json& changes, bool full, TraceObjects& objects) {
  if (full) *this = RecordedState();
  for (const auto& change : changes.items()) {
    const std::string& name = change.key();
    const Json& value = change.value();
    if (name == "pods") {
      for (const auto& pod : value.items()) {
        if (pod.value().is_null()) {
          pods.erase(pod.key());
        } else {
          pods.insert_or_assign(pod.key(), ReadPod(pod.key(), pod.value(), objects));
        }
      }
      NumberAttempts(pods);
    } else if (name == "metrics") {
      for (const auto& one : value.items()) {
        metrics.Set(one.key(), one.value().get<std::int64_t>(), objects);
      }
    } else if (name == "inFlight") {
      in_flight.clear();
      for (const Json& one : value) in_flight.push_back(ReadFlight(one, objects));
    } else if (name == "nominated") {
      nominated.clear();
      for (const auto& one : value.items()) {
        nominated[objects.nodes.Of(one.key())] = ReadKeys(one.value(), objects);
      }
    } else if (name == "groups") {
      groups.clear();
      for (const auto& one : value.items()) {
        groups[one.key()] = ReadPod(one.key(), one.value(), objects);
      }
    } else if (name == "lastPopped") {
      const std::string& text = value.get_ref<const std::string&>();
      flying_group = text.starts_with("podgroup/") ? objects.keys.Of(text) : queue::kNone;
    } else if (name == "schedulingCycle") {
      scheduling_cycle = value.get<std::int64_t>();
    } else if (name == "moveRequestCycle") {
      move_request_cycle = value.get<std::int64_t>();
    } else {
      for (std::size_t i = 0; i < kKeyLists.size(); ++i) {
        if (name == kKeyLists[i]) lists[i] = ReadKeys(value, objects);
      }
    }
  }
}

}  // namespace schedlens::verify
