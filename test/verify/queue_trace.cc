#include "verify/queue_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "schedlens/error.h"

namespace schedlens::verify {
namespace {

constexpr const char* kFormat = "1";
const std::string kGroupPrefix = "podgroup/";  // of the keys of groups
constexpr std::size_t kMost = 60000;           // different labels or resources

// Events of a kind of pods are recorded under these names.
// By queue::KnownLabel, as releases up to 1.31 spell them.
constexpr std::string_view kLabels[queue::kFirstOwnLabel] = {"",
                                                             "PodAdd",
                                                             "ScheduleAttemptFailure",
                                                             "BackoffComplete",
                                                             "PopFromBackoffQ",
                                                             "ForceActivate",
                                                             "UnschedulableTimeout",
                                                             "AssignedPodAdd",
                                                             "PodUpdate"};
constexpr std::string_view kResources[queue::kFirstOwnResource] = {"*", "Pod", "AssignedPod",
                                                                   "UnschedulablePod"};

// What unscheduled pods are called in names of events.
std::string_view UnscheduledName(int minor) {
  if (minor < 32) return "";
  return minor < 37 ? "Unschedulable" : "Unscheduled";
}

const Json& Inner(const Json& json, const char* first, const char* second) {
  static const Json kNull;
  if (!json.contains(first)) return kNull;
  const Json& inner = json[first];
  return inner.is_object() && inner.contains(second) ? inner[second] : kNull;
}

std::string TextOr(const Json& json, const char* otherwise) {
  return json.is_string() ? json.get<std::string>() : otherwise;
}

int MinorOf(const std::string& release) {
  int major = 0, minor = 0;
  if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) != 2 || major != 1) {
    FailTrace(fmt::format("header: release `{}` is not 1.N", release));
  }
  return minor;
}

void ReadRegistrations(const Json& events, TraceHeader& header, TraceObjects& objects) {
  for (const auto& of_plugin : events.items()) {
    const queue::PluginId plugin = objects.Plugin(of_plugin.key());
    for (const Json& event : of_plugin.value()) {
      TraceHeader::Registered one;
      one.plugin = plugin;
      const auto resource = event.at("resource").get<std::string>();
      one.text = fmt::format("{}:{}", resource,
                             fmt::join(event.at("action").get<std::vector<std::string>>(), "|"));
      one.always = event.at("hint") == "always Queue";
      one.registration.resource = static_cast<queue::Resource>(objects.resources.Of(resource));
      one.registration.bits = event.at("bits").get<std::uint32_t>();
      one.registration.id = static_cast<std::uint32_t>(header.registered.size());
      header.registered.push_back(std::move(one));
    }
  }
}

}  // namespace

void FailTrace(const std::string& what) { throw Error(ErrorKind::kFailed, what); }

std::uint32_t Numbers::Of(const std::string& text) {
  const auto [at, added] = numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (added) texts_.push_back(text);
  return at->second;
}

TraceObjects::TraceObjects() {
  nodes.Of("");
  for (const std::string_view name : kResources) resources.Of(std::string(name));
  objects_.emplace_back();
  ids_.emplace_back();
}

void TraceObjects::Put(const std::string& id, const Json& json) {
  TraceObject object;
  object.is_pod = id.starts_with("pod/");
  object.is_group = id.starts_with("podgroup/");
  const auto number = static_cast<queue::ObjectId>(objects_.size());
  if (object.is_pod || object.is_group) {
    object.assigned = !TextOr(Inner(json, "spec", "nodeName"), "").empty();
    const std::string space = TextOr(Inner(json, "metadata", "namespace"), "default") + "/";
    const std::string key = space + json.at("metadata").at("name").get<std::string>();
    const Json& priority = Inner(json, "spec", "priority");
    object.pod = {keys.Of(object.is_pod ? key : kGroupPrefix + key),
                  uids.Of(json.at("metadata").at("uid").get<std::string>()), number,
                  priority.is_null() ? 0 : priority.get<std::int32_t>(),
                  nodes.Of(TextOr(Inner(json, "status", "nominatedNodeName"), ""))};
    const Json spec = json.value("spec", Json());
    const std::string name = TextOr(Inner(spec, "schedulingGroup", "podGroupName"), "");
    if (!name.empty()) object.pod.group = keys.Of(kGroupPrefix + space + name);
  }
  object.json = std::make_shared<const Json>(json);
  if (!numbers_.emplace(id, number).second) FailTrace(fmt::format("object `{}` comes twice", id));
  objects_.push_back(std::move(object));
  ids_.push_back(id);
}

queue::ObjectId TraceObjects::Number(const Json& id) const {
  if (id.is_null()) return 0;
  const auto known = numbers_.find(id.get_ref<const std::string&>());
  if (known == numbers_.end()) FailTrace(fmt::format("unknown object {}", id.dump()));
  return known->second;
}

const queue::PodVersion& TraceObjects::Pod(const Json& id) const {
  const TraceObject& object = At(Number(id));
  if (!object.is_pod) FailTrace(fmt::format("{} is not a pod", id.dump()));
  return object.pod;
}

const queue::PodVersion& TraceObjects::Group(const Json& id) const {
  const TraceObject& object = At(Number(id));
  if (!object.is_group) FailTrace(fmt::format("{} is not a PodGroup", id.dump()));
  return object.pod;
}

queue::PluginId TraceObjects::Plugin(const std::string& name) {
  const std::uint32_t number = plugins.Of(name);
  if (number >= queue::kMaxPlugins) FailTrace("more than 64 plugins");
  return static_cast<queue::PluginId>(number);
}

queue::PluginSet TraceObjects::Plugins(const Json& names) {
  queue::PluginSet out = 0;
  for (const Json& name : names) out |= queue::SetOf(Plugin(name.get<std::string>()));
  return out;
}

TraceHeader ReadTraceHeader(const Json& json, TraceObjects& objects) {
  if (!json.value("header", false)) FailTrace("not a trace of a scheduling queue: no header");
  if (json.at("format").dump() != kFormat) {
    FailTrace(fmt::format("header: format {} is unknown", json["format"].dump()));
  }
  TraceHeader header;
  header.release = json.at("release").get<std::string>();
  header.minor = MinorOf(header.release);
  if (header.minor < 18) FailTrace(fmt::format("release {} is too old", header.release));
  header.gates = std::make_shared<const Json>(json.at("featureGates"));
  header.namespaces = std::make_shared<const Json>(json.at("namespaces"));
  const queue::QueueGates usual = queue::DefaultGates(header.minor);
  header.rules = {header.minor,
                  {header.gates->value("SchedulerQueueingHints", usual.queueing_hints),
                   header.gates->value("SchedulerPopFromBackoffQ", false),
                   header.gates->value("GenericWorkload", false)}};
  if (header.rules.gates.pod_groups && header.minor < 37) {
    FailTrace(
        fmt::format("header: pod groups (GenericWorkload) of {} are not played", header.release));
  }

  for (const std::string_view label : kLabels) {
    const bool of_pod = label == "PodAdd" || label == "PodUpdate";
    objects.labels.Of(std::string(of_pod ? UnscheduledName(header.minor) : "") +
                      std::string(label));
  }
  header.action_bits = json.at("actionBits").get<std::map<std::string, std::uint32_t>>();
  header.wildcard_bits = json.at("wildcardBits").get<std::uint32_t>();
  ReadRegistrations(json.at("events"), header, objects);
  for (const Json& name : json.at("preEnqueuePlugins")) {
    header.pre_enqueue.push_back(objects.Plugin(name.get<std::string>()));
  }
  const Json& settings = json.at("settings");
  const auto millis = [&](const char* name) { return ReadMillis(settings.at(name)); };
  header.settings.backoff.initial = millis("podInitialBackoffMs");
  header.settings.backoff.max = millis("podMaxBackoffMs");
  header.settings.backoff.start =
      json.at("startUnixMs").get<std::int64_t>() % 1000 * sim::kMillisecond;
  header.settings.leftover_after = millis("podMaxInUnschedulablePodsMs");
  const auto scale_down = header.action_bits.find("UpdatePodScaleDown");
  if (scale_down != header.action_bits.end()) header.settings.scale_down = scale_down->second;
  header.settings.force_activate.bits = header.wildcard_bits;
  header.settings.leftover.bits = header.wildcard_bits;
  header.settings.assigned_pod_add.bits = header.action_bits.at("Add");
  if (header.minor < 32) header.settings.assigned_pod_add.resource = queue::kPod;
  header.settings.scheduling_gates = objects.Plugin("SchedulingGates");
  if (header.settings.backoff.initial <= 0 || header.settings.backoff.max < 0 ||
      header.settings.leftover_after < 0) {
    FailTrace("header: a duration in the settings is not positive");
  }
  return header;
}

Nanos ReadMillis(const Json& json) {
  constexpr std::int64_t kCentury = std::int64_t{100} * 366 * 86'400'000;
  const auto millis = json.get<std::int64_t>();
  // A back-off may have ended up to a second before the start.
  if (millis < -1000 || millis > kCentury) FailTrace(fmt::format("no time: {}", json.dump()));
  return millis * sim::kMillisecond;
}

queue::EventInstance ReadTraceEvent(const Json& event, const Json& old_id, const Json& new_id,
                                    const TraceHeader& header, TraceObjects& objects) {
  queue::EventInstance out;
  const std::uint32_t resource = objects.resources.Of(event.at("resource").get<std::string>());
  out.event.resource = static_cast<queue::Resource>(resource);
  out.event.bits = event.at("bits").get<std::uint32_t>();
  out.event.label =
      static_cast<queue::LabelId>(objects.labels.Of(event.at("label").get<std::string>()));
  if (objects.labels.size() > kMost || objects.resources.size() > kMost)
    FailTrace("too many events");
  out.event.wildcard = resource == queue::kAnyResource && out.event.bits == header.wildcard_bits;
  out.old_object = objects.Number(old_id);
  out.new_object = objects.Number(new_id);
  if (objects.At(out.new_object).is_pod) out.new_pod = objects.At(out.new_object).pod.uid;
  return out;
}

}  // namespace schedlens::verify
