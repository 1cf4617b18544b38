#pragma once

// The scheduling loop: one attempt at a time, from the pop to the binding goroutine or the failure
// handler. An attempt's decisions are made when it starts; its clock runs ahead of the run's.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/cost/attempt_costs.h"
#include "scheduler/engine/binder.h"

namespace schedlens::sim {

class SchedulingLoop {
 public:
  SchedulingLoop(RunState& run, World& world, Replicas& replicas, ApiClient& api, Binder& binder)
      : run_(run),
        world_(world),
        replicas_(replicas),
        api_(api),
        binder_(binder),
        images_(world.placement().ImagesPerNode()) {}

  /// An event of the loop: it may take the next pod (kLoop), PostFilter deletes victims (kVictims),
  /// or the failure handler runs (kAttemptFailed).
  void Handle(EventKind kind);
  /// The leader died, and its attempt with it.
  void Drop() {
    cycle_.victims.clear();
    group_ = {};
  }

 private:
  /// Time on the clock, and CPU seconds of the scheduler in it.
  struct Spent {
    Nanos elapsed = 0;
    double cpu_seconds = 0;
  };
  enum class PostFilter : std::uint8_t { kNone, kHopeless, kPreempts };
  /// The current attempt.
  struct Cycle {
    AttemptRecord record;
    AttemptResult result = AttemptResult::kScheduled;
    PostFilter post_filter = PostFilter::kNone;
    unsigned rejections = 0;
    bool sampled = false;  // its plugins are measured
    bool assumed = false;
    Nanos time = 0;  // how far it has got
    cost::AttemptWork work;
    double noise = 1;  // what its work takes is multiplied by
    double slow = 1;   // how much longer the last computed step took than its work costs
    Nanos post_filter_start = 0;
    std::vector<PodNumber> victims;
    std::size_t next_victim = 0;
    std::vector<core::OwnTime> plugin_times;  // of the point that is observed next
    double permit_wait = 0;
    bool refused = false;  // by a plugin from outside the tree, at Reserve or Permit

    /// It was refused there, or an error ended it.
    void Undo() {
      result = refused ? AttemptResult::kUnschedulable : AttemptResult::kError;
      rejections = refused ? kRejectedByOther : kRejectedByNobody;
      post_filter = PostFilter::kNone;
    }
  };
  /// A pod group that is tried in one cycle, from 1.36.
  struct Group {
    Nanos start = 0;
    std::uint32_t pod_template = 0;
    AttemptResult result = AttemptResult::kScheduled;
    std::vector<Cycle> failed;  // whose failure is not handled yet, the next one last
    bool open = false;
  };
  /// What one extension point did in the current attempt.
  struct PointResult {
    ExtensionPoint point = ExtensionPoint::kPreFilter;
    Status status = Status::kSuccess;
    Nanos duration = 0;
    int nodes = 0;
    int workers = 1;
    std::optional<Cost> cost{};  // what the scenario calls it, if its plugins' shares are computed
    std::string_view rejecting{};
    Nanos waited = 0;  // part of `duration` in which no processor is used
    std::span<const PluginRejections> rejected{};
  };

  std::uint32_t TemplateIndex() const { return world_.pods()[cycle_.record.pod].pod_template; }
  /// Somebody asked about the pod of this attempt.
  bool Watched() const { return run_.watch && run_.watch->Is(cycle_.record.pod); }
  void Next();
  void DeleteVictims();
  void AttemptFailed();
  void Begin(PodNumber pod, Nanos at);
  void TakeSnapshot();
  void Decide();
  int Algorithm();
  int Refuse(AttemptResult result, unsigned rejections, PostFilter post_filter);
  // What a step takes: computed from the work that there is, or drawn where the scenario says it.
  void Price();
  const cost::AttemptCosts& Steps() const { return by_template_[TemplateIndex()]; }
  int Workers(int nodes) const { return cost::WorkersFor(nodes, run_.scenario.parallelism); }
  bool Computed(Cost cost) const { return run_.CostOf(cost, TemplateIndex()).computed; }
  Spent Draw(Cost cost, int nodes, int workers);
  Spent Take(const cost::Labour& labour);
  Spent TakeExtender(Cost cost, double us);
  Nanos Collect();
  /// CPU work of the loop: advances the attempt's clock. `labour` is asked for it where it is
  /// computed of what there is to do.
  template <typename LabourOf>
  Nanos Spend(Cost cost, int nodes, int workers, const LabourOf& labour) {
    return Advance(Computed(cost) ? Take(labour()) : Draw(cost, nodes, workers), workers);
  }
  Nanos SpendFixed(Cost cost, cost::FixedStep step, int nodes = 0);
  Nanos Advance(const Spent& spent, int workers);
  void ChargeRest(std::initializer_list<cost::FixedStep> steps);
  void NoteWork(const PlacementDecision& decision);
  Nanos Wait(Cost cost);
  // Plugins from outside the tree.
  Nanos SpendPlugins(ExtensionPoint point, int workers) {
    if (!world_.placement().has_plugins()) return 0;
    return SpendTimes(world_.placement().TakeTimes(point), workers);
  }
  Nanos SpendTimes(std::vector<core::OwnTime> times, int workers);
  Nanos RunPlugins(ExtensionPoint point);
  void Observe(const PointResult& result);
  void ObserveOldParts();
  PlacementDecision PreFilter(bool late_claim, bool broken);
  bool Filter(const PlacementDecision& decision);
  bool FilterByExtenders(int nodes);
  void PrioritizeByExtenders();
  void Score();
  void Found(int node);
  void GoOn(Nanos at);
  // Pod groups.
  void TryGroup(PodNumber first, Gang& gang);
  bool TryMember(const Gang& gang, int fit);
  void BindMembers(std::vector<Cycle> members, Gang& gang, Nanos at);
  void FailMembers(std::vector<Cycle> members, Nanos at);
  // False: it was refused, or a plugin failed.
  bool Pass(std::optional<Status> answer) { return Reserve() && Permit(answer); }
  bool Reserve();
  Status GangAnswer();
  bool Permit(std::optional<Status> answer);
  void StartBinding();
  void Fail();
  PreemptionPlan Plan();
  bool Preempt(PreemptionPlan plan);
  void ObservePreemption(Status status);

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  ApiClient& api_;
  Binder& binder_;
  const Conditions* priced_ = nullptr;  // what the next one was made of
  std::vector<cost::AttemptCosts> by_template_;
  cost::GarbageCollector garbage_;
  double charged_us_ = 0;  // of what it has cost
  double images_;          // on a node, on average
  Cycle cycle_;
  Group group_;
};

}  // namespace schedlens::sim
