#pragma once

// plugin_execution_duration_seconds and plugin_evaluation_total of one process: what each plugin of
// a profile adds at each extension point.

#include <numeric>

#include "scheduler/cost/attempt_costs.h"
#include "scheduler/metrics/registry.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {

using Status = kube::StatusCode;

/// What the plugins of one extension point did in one attempt.
struct PointCall {
  ExtensionPoint point = ExtensionPoint::kPreFilter;
  Status status = Status::kSuccess;
  std::uint32_t pod_template = 0;
  int nodes = 0;                 ///< Filter and Score: one call per node; 0 elsewhere
  double worker_seconds = 0;     ///< of all calls together
  double custom_seconds = 0;     ///< of a custom plugin at this point, which only waits
  std::string_view rejecting{};  ///< the plugin at which the call, or every node's, ended
  std::vector<PluginRejections> rejected{};  ///< Filter: how many nodes ended at which plugin
  std::vector<core::OwnTime> plugins{};      ///< from outside the tree, not part of worker_seconds
  /// What a call of each costs, where it is computed: instead of shares of `worker_seconds`.
  std::vector<cost::PluginTime> plugin_times{};
  double slow = 1;  ///< how much longer it took here than that
};

/// The distinct profiles of a scenario's pods.
struct SchedulerProfiles {
  explicit SchedulerProfiles(const Scenario& scenario) {
    for (const PodTemplate& pod : scenario.templates) {
      const auto found = std::ranges::find(names, pod.profile);
      of_template.push_back(static_cast<std::size_t>(found - names.begin()));
      if (found == names.end()) names.push_back(pod.profile);
    }
  }
  const std::string& NameOf(std::uint32_t pod_template) const {
    return names[of_template[pod_template]];
  }
  std::vector<std::string> names;
  std::vector<std::size_t> of_template;  ///< index into `names`
};

class PluginMetrics {
 public:
  /// `features` are the bits of Feature of each template. All but `random` must outlive it.
  PluginMetrics(const Scenario& scenario, const std::vector<unsigned>& features,
                const SchedulerProfiles& profiles, MetricRegistry& registry, const Random& random)
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

  void Observe(const PointCall& call) {
    if (!call.plugins.empty()) RecordOwn(call);
    // Where nothing is counted of a call that is not sampled, nobody asks who runs.
    // plugin_evaluation_total has each call, not only those of sampled cycles.
    const int minor = scenario_.release.minor;
    using enum ExtensionPoint;
    const bool counts = ((call.point == kPreFilter || call.point == kFilter) && minor >= 27) ||
                        ((call.point == kPreScore || call.point == kScore) && minor >= 28);
    if (!counts && call.worker_seconds <= 0) return;
    FindRunning(call);
    if (counts) {
      for (std::size_t i = 0; i < running_.size(); ++i) {
        MetricChild*& child = running_[i]->evaluations;
        if (child == nullptr) {
          child = &registry_.Get(Metric::kPluginEvaluations,
                                 {running_[i]->plugin, kube::ToString(call.point),
                                  profiles_.NameOf(call.pod_template)});
        }
        child->value += asked_[i];
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
    if (call.nodes > 0) return RecordNodes(call);
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

  /// The once-a-second flush of the samples: its first half, and a moment later the rest.
  void Flush(bool first_half) {
    const std::size_t count =
        first_half ? PluginRecorder::kCapacity / 2 : PluginRecorder::kCapacity;
    for (PluginRecorder& recorder : recorders_) recorder.Flush(count);
  }
  /// Samples that found the buffer full.
  std::uint64_t dropped() const {
    std::uint64_t out = 0;
    for (const PluginRecorder& recorder : recorders_) out += recorder.dropped();
    return out;
  }

 private:
  /// One plugin at one point: its children and counter, found once.
  struct PluginSlot : PluginCall {
    double factor = 1;  // the scenario's, part of `weight`
    kube::EnumMap<Status, MetricChild*> children{};
    MetricChild* evaluations = nullptr;
  };
  using Slots = std::array<std::vector<PluginSlot>, kube::kSize<ExtensionPoint>>;

  // A configured profile's plugins at that point, in its order. Unknown ones cost as plain ones.
  static std::vector<PluginCall> OnlyThoseOf(const core::Profile& profile, ExtensionPoint point,
                                             std::vector<PluginCall> known) {
    using enum ExtensionPoint;
    static constexpr ExtensionPoint kConfigured[] = {kPreFilter, kFilter,  kPostFilter, kPreScore,
                                                     kScore,     kReserve, kPreBind,    kBind};
    const ExtensionPoint at = point == kScoreNormalize ? kScore
                              : point == kUnreserve    ? kReserve
                                                       : point;
    if (std::ranges::find(kConfigured, at) == std::end(kConfigured)) return known;
    std::vector<PluginCall> out;
    for (const core::PluginRef& plugin : profile.At(at)) {
      const auto call = std::ranges::find(known, plugin.name, &PluginCall::plugin);
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

  MetricChild* PluginChild(PluginSlot& slot, ExtensionPoint point, Status status) {
    MetricChild*& child = slot.children[status];
    if (child == nullptr) {
      child = &registry_.Get(Metric::kPlugin,
                             {slot.plugin, kube::ToString(point), kube::ToString(status)});
    }
    return child;
  }

  PluginRecorder& RecorderOf(std::uint32_t pod_template) {
    return recorders_.size() == 1 ? recorders_.front()
                                  : recorders_[profiles_.of_template[pod_template]];
  }
  /// The plugins that the call gets to, in order, and how many nodes are left for each.
  void FindRunning(const PointCall& call) {
    running_.clear();
    asked_.clear();
    const unsigned features = features_[call.pod_template];
    const bool answers =
        call.point == ExtensionPoint::kPreFilter || call.point == ExtensionPoint::kPreScore;
    double left = call.nodes > 0 ? call.nodes : 1;
    Slots& slots = slots_[profiles_.of_template[call.pod_template]];
    for (PluginSlot& slot : slots[kube::IndexOf(call.point)]) {
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

  // What the plugin's call takes: microseconds if it is computed, else relative to the others'.
  static double WeightOf(const PluginSlot& slot, const PointCall& call) {
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

  // At which plugin the next node ends, and how, all nodes left being alike. Null if it passes.
  PluginRejections* NextRejection(std::vector<PluginRejections>& left, int nodes_left,
                                  Status* status) {
    int rejected = 0;
    for (const PluginRejections& r : left) rejected += r.unschedulable + r.unresolvable;
    if (rejected == 0) return nullptr;
    const bool certain = left.size() == 1 && rejected == nodes_left &&
                         (left[0].unschedulable == 0 || left[0].unresolvable == 0);
    int pick =
        certain ? 0 : static_cast<int>(random_.Below(static_cast<std::uint32_t>(nodes_left)));
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
  void RecordNodes(const PointCall& call) {
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
      if (const auto* r = NextRejection(left, call.nodes - node, &status)) end = r->plugin;
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
  void RecordOwn(const PointCall& call) {
    PluginRecorder& recorder = RecorderOf(call.pod_template);
    for (const core::OwnTime& time : call.plugins) {
      MetricChild& child = registry_.Get(
          Metric::kPlugin, {time.plugin, kube::ToString(call.point), kube::ToString(call.status)});
      for (int i = 0; i < time.calls; ++i) recorder.Record(&child, time.seconds / time.calls);
    }
  }

  // Every plugin that runs for a profile, in order, at each point.
  Slots MakeSlots(const core::Profile* profile) const {
    Slots out;
    for (std::size_t p = 0; p < out.size(); ++p) {
      const auto point = static_cast<ExtensionPoint>(p);
      std::vector<PluginCall> calls = PluginsAt(scenario_.release, point);
      if (profile != nullptr) calls = OnlyThoseOf(*profile, point, std::move(calls));
      for (const PluginCall& call : calls) {
        PluginSlot& slot = out[p].emplace_back(PluginSlot{call});
        const auto weight =
            scenario_.plugin_weights.find(fmt::format("{}/{}", kube::ToString(point), call.plugin));
        if (weight != scenario_.plugin_weights.end()) slot.factor = weight->second;
        slot.weight *= slot.factor;
      }
    }
    const bool gangs = std::ranges::any_of(scenario_.templates,
                                           [](const PodTemplate& pod) { return pod.gang > 0; });
    if (gangs) {
      const std::string_view plugin = scenario_.PodGroups() ? "GangScheduling" : "Coscheduling";
      out[kube::IndexOf(ExtensionPoint::kPermit)].push_back({{plugin, 1, 0, false}});
    }
    return out;
  }

  const Scenario& scenario_;
  const std::vector<unsigned>& features_;  // by template
  const SchedulerProfiles& profiles_;
  MetricRegistry& registry_;
  Random random_;
  std::vector<PluginRecorder> recorders_;  // one, or one a profile
  std::vector<Slots> slots_;               // by profile
  // Of the call that is observed: who runs, how often each is asked, seconds of a call of each.
  std::vector<PluginSlot*> running_;
  std::vector<double> asked_, seconds_;
};

}  // namespace schedlens::sim
