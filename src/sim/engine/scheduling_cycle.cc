// The scheduling loop: one attempt at a time, from the pop to the binding goroutine or the failure
// handler.

#include <algorithm>
#include <cmath>

#include "sim/engine/engine.h"

namespace schedlens::sim {
namespace {

// How many of an unlimited scheduler's workers really run at once; the default costs were measured
// on two cores.
constexpr int kCores = 2;

// The parallel loop's chunk rule: how many workers n nodes keep busy.
int Workers(int nodes, int parallelism) {
  if (nodes <= 0) return 1;
  const int root = static_cast<int>(std::sqrt(static_cast<double>(nodes)));
  const int chunk = std::max(1, std::min(root, nodes / parallelism + 1));
  return std::min(parallelism, (nodes + chunk - 1) / chunk);
}

int Effective(int workers, int processors) {
  return std::min(workers, processors > 0 ? processors : kCores);
}

bool Interested(const Extender& extender, const PodTemplate& pod) {
  return extender.managed.empty() || pod.extended.contains(extender.managed);
}

}  // namespace

const StepCost& Simulation::Engine::CostOf(Cost cost, std::uint32_t pod_template) const {
  for (const auto& [which, step] : conditions_->template_costs[pod_template]) {
    if (which == cost) return step;
  }
  for (const auto& [which, step] : scenario_.templates[pod_template].costs) {
    if (which == cost) return step;
  }
  return conditions_->costs[cost];
}

Nanos Simulation::Engine::SampleCost(Cost cost, std::uint32_t pod_template, Random& random,
                                     int nodes, int workers) const {
  const StepCost& step = CostOf(cost, pod_template);
  double seconds = step.wall.Sample(random);
  if (step.per_node > 0 && nodes > 0) {
    seconds += step.per_node * nodes / Effective(workers, conditions_->processors);
  }
  if (step.per_pod > 0) seconds += step.per_pod * static_cast<double>(bound_);
  return FromSeconds(seconds);
}

void Simulation::Engine::WakeLoop() {
  if (busy_ || !has_leader()) return;
  const SchedulingQueue& queue = leader().queue;
  const bool early = scenario_.release.pops_from_backoff() && queue.size(QueueKind::kBackoff) > 0;
  if (!queue.HasActive() && !early) return;
  busy_ = true;
  heap_.Push(now_, EventKind::kLoop, 0, process_life_);
}

// CPU work of the loop: advances the attempt's clock.
Nanos Simulation::Engine::Spend(Cost cost, int nodes, int workers) {
  const std::uint32_t pod_template = pods_[cycle_.pod].pod_template;
  const Nanos plain = SampleCost(cost, pod_template, loop_random_, nodes, workers);
  // A slow machine slows everything, but a pause does not grow with the work it interrupts.
  constexpr Nanos kPaused = 2 * kMillisecond;
  constexpr double kSlow = 2;
  const Nanos d =
      FromSeconds(ToSeconds(plain) * std::min(cycle_noise_, kSlow) +
                  ToSeconds(std::min(plain, kPaused)) * std::max(0.0, cycle_noise_ - kSlow));
  cpu_.push_back({cycle_time_, cycle_time_ + d, workers});
  leader().cpu_seconds += ToSeconds(d) * Effective(workers, conditions_->processors);
  cycle_time_ += d;
  return d;
}

// Waiting on the loop for somebody else.
Nanos Simulation::Engine::Wait(Cost cost) {
  const Nanos d = SampleCost(cost, pods_[cycle_.pod].pod_template, loop_random_, 0, 1);
  cycle_time_ += d;
  return d;
}

void Simulation::Engine::Observe(Point point, Status status, Nanos duration, int nodes, int workers,
                                 std::string_view rejecting, Nanos waited,
                                 std::span<const PluginRejections> rejected) {
  const std::uint32_t pod_template = pods_[cycle_.pod].pod_template;
  leader().PointLater(
      cycle_time_, point,
      point == Point::kFilter && status != Status::kError ? Status::kSuccess : status, pod_template,
      duration);
  if (!cycle_sampled_ && scenario_.release.minor < 27) return;
  PointCall call;
  call.point = point;
  call.status = status;
  call.pod_template = pod_template;
  call.nodes = nodes;
  call.rejecting = rejecting;
  call.rejected.assign(rejected.begin(), rejected.end());
  if (cycle_sampled_) {
    call.worker_seconds =
        ToSeconds(duration - waited) * Effective(workers, conditions_->processors);
    call.custom_seconds = ToSeconds(waited);
  }
  leader().CallLater(cycle_time_, call);
  if (point == Point::kScore && cycle_sampled_) {
    call.point = Point::kScoreNormalize;
    call.nodes = 0;
    call.worker_seconds = 4e-6;
    leader().CallLater(cycle_time_, call);
  }
}

void Simulation::Engine::StartCycle() {
  const std::optional<PodId> popped = leader().queue.Pop(now_);
  if (!popped) return;
  busy_ = true;
  Pod& pod = pods_[*popped];
  pod.phase = PodPhase::kInFlight;
  --pending_;
  ++counts_.attempts;
  leader().cycled = true;
  cycle_ = AttemptRecord();
  cycle_.pod = *popped;
  cycle_.number = leader().queue.attempts(*popped);
  cycle_.start = now_;
  cycle_time_ = now_;
  cycle_assumed_ = false;
  cpu_.clear();
  cycle_sampled_ = loop_random_.Below(100) < 10;
  cycle_noise_ = conditions_->costs.noise.Sample(loop_random_);

  const int nodes = placement_.node_count();
  cycle_[Stage::kSnapshot] = Spend(Cost::kSnapshot, nodes, 1);
  if (nodes == 0) {
    FailCycle(AttemptResult::kUnschedulable, kRejectedByResources, PostFilter::kNone);
    return;
  }
  cycle_[Stage::kPreFilter] = Spend(Cost::kPreFilter, nodes, Workers(nodes, scenario_.parallelism));
  const Costs& costs = conditions_->costs;
  const bool late_claim = scenario_.templates[pod.pod_template].claim && cycle_.number == 1 &&
                          loop_random_.Chance(costs.claim_late);
  const bool broken = !late_claim && loop_random_.Chance(costs.prefilter_error);
  PlacementDecision decision;
  if (!late_claim && !broken) decision = placement_.Place(cycle_.pod, pod.pod_template);
  Observe(Point::kPreFilter,
          late_claim || decision.prefilter_failed ? Status::kUnresolvable
          : broken                                ? Status::kError
                                                  : Status::kSuccess,
          cycle_[Stage::kPreFilter], 0, 1,
          late_claim ? "VolumeBinding"
          : broken   ? "NodeResourcesFit"
                     : decision.prefilter);
  if (late_claim) {
    heap_.Push(cycle_time_ + SampleCost(Cost::kInformer, pod.pod_template, api_random_, 0, 1),
               EventKind::kClaimSeen);
    FailCycle(AttemptResult::kUnschedulable, kRejectedByVolumes, PostFilter::kHopeless);
  } else if (decision.prefilter_failed) {
    FailCycle(AttemptResult::kUnschedulable, decision.rejections, PostFilter::kPreempts);
  } else if (broken || !FilterNodes(decision) || decision.error) {
    FailCycle(AttemptResult::kError, 0, PostFilter::kNone);
  } else if (decision.node < 0) {
    FailCycle(AttemptResult::kUnschedulable, decision.rejections, PostFilter::kPreempts);
  } else if (decision.feasible > 1 && !ScoreNodes()) {
    FailCycle(AttemptResult::kError, 0, PostFilter::kNone);
  } else {
    Place(decision);
  }
}

// Filter and the extenders' filter. False: an internal error ended the attempt.
bool Simulation::Engine::FilterNodes(const PlacementDecision& decision) {
  if (decision.nominated_tried) {
    const Nanos d = Spend(Cost::kFilter, 1, 1);
    cycle_[Stage::kFilter] += d;
    Observe(Point::kFilter, decision.nominated_taken ? Status::kSuccess : Status::kUnschedulable, d,
            1, 1, decision.nominated_out);
  }
  if (!decision.nominated_taken) {
    const int workers = Workers(decision.evaluated, scenario_.parallelism);
    const Nanos d = Spend(Cost::kFilter, decision.evaluated, workers);
    cycle_[Stage::kFilter] += d;
    const bool error = loop_random_.Chance(conditions_->costs.filter_error);
    Observe(Point::kFilter, error ? Status::kError : Status::kSuccess, d, decision.evaluated,
            workers, error ? "NodeResourcesFit" : "", 0,
            error ? std::span<const PluginRejections>() : decision.rejected);
    if (error) return false;
  }
  cycle_.evaluated = decision.evaluated;
  cycle_.feasible = decision.feasible;
  return decision.node < 0 || AskExtenders(Cost::kExtFilter, Stage::kExtFilter);
}

// Filter serially, prioritize all at once. False: a call failed and the extender is not ignorable.
bool Simulation::Engine::AskExtenders(Cost cost, Stage stage) {
  const std::uint32_t pod_template = pods_[cycle_.pod].pod_template;
  const bool filter = cost == Cost::kExtFilter;
  Nanos longest = 0;
  for (const Extender& extender : scenario_.extenders) {
    if (!Interested(extender, scenario_.templates[pod_template])) continue;
    if (!filter) leader().prioritized = true;
    if (!(filter ? extender.filter : extender.prioritize)) continue;
    const Nanos timeout = FromSeconds(extender.timeout);
    Nanos d = SampleCost(cost, pod_template, extender_random_, 0, 1);
    const bool failed =
        d > timeout || (filter && extender_random_.Chance(conditions_->costs.ext_filter_error));
    d = std::min(d, timeout);
    longest = filter ? longest + d : std::max(longest, d);
    if (failed && filter && !extender.ignorable) {
      cycle_[stage] = longest;
      cycle_time_ += longest;
      return false;
    }
  }
  cycle_[stage] = longest;
  cycle_time_ += longest;
  return true;
}

bool Simulation::Engine::ScoreNodes() {
  const int nodes = cycle_.feasible;
  const int workers = Workers(nodes, scenario_.parallelism);
  cycle_[Stage::kPreScore] = Spend(Cost::kPreScore, nodes, workers);
  Observe(Point::kPreScore, Status::kSuccess, cycle_[Stage::kPreScore], 0, 1);
  cycle_[Stage::kScore] = Spend(Cost::kScore, nodes, workers);
  Observe(Point::kScore, Status::kSuccess, cycle_[Stage::kScore], nodes, workers);
  const bool ok = AskExtenders(Cost::kExtPrioritize, Stage::kExtPrioritize);
  cycle_[Stage::kSelectHost] = Spend(Cost::kSelectHost, nodes, 1);
  return ok;
}

// A node was found: assume, Reserve, Permit, and the binding goroutine takes over.
void Simulation::Engine::Place(const PlacementDecision& decision) {
  Pod& pod = pods_[cycle_.pod];
  cycle_.algorithm = cycle_time_ - now_;
  cycle_.algorithm_done = true;
  cycle_.node = decision.node;
  leader().AlgorithmLater(cycle_time_, cycle_.algorithm);
  cycle_[Stage::kAssume] = Spend(Cost::kAssume, 0, 1);
  placement_.Assume(cycle_.pod, pod.pod_template, decision.node);
  pod.node = decision.node;
  ++assumed_;
  cycle_assumed_ = true;

  const Nanos waited = Wait(Cost::kReserveWait);
  cycle_[Stage::kReserve] = Spend(Cost::kReserve, 0, 1) + waited;
  const bool refused = loop_random_.Chance(conditions_->costs.reserve_error);
  Observe(Point::kReserve, refused ? Status::kError : Status::kSuccess, cycle_[Stage::kReserve], 0,
          1, {}, waited);
  if (refused) {
    FailCycle(AttemptResult::kError, 0, PostFilter::kNone);
    return;
  }
  cycle_[Stage::kPermit] = Spend(Cost::kPermit, 0, 1);
  bool waits = false;
  if (pod.gang >= 0) {
    Gang& gang = gangs_[static_cast<std::size_t>(pod.gang)];
    waits = ++gang.permitted + gang.bound < gang.size;
  }
  Observe(Point::kPermit, waits ? Status::kWait : Status::kSuccess, cycle_[Stage::kPermit], 0, 1);

  const std::uint32_t job = NewJob();
  jobs_[job].attempt = cycle_;
  jobs_[job].ready = cycle_time_;
  jobs_[job].sampled = cycle_sampled_;
  const Nanos spawn = SampleCost(Cost::kSpawn, pod.pod_template, bind_random_, 0, 1);
  heap_.Push(cycle_time_ + spawn, EventKind::kBindStart, job, jobs_[job].life);
  heap_.Push(cycle_time_, EventKind::kLoop, 0, process_life_);
}

// The attempt fails on the loop, now + what it has taken so far.
void Simulation::Engine::FailCycle(AttemptResult result, unsigned rejections,
                                   PostFilter post_filter) {
  Pod& pod = pods_[cycle_.pod];
  cycle_result_ = result;
  cycle_rejections_ = rejections;
  victims_.clear();
  next_victim_ = 0;
  if (!cycle_.algorithm_done) cycle_.algorithm = cycle_time_ - now_;
  post_filter_start_ = cycle_time_;
  if (post_filter != PostFilter::kNone && scenario_.preemption) {
    cycle_[Stage::kPostFilter] = Spend(Cost::kPostFilter, cycle_.evaluated, 1);
    leader().registry.Get(Metric::kPreemptionAttempts, {}).value += 1;
    const bool waits_for_victims = pod.victims_left > 0;
    PreemptionPlan plan;
    if (post_filter == PostFilter::kPreempts && !waits_for_victims) {
      plan = placement_.Preempt(cycle_.pod, pod.pod_template);
    }
    if (plan.node >= 0) {
      if (std::any_of(scenario_.extenders.begin(), scenario_.extenders.end(),
                      [](const Extender& extender) { return extender.preempt; })) {
        cycle_[Stage::kPostFilter] += Wait(Cost::kExtPreempt);
      }
      victims_ = std::move(plan.victims);
      pod.nominated = plan.node;
      placement_.Nominate(cycle_.pod, pod.pod_template, plan.node);
      for (const PodId other : plan.outranked) {
        pods_[other].nominated = -1;
        placement_.Nominate(other, pods_[other].pod_template, -1);
      }
      pod.condition_set = false;
      ++counts_.preemptions;
      counts_.victims += victims_.size();
      heap_.Push(cycle_time_, EventKind::kVictims, 0, process_life_);
      return;
    }
    Observe(Point::kPostFilter, Status::kUnschedulable, cycle_[Stage::kPostFilter], 0, 1);
    leader()
        .registry.Get(Metric::kPreemptionEvaluation, {})
        .Observe(ToSeconds(cycle_[Stage::kPostFilter]));
  }
  heap_.Push(cycle_time_, EventKind::kAttemptFailed, 0, process_life_);
}

// One DELETE after the other up to 1.25, all at once from 1.26, behind PostFilter's back from 1.33.
void Simulation::Engine::DeleteVictims() {
  const bool parallel = scenario_.release.parallel_victim_deletes();
  const bool async = scenario_.release.async_preemption();
  Pod& pod = pods_[cycle_.pod];
  Nanos end = now_;
  while (next_victim_ < victims_.size()) {
    const PodId victim = victims_[next_victim_++];
    const std::uint32_t shape = pods_[victim].pod_template;
    Nanos wait = leader().client.Take(now_);
    Nanos total = wait + SampleCost(Cost::kDeleteApi, shape, api_random_, 0, 1);
    if (parallel) {  // each victim's status is patched first
      leader().ObserveRequest(Request::kStatusPatch, 200, wait, total);
      wait = leader().client.Take(now_);
      total = std::max(total, wait) + SampleCost(Cost::kDeleteApi, shape, api_random_, 0, 1);
    }
    leader().ObserveRequest(Request::kDeletePod, 200, wait, total);
    counts_.api_requests += parallel ? 2 : 1;
    Pod& gone = pods_[victim];
    if (gone.phase != PodPhase::kGone && !gone.deleting) {
      gone.deleting = true;
      placement_.Terminating(victim);
      gone.victim_of = static_cast<std::int32_t>(cycle_.pod);
      ++pod.victims_left;
      const Nanos grace = FromSeconds(scenario_.templates[shape].grace.Sample(lives_));
      heap_.Push(now_ + total + grace, EventKind::kVictimGone, victim, gone.life);
    }
    end = std::max(end, now_ + total);
    if (!parallel) {
      heap_.Push(end, EventKind::kVictims, 0, process_life_);
      return;
    }
  }
  const Nanos background = end - now_;
  if (async) {
    // Up to 1.35 the goroutine's clock is read too early: it always shows about 0 and success.
    leader().registry.Get(Metric::kPreemptionGoroutines, {"success"}).Observe(2e-7);
    leader().registry.Get(Metric::kPreemptionGoroutineRuns, {"success"}).value += 1;
  }
  cycle_time_ = async ? now_ : now_ + (parallel ? background : 0);
  cycle_[Stage::kPostFilter] = cycle_time_ - post_filter_start_;
  Observe(Point::kPostFilter, Status::kSuccess, cycle_[Stage::kPostFilter], 0, 1);
  leader().registry.Get(Metric::kVictims, {}).Observe(static_cast<double>(victims_.size()));
  leader()
      .registry.Get(Metric::kPreemptionEvaluation, {})
      .Observe(ToSeconds(cycle_[Stage::kPostFilter]));
  heap_.Push(cycle_time_, EventKind::kAttemptFailed, 0, process_life_);
}

// The failure handler, on the loop.
void Simulation::Engine::AttemptFailed() {
  SchedulerProcess& process = leader();
  process.CatchUp(now_);
  const PodId pod = cycle_.pod;
  const std::uint32_t shape = pods_[pod].pod_template;
  Nanos cleanup = 0;
  if (cycle_assumed_) {
    cleanup = SampleCost(Cost::kUnreserve, shape, loop_random_, 0, 1);
    process.ObservePoint(Point::kUnreserve, Status::kSuccess, shape, cleanup);
    placement_.Remove(pod);
    if (pods_[pod].phase == PodPhase::kInFlight) --assumed_;
    pods_[pod].node = -1;
  } else if (scenario_.release.algorithm_counts_failures()) {
    process.registry.Get(Metric::kAlgorithm, {})
        .Observe(ToSeconds(cycle_.algorithm + cycle_[Stage::kPostFilter]));
  }
  cycle_.result = cycle_result_;
  cycle_.e2e = now_ - cycle_.start;
  if (scenario_.release.failure_after_cleanup()) {
    cycle_[Stage::kUnreserve] = cleanup;
    cycle_.e2e += cleanup;
  }
  process.ObserveAttempt(ResultName(cycle_.result), shape, cycle_.e2e);
  EndAttempt(cycle_);
  cycle_time_ = now_ + cleanup;
  FailureTail(pod, cycle_rejections_, cycle_.result == AttemptResult::kError, true);
}

// Requeue, event, status PATCH. On the loop the PATCH blocks every other pod.
void Simulation::Engine::FailureTail(PodId pod, unsigned rejections, bool was_error, bool on_loop) {
  SchedulerProcess& process = leader();
  Pod& p = pods_[pod];
  const std::uint32_t shape = p.pod_template;
  Nanos free_at = on_loop ? cycle_time_ : now_;
  free_at += SampleCost(Cost::kFailure, shape, loop_random_, 0, 1);
  if (p.phase == PodPhase::kInFlight) {
    p.phase = PodPhase::kPending;
    ++pending_;
    process.queue.AddFailed(pod, rejections, was_error, now_);
    SendEvent(pod, false);
    if (!p.condition_set) {
      p.condition_set = true;
      ApiCall call;
      call.kind = CallKind::kPatch;
      call.request = Request::kStatusPatch;
      if (async_api_) {
        Dispatch(NewCall(call));
      } else {
        call.kind = CallKind::kEvent;
        call.wait = process.client.Take(now_);
        call.total = call.wait + SampleCost(Cost::kBindClient, shape, api_random_, 0, 1) +
                     SampleCost(Cost::kWriteApi, shape, api_random_, 0, 1);
        free_at += call.total;
        heap_.Push(free_at, EventKind::kEventSent, NewCall(call), process_life_);
      }
    }
  }
  if (on_loop) heap_.Push(free_at, EventKind::kLoop, 0, process_life_);
}

// How long a goroutine that becomes runnable now waits for the processor the loop's work occupies.
Nanos Simulation::Engine::ProcessorDelay() {
  const Conditions& c = *conditions_;
  if (c.processors <= 0 || !busy_) return 0;
  for (const CpuSegment& segment : cpu_) {
    if (now_ < segment.start || now_ >= segment.end) continue;
    const int ahead = (segment.workers + c.processors - 1) / c.processors;
    const Nanos turn = FromSeconds(bind_random_.Uniform() * c.slice * ahead);
    return std::min(segment.end - now_, turn);
  }
  return 0;
}

}  // namespace schedlens::sim
