// The way of an attempt that finds a node; scheduling_loop_failure.cc has the other.

#include "scheduler/engine/scheduling_loop.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace schedlens::sim {
namespace {

constexpr double kMicro = 1e-6;

// A slow machine slows everything, but a pause does not grow with the work it interrupts.
Nanos WithNoise(Nanos plain, double noise) {
  constexpr Nanos kPaused = 2 * kMillisecond;
  constexpr double kSlow = 2;
  return FromSeconds(ToSeconds(plain) * std::min(noise, kSlow) +
                     ToSeconds(std::min(plain, kPaused)) * std::max(0.0, noise - kSlow));
}

}  // namespace

void SchedulingLoop::Price() {
  priced_ = run_.conditions;
  by_template_.clear();
  for (std::size_t i = 0; i < run_.scenario.templates.size(); ++i) {
    by_template_.emplace_back(world_.placement().ShapeOf(i), world_.placement().PluginsOf(i),
                              priced_->units);
  }
}

// The attempt's garbage, once it is known what it looked at. Returns how long the world stops; the
// collector's CPU time is no single attempt's.
Nanos SchedulingLoop::Collect() {
  if (!run_.conditions->gc) return 0;
  const cost::AttemptWork& work = cycle_.work;
  const auto pods = static_cast<double>(work.cluster.pods + run_.tally.pending);
  const double pause = garbage_.Allocate(cost::AllocatedBytes(work.seen, work.feasible),
                                         cost::LiveHeapBytes(work.cluster.nodes, pods));
  replicas_.leader().cpu_seconds += (garbage_.cpu_us() - charged_us_) * kMicro;
  charged_us_ = garbage_.cpu_us();
  return FromSeconds(pause * kMicro);
}

SchedulingLoop::Spent SchedulingLoop::Draw(Cost cost, int nodes, int workers) {
  const Nanos plain = run_.Sample(cost, TemplateIndex(), run_.random.loop, nodes, workers);
  if (plain == 0) return {};
  const Nanos elapsed = WithNoise(plain, cycle_.noise);
  return {elapsed, ToSeconds(elapsed) * run_.Effective(workers)};
}

SchedulingLoop::Spent SchedulingLoop::Take(const cost::Labour& labour) {
  const cost::Machine machine = run_.machine();
  const double spread = run_.Spread(run_.random.loop);
  const double us = labour.ElapsedUs(machine) * spread;
  const Nanos elapsed = WithNoise(FromSeconds(us * kMicro), cycle_.noise);
  const double slower = us > 0 ? ToSeconds(elapsed) / (us * kMicro) : 1;
  cycle_.slow = spread * slower;
  Spent out{elapsed, labour.cpu_us() * kMicro * spread * slower};
  if (run_.conditions->gc) {
    const double shared = (us - labour.serial_us * spread) * slower;
    const double late = garbage_.DelayUs(us * slower, std::max(0.0, shared), machine.cores);
    out.elapsed += FromSeconds(late * kMicro);
  }
  return out;
}

// The scheduler's own part of an extender's call; none where the scenario gives the call's cost.
SchedulingLoop::Spent SchedulingLoop::TakeExtender(Cost cost, double us) {
  if (!Computed(cost) || us <= 0) return {};
  const Nanos elapsed = WithNoise(FromSeconds(us * kMicro), cycle_.noise);
  return {elapsed, ToSeconds(elapsed)};
}

void SchedulingLoop::Observe(const PointResult& result) {
  SchedulerProcess& process = replicas_.leader();
  // A node that is rejected does not fail the whole point.
  const bool passes = result.point == ExtensionPoint::kFilter && result.status != Status::kError;
  process.PointLater(cycle_.time, result.point, passes ? Status::kSuccess : result.status,
                     TemplateIndex(), result.duration);
  if (!process.MeasuresPlugins()) return;
  if (!cycle_.sampled && run_.scenario.release.minor < 27) return;
  PointCall call;
  call.point = result.point;
  call.status = result.status;
  call.pod_template = TemplateIndex();
  call.nodes = result.nodes;
  call.rejecting = result.rejecting;
  call.rejected.assign(result.rejected.begin(), result.rejected.end());
  if (cycle_.sampled) {
    call.worker_seconds =
        ToSeconds(result.duration - result.waited) * run_.Effective(result.workers);
    for (const core::OwnTime& time : cycle_.plugin_times) call.worker_seconds -= time.seconds;
    call.worker_seconds = std::max(0.0, call.worker_seconds);
    call.plugins = cycle_.plugin_times;
    call.custom_seconds = ToSeconds(result.waited);
    if (result.cost && Computed(*result.cost)) {
      call.plugin_times = Steps().TimesAt(result.point, cycle_.work);
      call.slow = cycle_.slow;
    }
  }
  process.CallLater(cycle_.time, call);
  cycle_.plugin_times.clear();
  call.plugins.clear();
  if (result.point == ExtensionPoint::kScore && cycle_.sampled) {
    call.point = ExtensionPoint::kScoreNormalize;
    call.nodes = 0;
    call.worker_seconds = 4e-6;
    process.CallLater(cycle_.time, call);
  }
}

void SchedulingLoop::Handle(EventKind kind) {
  if (kind == EventKind::kLoop) return Next();
  if (kind == EventKind::kVictims) return DeleteVictims();
  AttemptFailed();
}

// The loop takes the next pod, or is idle if there is none.
void SchedulingLoop::Next() {
  replicas_.leader().work.busy = false;
  const std::optional<PodNumber> pod = replicas_.leader().queue.Pop(run_.now);
  if (!pod) return;
  replicas_.leader().work.segments.clear();
  if (Gang* group = world_.PodGroupOf(*pod)) {
    TryGroup(*pod, *group);
    return;
  }
  Begin(*pod, run_.now);
  Decide();
}

void SchedulingLoop::Begin(PodNumber pod, Nanos at) {
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
  if (priced_ != run_.conditions) Price();
  cycle_.noise = run_.conditions->costs.noise.Sample(run_.random.loop);
  cycle_.work.cluster = world_.placement().TakeSnapshot();
  if (Watched()) run_.watch->Begin(cycle_.record.number, at);
}

void SchedulingLoop::TakeSnapshot() {
  cycle_.record[AttemptStage::kSnapshot] =
      Spend(Cost::kSnapshot, world_.placement().node_count(), 1,
            [&] { return Steps().Snapshot(cycle_.work.cluster); });
}

// If a node is found: assume, Reserve, Permit, and the binding goroutine takes over.
void SchedulingLoop::Decide() {
  TakeSnapshot();
  const int node = Algorithm();
  if (node < 0) return Fail();
  Found(node);
  if (!Pass(std::nullopt)) {
    cycle_.Undo();
    return Fail();
  }
  StartBinding();
  run_.heap.Push(cycle_.time, EventKind::kLoop, 0, replicas_.life());
}

int SchedulingLoop::Refuse(AttemptResult result, unsigned rejections, PostFilter post_filter) {
  cycle_.result = result;
  cycle_.rejections = rejections;
  cycle_.post_filter = post_filter;
  return -1;
}

// From PreFilter until a node is chosen; -1: none, and the attempt knows why.
int SchedulingLoop::Algorithm() {
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
  if (!decision.prefilter_failed && (broken || !Filter(decision) || decision.error)) {
    return Refuse(kError, kRejectedByNobody, PostFilter::kNone);
  }
  if (decision.node < 0) return Refuse(kUnschedulable, decision.rejections, PostFilter::kPreempts);
  if (decision.feasible > 1) Score();
  return decision.node;
}

// Runs the algorithm unless PreFilter has something else to refuse the pod for.
PlacementDecision SchedulingLoop::PreFilter(bool late_claim, bool broken) {
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
    if (decision.prefilter_failed) result.status = Status::kUnresolvable;
    result.rejecting = decision.prefilter;
  }
  Observe(result);
  return decision;
}

// Filter and the extenders' filter. False: an internal error ended the attempt.
bool SchedulingLoop::Filter(const PlacementDecision& decision) {
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

void SchedulingLoop::Score() {
  AttemptRecord& record = cycle_.record;
  const int nodes = record.feasible;
  const int workers = Workers(nodes);
  record[AttemptStage::kPreScore] =
      Spend(Cost::kPreScore, nodes, workers, [&] { return Steps().PreScore(cycle_.work.cluster); });
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
  record[AttemptStage::kSelectHost] =
      SpendFixed(Cost::kSelectHost, cost::FixedStep::kSelectHost, nodes);
}

// The algorithm's clock stops, and the pod is assumed on its node.
void SchedulingLoop::Found(int node) {
  AttemptRecord& record = cycle_.record;
  record.algorithm = cycle_.time - record.start;
  record.algorithm_done = true;
  record.node = node;
  SchedulerProcess& process = replicas_.leader();
  process.Later(cycle_.time, process.registry.Get(Metric::kAlgorithm, {}),
                ToSeconds(record.algorithm));
  ObserveOldParts();
  if (run_.scenario.release.batches()) process.StoreResults(TemplateIndex());
  record[AttemptStage::kAssume] = SpendFixed(Cost::kAssume, cost::FixedStep::kAssume);
  world_.Assume(record.pod, node);
  cycle_.assumed = true;
}

void SchedulingLoop::StartBinding() {
  using enum cost::FixedStep;
  ChargeRest({kSpawn, kPreBind, kBindClient, kFinish, kPostBind, kEvent});
  binder_.Start(cycle_.record, cycle_.time, cycle_.sampled, FromSeconds(cycle_.permit_wait));
}

// Up to 1.19, of attempts that find a node.
void SchedulingLoop::ObserveOldParts() {
  const AttemptRecord& a = cycle_.record;
  const bool oldest = run_.scenario.release.minor < 19;
  Nanos filter = a[AttemptStage::kFilter] + a[AttemptStage::kExtFilter];
  Nanos score = a[AttemptStage::kScore] + a[AttemptStage::kExtPrioritize];
  (oldest ? filter : score) += a[AttemptStage::kPreScore];
  if (!oldest) filter += a[AttemptStage::kPreFilter];
  MetricRegistry& registry = replicas_.leader().registry;
  registry.Get(Metric::kPredicateEvaluation, {}).Observe(ToSeconds(filter));
  registry.Get(Metric::kPriorityEvaluation, {}).Observe(ToSeconds(score));
}

// Reserve and Permit: what a pod that has a node still has to pass on the loop.

bool SchedulingLoop::Reserve() {
  Nanos& stage = cycle_.record[AttemptStage::kReserve];
  const Nanos waited = Wait(Cost::kReserveWait);
  stage = SpendFixed(Cost::kReserve, cost::FixedStep::kReserve) + waited;
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

// What Permit says of a pod whose gang waits there: wait, but for the last one.
Status SchedulingLoop::GangAnswer() {
  Gang* gang = world_.WaitingGang(cycle_.record.pod);
  if (gang == nullptr) return Status::kSuccess;
  return ++gang->permitted + gang->bound < gang->size ? Status::kWait : Status::kSuccess;
}

// `answer` is a pod group's; else it follows from the gang that waits.
bool SchedulingLoop::Permit(std::optional<Status> answer) {
  Nanos& stage = cycle_.record[AttemptStage::kPermit];
  stage = SpendFixed(Cost::kPermit, cost::FixedStep::kPermit);
  stage += RunPlugins(ExtensionPoint::kPermit);
  if (cycle_.refused) {
    answer = Status::kUnschedulable;
  } else {
    if (!answer) answer = GangAnswer();
    if (cycle_.permit_wait > 0) answer = Status::kWait;
  }
  Observe({.point = ExtensionPoint::kPermit, .status = *answer, .duration = stage});
  return !cycle_.refused;
}

// What an attempt's steps take: its clock, and the CPU time of the process.

Nanos SchedulingLoop::Advance(const Spent& spent, int workers) {
  if (spent.elapsed == 0 && spent.cpu_seconds == 0) return 0;
  SchedulerProcess& process = replicas_.leader();
  process.work.segments.push_back({cycle_.time, cycle_.time + spent.elapsed, workers});
  process.cpu_seconds += spent.cpu_seconds;
  cycle_.record.cpu += FromSeconds(spent.cpu_seconds);
  cycle_.time += spent.elapsed;
  return spent.elapsed;
}

// A step that is nothing but its share of what every attempt costs.
Nanos SchedulingLoop::SpendFixed(Cost cost, cost::FixedStep step, int nodes) {
  return Spend(cost, nodes, 1, [&] {
    return cost::Labour{FixedUs(step, run_.conditions->units), 0, 0};
  });
}

// Waiting on the loop for somebody else.
Nanos SchedulingLoop::Wait(Cost cost) {
  const Nanos d = run_.Sample(cost, TemplateIndex(), run_.random.loop);
  cycle_.time += d;
  return d;
}

// What the loop starts and does not wait for: binding, or the failure's event.
void SchedulingLoop::ChargeRest(std::initializer_list<cost::FixedStep> steps) {
  double us = 0;
  for (const cost::FixedStep step : steps) us += FixedUs(step, run_.conditions->units);
  cycle_.record.cpu += FromSeconds(us * 1e-6);
}

// What the attempt looked at is known: the rest of its costs, its garbage, and what recording its
// plugins takes.
void SchedulingLoop::NoteWork(const PlacementDecision& decision) {
  cost::AttemptWork& work = cycle_.work;
  work.searched = decision.searched;
  work.seen = decision.evaluated;
  work.passed = decision.passed;
  work.feasible = decision.feasible;
  work.enough = decision.enough;
  work.rejected = decision.rejected;
  cycle_.time += Collect();
  if (!cycle_.sampled || !Computed(Cost::kFilter)) return;
  cycle_.record[AttemptStage::kRecording] =
      Spend(Cost::kFilter, work.seen, Workers(work.seen),
            [&] { return Steps().Recording(work, static_cast<int>(PluginRecorder::kCapacity)); });
}

// What plugins from outside the tree add to an attempt on the loop.

// CPU work of the loop's workers; a noisy machine is in what the plugin says.
Nanos SchedulingLoop::SpendTimes(std::vector<core::OwnTime> times, int workers) {
  double seconds = 0;
  for (const core::OwnTime& time : times) seconds += time.seconds;
  cycle_.plugin_times.insert(cycle_.plugin_times.end(), times.begin(), times.end());
  const Nanos d = FromSeconds(seconds / run_.Effective(workers));
  if (d <= 0) return 0;
  return Advance({d, seconds}, workers);
}

// Calls them at a point that the algorithm does not have.
Nanos SchedulingLoop::RunPlugins(ExtensionPoint point) {
  if (!world_.placement().has_plugins()) return 0;
  core::PointAnswer answer =
      world_.placement().RunPlugins(point, cycle_.record.pod, TemplateIndex(), cycle_.record.node);
  cycle_.permit_wait = std::max(cycle_.permit_wait, answer.wait);
  if (answer.refused) {
    cycle_.refused = true;
    if (Watched()) {
      run_.watch->Ended(std::string(answer.plugin) + " at " + std::string(kube::ToString(point)) +
                        ": " + answer.refusal);
    }
  }
  return SpendTimes(std::move(answer.times), 1);
}

// The extenders' part of an attempt: filter, one call after the other, and prioritize, all at once.

// One after the other. False: a call failed and the extender is not ignorable.
bool SchedulingLoop::FilterByExtenders(int nodes) {
  Random& random = run_.random.extender;
  Nanos total = 0;
  bool ok = true;
  for (const Extender& extender : run_.scenario.extenders) {
    if (!extender.filter || !extender.IsInterested(world_.TemplateOf(cycle_.record.pod))) continue;
    const Nanos timeout = FromSeconds(extender.timeout);
    const Nanos d = run_.Sample(Cost::kExtFilter, TemplateIndex(), random);
    const bool failed = d > timeout || random.Chance(run_.conditions->costs.ext_filter_error);
    const Spent own =
        TakeExtender(Cost::kExtFilter,
                     ExtenderFilterUs(run_.conditions->units, nodes, images_, extender.names_only));
    replicas_.leader().cpu_seconds += own.cpu_seconds;
    cycle_.record.cpu += FromSeconds(own.cpu_seconds);
    total += std::min(d, timeout) + own.elapsed;
    ok = !failed || extender.ignorable;
    if (!ok) break;
  }
  cycle_.record[AttemptStage::kExtFilter] = total;
  cycle_.time += total;
  return ok;
}

// All at once; a call that fails only loses its scores.
void SchedulingLoop::PrioritizeByExtenders() {
  Nanos longest = 0;
  for (const Extender& extender : run_.scenario.extenders) {
    if (!extender.IsInterested(world_.TemplateOf(cycle_.record.pod))) continue;
    replicas_.leader().prioritized = true;
    if (!extender.prioritize) continue;
    const Nanos d = run_.Sample(Cost::kExtPrioritize, TemplateIndex(), run_.random.extender);
    const Spent own = TakeExtender(
        Cost::kExtPrioritize, ExtenderPrioritizeUs(run_.conditions->units, cycle_.record.feasible,
                                                   images_, extender.names_only));
    replicas_.leader().cpu_seconds += own.cpu_seconds;
    cycle_.record.cpu += FromSeconds(own.cpu_seconds);
    longest = std::max(longest, std::min(d, FromSeconds(extender.timeout)) + own.elapsed);
  }
  cycle_.record[AttemptStage::kExtPrioritize] = longest;
  cycle_.time += longest;
}

}  // namespace schedlens::sim
