#pragma once

// The scheduling loop: one attempt at a time, from the pop to the binding goroutine or the failure
// handler. An attempt's decisions are made when it starts; its clock runs ahead of the run's.

#include "scheduler/engine/binder.h"
#include "scheduler/engine/loop_clock.h"

namespace schedlens::sim {

class SchedulingLoop : private LoopClock {
 public:
  SchedulingLoop(RunState& run, World& world, Replicas& replicas, ApiClient& api, Binder& binder)
      : LoopClock(run, world, replicas), api_(api), binder_(binder) {}

  /// An event of the loop: it may take the next pod (kLoop), PostFilter deletes victims (kVictims),
  /// or the failure handler runs (kAttemptFailed).
  void Handle(EventKind kind) {
    if (kind == EventKind::kLoop) return Next();
    if (kind == EventKind::kVictims) return DeleteVictims();
    AttemptFailed();
  }

  /// The leader died, and its attempt with it.
  void Drop() {
    cycle_.victims.clear();
    group_ = {};
  }

 private:
  /// A pod group that is tried in one cycle, from 1.36.
  struct Group {
    Nanos start = 0;
    std::uint32_t pod_template = 0;
    AttemptResult result = AttemptResult::kScheduled;
    std::vector<Cycle> failed;  // whose failure is not handled yet, the next one last
    bool open = false;
  };

  void Later(Nanos at, EventKind kind) { run_.heap.Push(at, kind, 0, replicas_.life()); }
  // The loop takes the next pod, or is idle if there is none.
  void Next() {
    replicas_.leader().work.busy = false;
    const std::optional<PodNumber> pod = replicas_.leader().queue.Pop(run_.now);
    if (!pod) return;
    replicas_.leader().work.segments.clear();
    if (Gang* group = world_.PodGroupOf(*pod)) return TryGroup(*pod, *group);
    Begin(*pod, run_.now);
    Decide();
  }

  void Begin(PodNumber pod, Nanos at) {
    SchedulerProcess& process = replicas_.leader();
    world_.TakeUp(pod);
    ++run_.counts.attempts;
    process.cycled = true;
    process.events.Popped(pod);
    process.work.busy = true;
    cycle_ = Cycle();
    cycle_.record.pod = pod;
    cycle_.record.number = process.queue.attempts(pod);
    cycle_.record.start = at;
    cycle_.time = at;
    cycle_.sampled = run_.random.loop.Below(100) < 10;
    Price();
    cycle_.noise = run_.conditions->costs.noise.Sample(run_.random.loop);
    cycle_.work.cluster = world_.placement().TakeSnapshot();
    if (Watched()) run_.watch->Begin(cycle_.record.number, at);
  }

  void TakeSnapshot() {
    cycle_.record[AttemptStage::kSnapshot] =
        Spend(Cost::kSnapshot, world_.placement().node_count(), 1,
              [&] { return Steps().Snapshot(cycle_.work.cluster); });
  }

  // If a node is found: assume, Reserve, Permit, and the binding goroutine takes over.
  void Decide() {
    TakeSnapshot();
    const int node = Algorithm();
    if (node < 0) return Fail();
    Found(node);
    if (!Pass(std::nullopt)) {
      cycle_.Undo();
      return Fail();
    }
    StartBinding();
    Later(cycle_.time, EventKind::kLoop);
  }

  int Refuse(AttemptResult result, unsigned rejections, PostFilter post_filter) {
    cycle_.result = result;
    cycle_.rejections = rejections;
    cycle_.post_filter = post_filter;
    return -1;
  }

  // From PreFilter until a node is chosen; -1: none, and the attempt knows why.
  int Algorithm() {
    using enum AttemptResult;
    AttemptRecord& record = cycle_.record;
    const int nodes = world_.placement().node_count();
    const cost::ClusterWork& cluster = cycle_.work.cluster;
    if (nodes == 0) return Refuse(kUnschedulable, kRejectedByNobody, PostFilter::kNone);
    if (run_.scenario.release.minor == 35) replicas_.leader().Sign(TemplateIndex());
    record[AttemptStage::kPreFilter] =
        Spend(Cost::kPreFilter, nodes, Workers(nodes), [&] { return Steps().PreFilter(cluster); });
    const Costs& costs = run_.conditions->costs;
    const bool late_claim = world_.TemplateOf(record.pod).claim && record.number == 1 &&
                            run_.random.loop.Chance(costs.claim_late);
    const bool broken = !late_claim && run_.random.loop.Chance(costs.prefilter_error);
    const PlacementDecision decision = PreFilter(late_claim, broken);
    if (run_.scenario.release.batches()) {
      replicas_.leader().ObserveNodeHint(TemplateIndex(), decision);
    }
    if (late_claim) {
      const Nanos seen = run_.Sample(Cost::kInformer, TemplateIndex(), run_.random.api);
      run_.heap.Push(cycle_.time + seen, EventKind::kClaimSeen, record.pod);
      return Refuse(kUnschedulable, kRejectedByVolumes, PostFilter::kHopeless);
    }
    if (decision.prefilter.empty() && (broken || !Filter(decision) || decision.error)) {
      return Refuse(kError, kRejectedByNobody, PostFilter::kNone);
    }
    const int node = decision.node;
    if (node < 0) return Refuse(kUnschedulable, decision.rejections, PostFilter::kPreempts);
    if (decision.feasible > 1) Score();
    return node;
  }

  // Runs the algorithm unless PreFilter has something else to refuse the pod for.
  PlacementDecision PreFilter(bool late_claim, bool broken) {
    PointResult result{.point = ExtensionPoint::kPreFilter,
                       .duration = cycle_.record[AttemptStage::kPreFilter],
                       .cost = Cost::kPreFilter};
    PlacementDecision decision;
    if (late_claim) {
      result.status = Status::kUnresolvable;
      result.rejecting = RejecterOf(kRejectedByVolumes);
      if (Watched()) run_.watch->Ended("VolumeBinding: its claim is not in the cache yet");
    } else if (broken) {
      result.status = Status::kError;
      result.rejecting = RejecterOf(kRejectedByResources);
      if (Watched()) run_.watch->Ended("NodeResourcesFit: an internal error at PreFilter");
    } else {
      decision = world_.placement().Place(cycle_.record.pod, TemplateIndex(), run_.now);
      NoteWork(decision);
      if (Watched()) run_.watch->Decided(world_.placement().Explain(TemplateIndex()));
      if (Watched() && decision.hint_taken) {
        run_.watch->story().attempts.back().why =
            "the node that a pod of its kind left was tried first and taken";
      }
      cycle_.record[AttemptStage::kPreFilter] += SpendPlugins(ExtensionPoint::kPreFilter, 1);
      result.duration = cycle_.record[AttemptStage::kPreFilter];
      if (!decision.prefilter.empty()) result.status = Status::kUnresolvable;
      result.rejecting = decision.prefilter;
    }
    Observe(result);
    return decision;
  }

  // Filter and the extenders' filter. False: an internal error ended the attempt.
  bool Filter(const PlacementDecision& decision) {
    AttemptRecord& record = cycle_.record;
    if (decision.alone_tried) {
      Nanos d = Spend(Cost::kFilter, 1, 1, [&] { return Steps().FilterOne(cycle_.work.cluster); });
      if (decision.alone_taken) d += SpendPlugins(ExtensionPoint::kFilter, 1);
      record[AttemptStage::kFilter] += d;
      Observe({.point = ExtensionPoint::kFilter,
               .status = decision.alone_taken ? Status::kSuccess : Status::kUnschedulable,
               .duration = d,
               .nodes = 1,
               .rejecting = decision.alone_out});
    }
    if (!decision.alone_taken) {
      const int workers = Workers(decision.evaluated);
      Nanos d = Spend(Cost::kFilter, decision.evaluated, workers,
                      [&] { return Steps().Filter(cycle_.work, run_.machine()); });
      d += SpendPlugins(ExtensionPoint::kFilter, workers);
      record[AttemptStage::kFilter] += d;
      PointResult result{.point = ExtensionPoint::kFilter,
                         .duration = d,
                         .nodes = decision.evaluated,
                         .workers = workers,
                         .cost = Cost::kFilter,
                         .rejected = decision.rejected};
      const bool error = run_.random.loop.Chance(run_.conditions->costs.filter_error);
      if (error) {
        result.status = Status::kError;
        result.rejecting = RejecterOf(kRejectedByResources);
        result.rejected = {};
      }
      Observe(result);
      if (error) return false;
    }
    record.evaluated = decision.evaluated;
    record.feasible = decision.feasible;
    return decision.passed == 0 || FilterByExtenders(decision.passed);
  }

  void Score() {
    AttemptRecord& record = cycle_.record;
    const int nodes = record.feasible, workers = Workers(nodes);
    record[AttemptStage::kPreScore] = Spend(Cost::kPreScore, nodes, workers,
                                            [&] { return Steps().PreScore(cycle_.work.cluster); });
    record[AttemptStage::kPreScore] += SpendPlugins(ExtensionPoint::kPreScore, 1);
    Observe({.point = ExtensionPoint::kPreScore,
             .duration = record[AttemptStage::kPreScore],
             .cost = Cost::kPreScore});
    record[AttemptStage::kScore] =
        Spend(Cost::kScore, nodes, workers, [&] { return Steps().Score(cycle_.work); });
    record[AttemptStage::kScore] += SpendPlugins(ExtensionPoint::kScoreNormalize, 1);
    record[AttemptStage::kScore] += SpendPlugins(ExtensionPoint::kScore, workers);
    Observe({.point = ExtensionPoint::kScore,
             .duration = record[AttemptStage::kScore],
             .nodes = nodes,
             .workers = workers,
             .cost = Cost::kScore});
    PrioritizeByExtenders();
    record[AttemptStage::kSelectHost] = SpendFixed(Cost::kSelectHost, nodes);
  }

  // The algorithm's clock stops, and the pod is assumed on its node.
  void Found(int node) {
    AttemptRecord& record = cycle_.record;
    record.algorithm = cycle_.time - record.start;
    record.algorithm_done = true;
    record.node = node;
    SchedulerProcess& process = replicas_.leader();
    process.Later(cycle_.time, process.registry.Get(Metric::kAlgorithm, {}),
                  ToSeconds(record.algorithm));
    ObserveOldParts();
    if (run_.scenario.release.batches()) process.StoreResults(TemplateIndex());
    record[AttemptStage::kAssume] = SpendFixed(Cost::kAssume);
    world_.Assume(record.pod, node);
    cycle_.assumed = true;
  }

  // False: it was refused, or a plugin failed.
  bool Pass(std::optional<Status> answer) { return Reserve() && Permit(answer); }

  bool Reserve() {
    Nanos& stage = cycle_.record[AttemptStage::kReserve];
    const Nanos waited = Wait(Cost::kReserveWait);
    stage = SpendFixed(Cost::kReserve) + waited;
    stage += RunPlugins(ExtensionPoint::kReserve);
    const bool refused = run_.random.loop.Chance(run_.conditions->costs.reserve_error);
    Observe({.point = ExtensionPoint::kReserve,
             .status = refused          ? Status::kError
                       : cycle_.refused ? Status::kUnschedulable
                                        : Status::kSuccess,
             .duration = stage,
             .waited = waited});
    return !refused && !cycle_.refused;
  }

  // `answer` is a pod group's; else the pods of a gang wait, but for the last one.
  bool Permit(std::optional<Status> answer) {
    Nanos& stage = cycle_.record[AttemptStage::kPermit];
    stage = SpendFixed(Cost::kPermit);
    stage += RunPlugins(ExtensionPoint::kPermit);
    if (cycle_.refused) {
      answer = Status::kUnschedulable;
    } else {
      Gang* const gang = answer ? nullptr : world_.WaitingGang(cycle_.record.pod);
      const bool waits = gang != nullptr && ++gang->permitted + gang->bound < gang->size;
      if (waits || cycle_.permit_wait > 0) answer = Status::kWait;
    }
    Observe({.point = ExtensionPoint::kPermit,
             .status = answer.value_or(Status::kSuccess),
             .duration = stage});
    return !cycle_.refused;
  }

  void StartBinding() {
    using enum Cost;
    ChargeRest({kSpawn, kPreBind, kBindClient, kFinish, kPostBind, kEventsApi});
    binder_.Start(cycle_.record, cycle_.time, cycle_.sampled, FromSeconds(cycle_.permit_wait));
  }

  // The attempt fails on the loop, now + what it has taken so far: preemption, then the handler.
  void Fail() {
    AttemptRecord& record = cycle_.record;
    if (!record.algorithm_done) record.algorithm = cycle_.time - record.start;
    cycle_.post_filter_start = cycle_.time;
    if (cycle_.post_filter != PostFilter::kNone && run_.scenario.preemption) {
      PreemptionPlan plan = Plan();
      record[AttemptStage::kPostFilter] += Spend(Cost::kPostFilter, record.evaluated, 1,
                                                 [&] { return Steps().Preemption(plan.work); });
      record[AttemptStage::kPostFilter] += RunPlugins(ExtensionPoint::kPostFilter);
      MetricRegistry& registry = replicas_.leader().registry;
      registry.Get(Metric::kPreemptionAttempts, {}).value += 1;
      registry.Get(Metric::kPreemptionAttemptsOld, {}).value += 1;
      if (Preempt(std::move(plan))) return Later(cycle_.time, EventKind::kVictims);
      ObservePreemption(Status::kUnschedulable);
    } else if (cycle_.post_filter != PostFilter::kNone &&
               world_.placement().HasPluginsAt(ExtensionPoint::kPostFilter, TemplateIndex())) {
      const Nanos d = record[AttemptStage::kPostFilter] = RunPlugins(ExtensionPoint::kPostFilter);
      Observe(
          {.point = ExtensionPoint::kPostFilter, .status = Status::kUnschedulable, .duration = d});
    }
    Later(cycle_.time, EventKind::kAttemptFailed);
  }

  // Who would have to go, if that helps.
  PreemptionPlan Plan() {
    const PodNumber pod = cycle_.record.pod;
    const bool waits_for_victims = world_.pod(pod).victims_left > 0;
    if (cycle_.post_filter != PostFilter::kPreempts || waits_for_victims) return {};
    PreemptionPlan plan = world_.placement().Preempt(pod, TemplateIndex());
    cycle_.record[AttemptStage::kPostFilter] += SpendPlugins(ExtensionPoint::kFilter, 1);
    if (Watched()) run_.watch->Preempted(world_.placement().ExplainPreemption(TemplateIndex()));
    return plan;
  }

  // Nominates the pod to the node of its victims. False: there is nothing to gain.
  bool Preempt(PreemptionPlan plan) {
    const PodNumber pod = cycle_.record.pod;
    if (plan.node < 0) return false;
    const std::vector<Extender>& extenders = run_.scenario.extenders;
    if (std::ranges::any_of(extenders, [](const Extender& extender) { return extender.preempt; })) {
      cycle_.record[AttemptStage::kPostFilter] += Wait(Cost::kExtPreempt);
    }
    cycle_.victims = std::move(plan.victims);
    world_.Nominate(pod, plan.node);
    for (const PodNumber other : plan.outranked) world_.Nominate(other, -1);
    world_.pod(pod).condition_set = false;
    ++run_.counts.preemptions;
    run_.counts.victims += cycle_.victims.size();
    return true;
  }

  void ObservePreemption(Status status) {
    const Nanos d = cycle_.record[AttemptStage::kPostFilter];
    // In 1.18 preemption is no plugin.
    if (run_.scenario.release.minor >= 19) {
      Observe({.point = ExtensionPoint::kPostFilter, .status = status, .duration = d});
    }
    MetricRegistry& registry = replicas_.leader().registry;
    if (status == Status::kSuccess) {
      const auto victims = static_cast<double>(cycle_.victims.size());
      registry.Get(Metric::kVictims, {}).Observe(victims);
      registry.Get(Metric::kVictimsOld, {}).Observe(victims);
    }
    registry.Get(Metric::kPreemptionEvaluation, {}).Observe(ToSeconds(d));
  }

  // One DELETE after the other up to 1.25, all at once from 1.26, by a goroutine from 1.33.
  void DeleteVictims() {
    const Release& release = run_.scenario.release;
    const bool parallel = release.minor >= 26;
    Nanos end = run_.now;
    while (cycle_.next_victim < cycle_.victims.size()) {
      const PodNumber victim = cycle_.victims[cycle_.next_victim++];
      // Each victim's status is patched first where they are deleted at once.
      Nanos total = api_.DeleteVictim(world_.pod(victim).pod_template, parallel);
      const bool last = cycle_.next_victim == cycle_.victims.size();
      const bool goes = world_.pod(victim).phase != PodPhase::kGone && !world_.pod(victim).deleting;
      if (release.async_preemption() && last && goes) {
        // The last one goes when the others are gone; until then the pod may not come back.
        world_.pod(cycle_.record.pod).preempting_until = end;
        total += end - run_.now;
      }
      world_.Evict(victim, cycle_.record.pod, total);
      end = std::max(end, run_.now + total);
      if (!parallel) return Later(end, EventKind::kVictims);
    }
    cycle_.time = run_.now;
    if (release.async_preemption()) {
      // Up to 1.35 the goroutine's clock is read too early: it always shows about 0 and success.
      MetricRegistry& registry = replicas_.leader().registry;
      registry.Get(Metric::kPreemptionGoroutines, {"success"}).Observe(2e-7);
      registry.Get(Metric::kPreemptionGoroutineRuns, {"success"}).value += 1;
    } else if (parallel) {
      cycle_.time = end;
    }
    cycle_.record[AttemptStage::kPostFilter] = cycle_.time - cycle_.post_filter_start;
    ObservePreemption(Status::kSuccess);
    Later(cycle_.time, EventKind::kAttemptFailed);
  }

  void AttemptFailed() {
    SchedulerProcess& process = replicas_.leader();
    process.CatchUp(run_.now);
    AttemptRecord& record = cycle_.record;
    const std::uint32_t shape = TemplateIndex();
    Nanos cleanup = 0;
    if (cycle_.assumed) {
      const core::PointAnswer undone =
          world_.placement().RunPlugins(ExtensionPoint::kUnreserve, record.pod, shape, record.node);
      cleanup =
          run_.Sample(Cost::kUnreserve, shape, run_.random.loop) + FromSeconds(undone.seconds);
      process.ObservePoint(ExtensionPoint::kUnreserve, Status::kSuccess, shape, cleanup);
      world_.Unassume(record.pod);
    } else if (run_.scenario.release.algorithm_counts_failures()) {
      process.registry.Get(Metric::kAlgorithm, {})
          .Observe(ToSeconds(record.algorithm + record[AttemptStage::kPostFilter]));
    }
    record.result = cycle_.result;
    process.cpu_seconds += run_.conditions->units["queue.AddUnschedulable"].hot_us * 1e-6;
    ChargeRest({Cost::kFailure, Cost::kEventsApi});
    api_.EndFailed(&record, cleanup);
    GoOn(api_.HandleFailure(record.pod, cycle_.rejections, record.result == AttemptResult::kError,
                            run_.now + cleanup));
  }

  // A pod group's cycle (GenericWorkload and GangScheduling, from 1.36): all its queued members are
  // tried one after the other on one snapshot, and are bound together or not at all. Each member
  // has an algorithm clock of its own; its e2e clock is set back to begin that much before the
  // group is decided. Reserve and Permit run twice, and one PATCH of the group follows.

  void TryGroup(PodNumber first, Gang& gang) {
    SchedulerProcess& process = replicas_.leader();
    std::vector<PodNumber> pods = {first};
    for (const PodNumber member : gang.members) {
      if (process.queue.PopSpecific(member, run_.now)) pods.push_back(member);
    }
    group_.start = run_.now;
    group_.pod_template = world_.pods()[first].pod_template;
    group_.open = true;
    std::vector<Cycle> members;
    Nanos time = run_.now;
    int fit = 0;
    for (const PodNumber pod : pods) {
      Begin(pod, time);
      if (pod == first) TakeSnapshot();
      if (TryMember(gang, fit)) ++fit;
      time = cycle_.time;
      members.push_back(std::move(cycle_));
    }
    process.Later(time, process.registry.Get(Metric::kPodGroupAlgorithm, {}),
                  ToSeconds(time - group_.start));
    for (Cycle& member : members) member.record.start = time - member.record.algorithm;
    if (fit > 0 && gang.bound + gang.binding + fit >= gang.size) {
      return BindMembers(std::move(members), gang, time);
    }
    const bool error = std::ranges::any_of(
        members, [](const Cycle& member) { return member.result == AttemptResult::kError; });
    group_.result = error ? AttemptResult::kError : AttemptResult::kUnschedulable;
    FailMembers(std::move(members), time);
  }

  // The current attempt, until the group is decided. False if it has ended.
  bool TryMember(const Gang& gang, int fit) {
    const int node = Algorithm();
    if (node < 0) {
      cycle_.record.algorithm = cycle_.time - cycle_.record.start;
      return false;
    }
    Found(node);
    const bool last = gang.bound + gang.binding + fit + 1 >= gang.size;
    if (Pass(last ? Status::kSuccess : Status::kWait)) return true;
    cycle_.Undo();
    return false;
  }

  // Those that found a node; the others fail.
  void BindMembers(std::vector<Cycle> members, Gang& gang, Nanos at) {
    std::vector<Cycle> failed;
    for (Cycle& member : members) {
      if (member.result != AttemptResult::kScheduled) {
        failed.push_back(std::move(member));
        continue;
      }
      cycle_ = std::move(member);
      cycle_.time = at;
      cycle_.noise = 1;
      const bool passed = Pass(Status::kSuccess);
      at = cycle_.time;
      if (passed) {
        ++gang.permitted;
        ++gang.binding;
        StartBinding();
      } else {
        cycle_.Undo();
        failed.push_back(std::move(cycle_));
      }
    }
    FailMembers(std::move(failed), at);
  }

  void FailMembers(std::vector<Cycle> members, Nanos at) {
    for (Cycle& member : members) {
      if (member.result == AttemptResult::kScheduled) {
        member.result = AttemptResult::kUnschedulable;
        member.rejections = kRejectedByGang;
      }
    }
    std::ranges::reverse(members);
    group_.failed = std::move(members);
    GoOn(at);
  }

  // After an attempt: the group's next failure, the end of the group, or the next pod.
  void GoOn(Nanos at) {
    if (!group_.failed.empty()) {
      cycle_ = std::move(group_.failed.back());
      group_.failed.pop_back();
      cycle_.time = at;
      return Later(at, EventKind::kAttemptFailed);
    }
    if (group_.open) {
      SchedulerProcess& process = replicas_.leader();
      const std::string_view result = kube::ToString(group_.result);
      const std::string& profile = process.ProfileOf(group_.pod_template);
      process.Later(at, process.registry.Get(Metric::kPodGroupAttempt, {result, profile}),
                    ToSeconds(at - group_.start));
      process.Later(at, process.registry.Get(Metric::kPodGroupAttempts, {result, profile}), 1);
      at += api_.PatchStatus(group_.pod_template, at);
      group_ = {};
    }
    Later(at, EventKind::kLoop);
  }

  ApiClient& api_;
  Binder& binder_;
  Group group_;
};

}  // namespace schedlens::sim
