#pragma once

// A recorded run of a real scheduling queue: its texts as numbers, its objects, its header.

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/queue/priority_queue.h"

namespace schedlens::verify {

using sim::Nanos;

namespace queue = sim::queue;
using Json = nlohmann::json;

/// Texts by number, dense from 0 in order of first use.
class Numbers {
 public:
  std::uint32_t Of(const std::string& text);
  const std::string& Text(std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> texts_;
};

/// One version of an object.
struct TraceObject {
  std::shared_ptr<const Json> json;
  bool is_pod = false, is_group = false;
  bool assigned = false;  ///< a pod with a node
  queue::PodVersion pod;  ///< of a pod or a PodGroup
};

/// Numbers and objects of one trace.
class TraceObjects {
 public:
  TraceObjects();

  Numbers keys, uids, nodes, labels, resources, plugins;

  /// Takes in an object; `id` may be known already.
  void Put(const std::string& id, const Json& json);
  /// The number of an object id; 0 for null. Throws Error(kFailed) for one never put.
  queue::ObjectId Number(const Json& id) const;
  const TraceObject& At(queue::ObjectId id) const { return objects_[id]; }
  const std::string& Id(queue::ObjectId id) const { return ids_[id]; }
  /// A pod by its object id. Throws Error(kFailed) if it is none.
  const queue::PodVersion& Pod(const Json& id) const;
  /// The same of a PodGroup.
  const queue::PodVersion& Group(const Json& id) const;
  queue::PluginId Plugin(const std::string& name);
  queue::PluginSet Plugins(const Json& names);

 private:
  std::unordered_map<std::string, queue::ObjectId> numbers_;
  std::vector<TraceObject> objects_;
  std::vector<std::string> ids_;
};

/// The first line of a trace.
struct TraceHeader {
  std::string release;
  int minor = 0;
  queue::QueueRules rules;
  queue::PriorityQueueSettings settings;
  /// Plugins and what they registered for; a registration's id is its index here.
  struct Registered {
    queue::PluginId plugin = 0;
    std::string text;  ///< `Node:Add|UpdateNodeLabel`
    bool always = false;
    queue::Registration registration;
  };
  std::vector<Registered> registered;
  std::map<std::string, std::uint32_t> action_bits;
  std::uint32_t wildcard_bits = 0;
  std::shared_ptr<const Json> gates, namespaces;
  std::vector<queue::PluginId> pre_enqueue;
};

/// Throws Error(kFailed) or Json::exception for a header that lacks something.
TraceHeader ReadTraceHeader(const Json& json, TraceObjects& objects);

/// A time or duration of a trace. Throws Error(kFailed) for one outside 0 to a hundred years.
Nanos ReadMillis(const Json& json);

/// An event of a line, with its objects.
queue::EventInstance ReadTraceEvent(const Json& event, const Json& old_id, const Json& new_id,
                                    const TraceHeader& header, TraceObjects& objects);

/// Throws Error(kFailed).
[[noreturn]] void FailTrace(const std::string& what);

}  // namespace schedlens::verify
