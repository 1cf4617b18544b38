#ifndef SCHEDLENS_SIM_ENGINE_SCHEDULER_PROCESS_H_
#define SCHEDLENS_SIM_ENGINE_SCHEDULER_PROCESS_H_

// One kube-scheduler process: its metrics, queue, recorder and API clients. It dies with a restart.

#include <array>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/scheduling_queue.h"
#include "sim/engine/token_bucket.h"
#include "sim/framework/configuration.h"
#include "sim/framework/plugin_points.h"
#include "sim/metrics/plugin_recorder.h"
#include "sim/metrics/registry.h"
#include "sim/scenario/scenario.h"

namespace schedlens::sim {

/// Framework status codes as metrics spell them.
enum class Status { kSuccess, kError, kUnschedulable, kUnresolvable, kWait, kSkip, kCount };

/// The requests a scheduler sends, by REST template.
enum class Request {
  kBind,
  kStatusPatch,
  kDeletePod,
  kClaimUpdate,
  kEventPost,
  kEventPatch,
  kCount,
};

/// What the plugins of one extension point did in one attempt.
struct PointCall {
  Point point = Point::kPreFilter;
  Status status = Status::kSuccess;
  std::uint32_t pod_template = 0;
  int nodes = 0;                           ///< Filter and Score: one call per node; 0 elsewhere
  double worker_seconds = 0;               ///< of all calls together
  double custom_seconds = 0;               ///< of a custom plugin at this point, which only waits
  std::string_view rejecting;              ///< the plugin at which the call, or every node's, ended
  std::vector<PluginRejections> rejected;  ///< Filter: how many nodes ended at which plugin
};

class SchedulerProcess {
 public:
  /// `features` are the bits of Feature of each template; both must outlive it.
  SchedulerProcess(const Scenario& scenario, const std::vector<unsigned>& features,
                   const Random& random, Nanos now);

  /// Something the scheduling loop will observe at a later time, in order of time.
  void PointLater(Nanos at, Point point, Status status, std::uint32_t pod_template, Nanos duration);
  void CallLater(Nanos at, const PointCall& call);
  void AlgorithmLater(Nanos at, Nanos duration);
  /// Makes every observation that is due.
  void CatchUp(Nanos now);

  void ObservePoint(Point point, Status status, std::uint32_t pod_template, Nanos duration);
  void ObserveCall(const PointCall& call);
  void ObserveAttempt(std::string_view result, std::uint32_t pod_template, Nanos e2e);
  void ObserveRequest(Request request, int code, Nanos wait, Nanos total);
  /// The once-a-second flush of the plugin samples: its first half, and a moment later the rest.
  void FlushRecorders(bool first_half);
  /// Brings gauges up to date for a scrape.
  void ExportGauges(Nanos now, std::size_t cached_pods, std::size_t cached_nodes,
                    std::size_t assumed);
  std::uint64_t dropped_samples() const;

  MetricRegistry registry;
  SchedulingQueue queue;
  TokenBucket client;
  TokenBucket event_client;
  double cpu_seconds = 0.25;       ///< start-up
  std::size_t bindings = 0;        ///< binding goroutines running
  bool cycled = false;             ///< it has scheduled
  bool bound = false;              ///< it has started a binding goroutine
  bool prioritized = false;        ///< it has asked extenders to prioritize
  std::uint64_t standby_adds = 0;  ///< pods its queue has seen while idle
  std::size_t idle_pending = 0;    ///< pods in its queue while idle

  // Asynchronous API calls (1.34): at most `parallelism` at once, the rest waits in order.
  int dispatched = 0;
  std::deque<std::uint32_t> dispatch_queue;

 private:
  struct Later {
    Nanos at = 0;
    MetricChild* child = nullptr;  // null: a plugin call
    double value = 0;
    PointCall call;
  };
  using StatusChildren = std::array<MetricChild*, static_cast<std::size_t>(Status::kCount)>;
  /// One plugin at one point: its children and counter, found once.
  struct PluginSlot {
    std::string_view plugin;
    double weight = 0;
    unsigned needs = 0;
    bool skips = false;
    StatusChildren children{};
    std::map<std::string, MetricChild*> evaluations;
  };

  MetricChild* PointChild(Point point, Status status, std::uint32_t pod_template);
  MetricChild* PluginChild(PluginSlot& slot, Point point, Status status);
  void CountEvaluation(PluginSlot& slot, const PointCall& call, double times);
  PluginRecorder& RecorderOf(std::uint32_t pod_template);
  static std::vector<double> AskedOf(const PointCall& call,
                                     const std::vector<PluginSlot*>& running);
  PluginRejections* NextRejection(std::vector<PluginRejections>& left, int nodes_left,
                                  Status* status);
  void RecordNodes(const PointCall& call, const std::vector<PluginSlot*>& running,
                   const std::vector<double>& asked, double total);
  using Slots = std::array<std::vector<PluginSlot>, static_cast<std::size_t>(Point::kCount)>;
  Slots MakeSlots(const core::Profile* profile) const;
  std::vector<PluginSlot>& SlotsAt(Point point, std::uint32_t pod_template) {
    return slots_[profile_of_template_[pod_template]][static_cast<std::size_t>(point)];
  }
  void ListRequests();
  std::string RequestTarget(std::string_view path) const;

  const Scenario& scenario_;
  const std::vector<unsigned>& features_;  // by template
  Random random_;
  Nanos started_;
  std::vector<std::string> profiles_;  // distinct
  std::vector<std::size_t> profile_of_template_;
  std::vector<PluginRecorder> recorders_;
  std::deque<Later> later_;
  std::vector<Slots> slots_;  // by profile
  // [point][status][profile]
  std::array<std::array<std::vector<MetricChild*>, static_cast<std::size_t>(Status::kCount)>,
             static_cast<std::size_t>(Point::kCount)>
      point_children_;
  struct RequestChildren {
    MetricChild* request = nullptr;
    MetricChild* limiter = nullptr;
  };
  std::array<RequestChildren, static_cast<std::size_t>(Request::kCount)> request_children_{};
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_SCHEDULER_PROCESS_H_
