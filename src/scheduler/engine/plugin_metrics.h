#pragma once

// plugin_execution_duration_seconds and plugin_evaluation_total of one process: what each plugin of
// a profile adds at each extension point.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/words.h"
#include "scheduler/base/random.h"
#include "scheduler/cost/attempt_costs.h"
#include "scheduler/framework/configuration.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_table.h"
#include "scheduler/metrics/registry.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {

using Status = kube::StatusCode;

/// What the plugins of one extension point did in one attempt.
struct PointCall {
  ExtensionPoint point = ExtensionPoint::kPreFilter;
  Status status = Status::kSuccess;
  std::uint32_t pod_template = 0;
  int nodes = 0;                           ///< Filter and Score: one call per node; 0 elsewhere
  double worker_seconds = 0;               ///< of all calls together
  double custom_seconds = 0;               ///< of a custom plugin at this point, which only waits
  std::string_view rejecting;              ///< the plugin at which the call, or every node's, ended
  std::vector<PluginRejections> rejected;  ///< Filter: how many nodes ended at which plugin
  std::vector<core::OwnTime> plugins{};    ///< from outside the tree, not part of worker_seconds
  /// What a call of each costs, where it is computed: instead of shares of `worker_seconds`.
  std::vector<cost::PluginTime> plugin_times;
  double slow = 1;  ///< how much longer it took here than that
};

/// The distinct profiles of a scenario's pods.
struct SchedulerProfiles {
  explicit SchedulerProfiles(const Scenario& scenario);
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
                const SchedulerProfiles& profiles, MetricRegistry& registry, const Random& random);

  void Observe(const PointCall& call);
  /// The once-a-second flush of the samples: its first half, and a moment later the rest.
  void Flush(bool first_half) {
    const std::size_t count =
        first_half ? PluginRecorder::kCapacity / 2 : PluginRecorder::kCapacity;
    for (PluginRecorder& recorder : recorders_) recorder.Flush(count);
  }
  /// Samples that found the buffer full.
  std::uint64_t dropped() const;

 private:
  using StatusChildren = std::array<MetricChild*, kube::kSize<Status>>;
  /// One plugin at one point: its children and counter, found once.
  struct PluginSlot {
    std::string_view plugin;
    double weight = 0;
    double factor = 1;  // the scenario's, part of `weight`
    unsigned needs = 0;
    bool skips = false;
    StatusChildren children{};
    MetricChild* evaluations = nullptr;
  };
  using Slots = std::array<std::vector<PluginSlot>, kube::kSize<ExtensionPoint>>;

  MetricChild* PluginChild(PluginSlot& slot, ExtensionPoint point, Status status);
  /// Whether plugin_evaluation_total has the point's calls: each, not only those of sampled cycles.
  bool CountsEvaluations(ExtensionPoint point) const;
  void CountEvaluation(PluginSlot& slot, const PointCall& call, double times);
  PluginRecorder& RecorderOf(std::uint32_t pod_template) {
    return recorders_.size() == 1 ? recorders_.front()
                                  : recorders_[profiles_.of_template[pod_template]];
  }
  /// The plugins that the call gets to, in order, and how often each is asked.
  void FindRunning(const PointCall& call);
  static double WeightOf(const PluginSlot& slot, const PointCall& call);
  PluginRejections* NextRejection(std::vector<PluginRejections>& left, int nodes_left,
                                  Status* status);
  void RecordNodes(const PointCall& call);
  void RecordOwn(const PointCall& call);
  Slots MakeSlots(const core::Profile* profile) const;
  std::vector<PluginSlot>& SlotsAt(ExtensionPoint point, std::uint32_t pod_template) {
    return slots_[profiles_.of_template[pod_template]][static_cast<std::size_t>(point)];
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
