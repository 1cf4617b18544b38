#include "scheduler/engine/plugin_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scheduler/framework/plugin_table.h"
#include "scheduler/scenario/cluster.h"

namespace schedlens::sim {
namespace {

// A configured profile's plugins at that point, in its order. A plugin the table does not know
// costs as much as a plain one.
std::vector<PluginCall> OnlyThoseOf(const core::Profile& profile, ExtensionPoint point,
                                    std::vector<PluginCall> known) {
  using enum ExtensionPoint;
  static constexpr ExtensionPoint kConfigured[] = {kPreFilter, kFilter,  kPostFilter, kPreScore,
                                                   kScore,     kReserve, kPreBind,    kBind};
  const ExtensionPoint at = point == kScoreNormalize ? kScore
                            : point == kUnreserve    ? kReserve
                                                     : point;
  if (std::find(std::begin(kConfigured), std::end(kConfigured), at) == std::end(kConfigured)) {
    return known;
  }
  std::vector<PluginCall> out;
  for (const core::PluginRef& plugin : profile.At(at)) {
    const auto call = std::find_if(known.begin(), known.end(),
                                   [&](const auto& c) { return c.plugin == plugin.name; });
    if (call != known.end()) {
      out.push_back(*call);
    } else if (point == kFilter || point == kScore) {
      for (const std::string_view tree : core::InTreePlugins()) {
        if (tree == plugin.name) out.push_back({tree, 0.5, 0, false});
      }
    }
  }
  return out;
}

}  // namespace

SchedulerProfiles::SchedulerProfiles(const Scenario& scenario) {
  for (const PodTemplate& pod : scenario.templates) {
    const auto found = std::find(names.begin(), names.end(), pod.profile);
    of_template.push_back(static_cast<std::size_t>(found - names.begin()));
    if (found == names.end()) names.push_back(pod.profile);
  }
}

PluginMetrics::PluginMetrics(const Scenario& scenario, const std::vector<unsigned>& features,
                             const SchedulerProfiles& profiles, MetricRegistry& registry,
                             const Random& random)
    : scenario_(scenario),
      features_(features),
      profiles_(profiles),
      registry_(registry),
      random_(random),
      recorders_(scenario.release.recorder_per_profile() ? profiles.names.size() : 1) {
  const core::Configuration configuration = ConfigurationOf(scenario, false);
  for (const std::string& name : profiles.names) {
    const core::Profile* profile = nullptr;  // what a configuration file says of it
    for (const core::Profile& known : configuration.profiles) {
      if (!scenario.configuration.empty() && known.scheduler_name == name) profile = &known;
    }
    slots_.push_back(MakeSlots(profile));
  }
}

// Every plugin that runs for a profile, in order, at each point.
PluginMetrics::Slots PluginMetrics::MakeSlots(const core::Profile* profile) const {
  Slots out;
  for (std::size_t p = 0; p < out.size(); ++p) {
    const auto point = static_cast<ExtensionPoint>(p);
    std::vector<PluginCall> calls = PluginsAt(scenario_.release, point);
    if (profile != nullptr) calls = OnlyThoseOf(*profile, point, std::move(calls));
    for (const PluginCall& call : calls) {
      PluginSlot slot;
      slot.plugin = call.plugin;
      slot.weight = call.weight;
      slot.needs = call.needs;
      slot.skips = call.skips;
      const auto weight =
          scenario_.plugin_weights.find(fmt::format("{}/{}", kube::ToString(point), call.plugin));
      if (weight != scenario_.plugin_weights.end()) slot.factor = weight->second;
      slot.weight *= slot.factor;
      out[p].push_back(std::move(slot));
    }
  }
  const bool gangs = std::any_of(scenario_.templates.begin(), scenario_.templates.end(),
                                 [](const PodTemplate& pod) { return pod.gang > 0; });
  if (gangs) {
    PluginSlot slot;
    slot.plugin = scenario_.PodGroups() ? "GangScheduling" : "Coscheduling";
    slot.weight = 1;
    out[static_cast<std::size_t>(ExtensionPoint::kPermit)].push_back(std::move(slot));
  }
  return out;
}

MetricChild* PluginMetrics::PluginChild(PluginSlot& slot, ExtensionPoint point, Status status) {
  MetricChild*& child = slot.children[static_cast<std::size_t>(status)];
  if (child == nullptr) {
    child = &registry_.Get(Metric::kPlugin,
                           {slot.plugin, kube::ToString(point), kube::ToString(status)});
  }
  return child;
}

bool PluginMetrics::CountsEvaluations(ExtensionPoint point) const {
  const int minor = scenario_.release.minor;
  const bool early = point == ExtensionPoint::kPreFilter || point == ExtensionPoint::kFilter;
  const bool late = point == ExtensionPoint::kPreScore || point == ExtensionPoint::kScore;
  return (early && minor >= 27) || (late && minor >= 28);
}

void PluginMetrics::CountEvaluation(PluginSlot& slot, const PointCall& call, double times) {
  MetricChild*& child = slot.evaluations;
  if (child == nullptr) {
    child = &registry_.Get(Metric::kPluginEvaluations, {slot.plugin, kube::ToString(call.point),
                                                        profiles_.NameOf(call.pod_template)});
  }
  child->value += times;
}

// What the plugin's call takes: microseconds if it is computed, else relative to the others'.
double PluginMetrics::WeightOf(const PluginSlot& slot, const PointCall& call) {
  if (call.plugin_times.empty()) return slot.weight;
  constexpr double kNothingToDo = 0.3;  // microseconds of a call that finds nothing to do
  const bool on_node = call.nodes > 0;
  for (const cost::PluginTime& time : call.plugin_times) {
    if (time.plugin == slot.plugin) {
      return slot.factor * std::max(time.us, on_node ? kNothingToDo / 30 : kNothingToDo);
    }
  }
  return on_node ? slot.factor * kNothingToDo / 30 : slot.weight;
}

// Each plugin is asked about the nodes that all before it let pass.
void PluginMetrics::FindRunning(const PointCall& call) {
  running_.clear();
  asked_.clear();
  const unsigned features = features_[call.pod_template];
  const bool answers =
      call.point == ExtensionPoint::kPreFilter || call.point == ExtensionPoint::kPreScore;
  double left = call.nodes > 0 ? call.nodes : 1;
  for (PluginSlot& slot : SlotsAt(call.point, call.pod_template)) {
    if (slot.skips && (slot.needs & features) == 0) {
      if (answers && call.nodes == 0 && call.worker_seconds > 0) {
        RecorderOf(call.pod_template).Record(PluginChild(slot, call.point, Status::kSkip), 3e-7);
      }
      continue;
    }
    running_.push_back(&slot);
    asked_.push_back(left);
    if (slot.plugin == call.rejecting) break;
    for (const PluginRejections& r : call.rejected) {
      if (r.plugin == slot.plugin) left -= r.unschedulable + r.unresolvable;
    }
  }
}

// At which plugin the next node ends, and how: every node that is left is as likely as any other.
// Null if it passes.
PluginRejections* PluginMetrics::NextRejection(std::vector<PluginRejections>& left, int nodes_left,
                                               Status* status) {
  int rejected = 0;
  for (const PluginRejections& r : left) rejected += r.unschedulable + r.unresolvable;
  if (rejected == 0) return nullptr;
  const bool certain = left.size() == 1 && rejected == nodes_left &&
                       (left[0].unschedulable == 0 || left[0].unresolvable == 0);
  int pick = certain ? 0 : static_cast<int>(random_.Below(static_cast<std::uint32_t>(nodes_left)));
  for (PluginRejections& r : left) {
    for (int* count : {&r.unschedulable, &r.unresolvable}) {
      if (pick < *count) {
        --*count;
        *status = count == &r.unschedulable ? Status::kUnschedulable : Status::kUnresolvable;
        return &r;
      }
      pick -= *count;
    }
  }
  return nullptr;
}

// One sample per plugin per node, node by node, until the buffer is full.
void PluginMetrics::RecordNodes(const PointCall& call) {
  PluginRecorder& recorder = RecorderOf(call.pod_template);
  const bool plain = call.rejecting.empty() && call.rejected.empty();
  const double rejects = call.point == ExtensionPoint::kFilter && plain
                             ? scenario_.templates[call.pod_template].spread_rejects
                             : 0;
  double unseen = std::accumulate(asked_.begin(), asked_.end(), 0.0);
  std::vector<PluginRejections> left = call.rejected;
  for (int node = 0; node < call.nodes && recorder.room() > 0; ++node) {
    Status status = call.status;
    std::string_view end = call.rejecting;
    if (const auto* r = NextRejection(left, call.nodes - node, &status); r != nullptr) {
      end = r->plugin;
    }
    for (std::size_t i = 0; i < running_.size(); ++i) {
      PluginSlot* const slot = running_[i];
      Status answer = slot->plugin == end ? status : Status::kSuccess;
      if (rejects > 0 && slot->plugin == "PodTopologySpread" && random_.Chance(rejects)) {
        answer = Status::kUnschedulable;
      }
      recorder.Record(PluginChild(*slot, call.point, answer),
                      seconds_[i] * (0.4 + 1.2 * random_.Uniform()));
      --unseen;
      if (answer != Status::kSuccess) break;
    }
  }
  recorder.Drop(static_cast<std::uint64_t>(std::max(0.0, unseen)));
}

// Each call of a plugin from outside the tree, all of one length.
void PluginMetrics::RecordOwn(const PointCall& call) {
  PluginRecorder& recorder = RecorderOf(call.pod_template);
  for (const core::OwnTime& time : call.plugins) {
    MetricChild& child = registry_.Get(
        Metric::kPlugin, {time.plugin, kube::ToString(call.point), kube::ToString(call.status)});
    for (int i = 0; i < time.calls; ++i) {
      if (recorder.room() == 0) {
        recorder.Drop(static_cast<std::uint64_t>(time.calls - i));
        break;
      }
      recorder.Record(&child, time.seconds / time.calls);
    }
  }
}

void PluginMetrics::Observe(const PointCall& call) {
  if (!call.plugins.empty()) RecordOwn(call);
  // Where nothing is counted of a call that is not sampled, nobody asks who runs.
  const bool counts = CountsEvaluations(call.point);
  if (!counts && call.worker_seconds <= 0) return;
  FindRunning(call);
  if (counts) {
    for (std::size_t i = 0; i < running_.size(); ++i) {
      CountEvaluation(*running_[i], call, asked_[i]);
    }
  }
  if (call.worker_seconds <= 0) return;
  double total = 0;
  seconds_.clear();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    seconds_.push_back(WeightOf(*running_[i], call));
    total += seconds_.back() * asked_[i];
  }
  if (total <= 0) return;
  const double scale = call.plugin_times.empty() ? call.worker_seconds / total : 1e-6 * call.slow;
  for (double& s : seconds_) s *= scale;
  if (call.nodes > 0) {
    RecordNodes(call);
    return;
  }
  if (call.custom_seconds > 0) {
    MetricChild& custom = registry_.Get(
        Metric::kPlugin, {"Custom", kube::ToString(call.point), kube::ToString(call.status)});
    RecorderOf(call.pod_template).Record(&custom, call.custom_seconds);
  }
  for (std::size_t i = 0; i < running_.size(); ++i) {
    PluginSlot* const slot = running_[i];
    const bool ended = call.rejecting.empty() || slot->plugin == call.rejecting;
    RecorderOf(call.pod_template)
        .Record(PluginChild(*slot, call.point, ended ? call.status : Status::kSuccess),
                seconds_[i]);
  }
}

std::uint64_t PluginMetrics::dropped() const {
  std::uint64_t out = 0;
  for (const PluginRecorder& recorder : recorders_) out += recorder.dropped();
  return out;
}

}  // namespace schedlens::sim
