#include "verify/queue_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schedlens/error.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/cluster/object_fields.h"

namespace schedlens::verify {
namespace {

// Releases that our objects know: older ones read as the oldest.
sim::Release KnownRelease(int minor) {
  return {std::clamp(minor, sim::Release::kOldest, sim::Release::kNewest)};
}

// Without what no scheduler looks at when a waiting pod changes (up to 1.31).
Json Essence(const Json& pod, bool claim_statuses) {
  Json out = pod;
  for (const char* field : {"resourceVersion", "generation", "managedFields", "finalizers"}) {
    out["metadata"].erase(field);
  }
  const auto status = out.find("status");
  if (status == out.end()) return out;
  const Json claims = status->value("resourceClaimStatuses", Json());
  out.erase("status");
  if (claim_statuses && !claims.is_null()) out["claims"] = claims;
  return out;
}

}  // namespace

TraceSpecs::TraceSpecs(const TraceHeader& header, const TraceObjects& objects)
    : objects_(objects),
      cluster_(KnownRelease(header.minor), std::make_shared<sim::core::Strings>()) {
  sim::core::Loaded loaded;
  for (const Json& one : *header.namespaces) {
    sim::core::PutFrom({{"kind", "Namespace"}, {"metadata", one}}, cluster_, loaded);
  }
}

const sim::core::PodSpec& TraceSpecs::Pod(queue::ObjectId id) {
  const auto [at, added] = pods_.try_emplace(id);
  if (added) {
    std::map<std::string, int> ignored;
    at->second = sim::core::PodFrom(*objects_.At(id).json, cluster_.strings(), ignored).spec;
    Resolve(at->second, cluster_.release());
  }
  return at->second;
}

const sim::core::Node& TraceSpecs::Node(queue::ObjectId id) {
  const auto [at, added] = nodes_.try_emplace(id);
  if (added) {
    at->second = sim::core::NodeFrom(*objects_.At(id).json, cluster_.strings());
  }
  return at->second;
}

TraceHost::TraceHost(const TraceHeader& header, TraceObjects& objects, TraceSpecs& specs,
                     QueueLog& log)
    : header_(header),
      objects_(objects),
      specs_(specs),
      log_(log),
      hint_rows_(log.Kind("hint rows")),
      spread_(objects.Plugin("PodTopologySpread")) {
  for (std::uint32_t i = 0; i < header.registered.size(); ++i) {
    const TraceHeader::Registered& one = header.registered[i];
    registrations_[objects.plugins.Text(one.plugin) + " " + one.text] = i;
  }
}

void TraceHost::ReadHints(const Json& rows) {
  for (const Json& row : rows) {
    const auto registration = registrations_.find(row.at(2).get_ref<const std::string&>() + " " +
                                                  row.at(3).get_ref<const std::string&>());
    if (registration == registrations_.end()) {
      throw Error(ErrorKind::kFailed, "unknown registration in hints: " + row.dump());
    }
    const std::string& verdict = row.at(4).get_ref<const std::string&>();
    if (verdict != "Queue" && verdict != "Skip" && verdict != "Error") {
      throw Error(ErrorKind::kFailed, fmt::format("unknown verdict `{}`", verdict));
    }
    hints_[HintKey(objects_.keys.Of(row.at(0).get_ref<const std::string&>()),
                   row.at(1).get<std::size_t>(), registration->second)] = verdict != "Skip";
  }
}

void TraceHost::StartLine(const Json& line) {
  if (line.contains("objects")) {
    for (const auto& object : line["objects"].items()) objects_.Put(object.key(), object.value());
  }
  if (line.contains("lister")) {
    for (const auto& pod : line["lister"].items()) {
      lister_[objects_.keys.Of(pod.key())] = objects_.Number(pod.value());
    }
  }
  if (line.contains("preEnqueueFails")) {
    for (const auto& pod : line["preEnqueueFails"].items()) {
      auto& plugins = pre_enqueue_[objects_.keys.Of(pod.key())];
      plugins.clear();
      for (const Json& name : pod.value()) plugins.push_back(objects_.Plugin(name));
    }
  }
  hints_.clear();
  if (line.contains("hints")) ReadHints(line["hints"]);
  visit_order_.clear();
  if (line.contains("visitOrder")) {
    for (const Json& key : line["visitOrder"]) {
      visit_order_.push_back(objects_.keys.Of(key.get_ref<const std::string&>()));
    }
  }
}

// The table is complete: a question without a row means that the registration matches here only.
bool TraceHost::HintQueues(const queue::PodVersion& pod, queue::PluginId plugin,
                           const queue::Registration& registration,
                           const queue::EventInstance& event, std::size_t ordinal) {
  const auto row = hints_.find(HintKey(pod.key, ordinal, registration.id));
  const bool found = row != hints_.end();
  log_.Compare(hint_rows_, found, [&] {
    return QueueMismatch{
        0, "",
        fmt::format("hints.{}.{}", objects_.keys.Text(pod.key), objects_.plugins.Text(plugin)),
        "no match",
        fmt::format("{} matches {}", header_.registered[registration.id].text,
                    objects_.labels.Text(event.event.label))};
  });
  return found && row->second;
}

queue::PluginId TraceHost::PreEnqueue(const queue::PodVersion& pod, queue::PluginId first) {
  const auto rejecting = pre_enqueue_.find(pod.key);
  if (rejecting == pre_enqueue_.end() || rejecting->second.empty()) return queue::kNoPlugin;
  const std::vector<queue::PluginId>& plugins = rejecting->second;
  const bool asked = std::find(plugins.begin(), plugins.end(), first) != plugins.end();
  return asked ? first : plugins.front();
}

bool TraceHost::ListedWithoutNode(const queue::PodVersion& pod) const {
  const auto known = lister_.find(pod.key);
  return known != lister_.end() && known->second != 0 && !objects_.At(known->second).assigned;
}

bool TraceHost::AffinitySelects(const queue::PodVersion& waiting, const queue::PodVersion& assigned,
                                bool anti) {
  const sim::core::PodSpec& spec = specs_.Pod(waiting.object);
  const sim::core::PodSpec& other = specs_.Pod(assigned.object);
  const auto any = [&](const std::vector<sim::core::PodAffinityTerm>& terms) {
    return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
      return sim::core::Matches(term, other, specs_.cluster());
    });
  };
  return any(spec.required_affinity) || (anti && any(spec.required_anti_affinity));
}

bool TraceHost::SpreadConcerns(const queue::Record& waiting, const queue::PodVersion& assigned) {
  return queue::Has(waiting.unschedulable, spread_) &&
         specs_.Pod(waiting.pod.object).namespace_name ==
             specs_.Pod(assigned.object).namespace_name;
}

bool TraceHost::Differs(const queue::PodVersion& old, const queue::PodVersion& pod) {
  const bool claims = header_.minor >= 27;
  return Essence(*objects_.At(old.object).json, claims) !=
         Essence(*objects_.At(pod.object).json, claims);
}

void TraceHost::Shuffle(const queue::Records& records, std::vector<queue::RecordId>& pods) {
  const auto rank = [&](queue::RecordId id) {
    return std::find(visit_order_.begin(), visit_order_.end(), records[id].pod.key) -
           visit_order_.begin();
  };
  // Those that the trace does not order are taken by name.
  std::sort(pods.begin(), pods.end(), [&](queue::RecordId a, queue::RecordId b) {
    const auto first = rank(a), second = rank(b);
    if (first != second) return first < second;
    return objects_.keys.Text(records[a].pod.key) < objects_.keys.Text(records[b].pod.key);
  });
}

}  // namespace schedlens::verify
