#pragma once

// What an attempt on the scheduling loop takes: its steps are computed from the work that there is,
// or drawn where the scenario says what they take, and observed by point and plugin.

#include "scheduler/engine/replicas.h"

namespace schedlens::sim {

/// The current attempt, its clock, and the CPU time that it costs the process.
class LoopClock {
 protected:
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
  /// What one extension point did in the current attempt.
  struct PointResult {
    ExtensionPoint point = ExtensionPoint::kPreFilter;
    Status status = Status::kSuccess;
    Nanos duration = 0;
    int nodes = 0, workers = 1;
    std::optional<Cost> cost{};  // what the scenario calls it, if its plugins' shares are computed
    std::string_view rejecting{};
    Nanos waited = 0;  // part of `duration` in which no processor is used
    std::span<const PluginRejections> rejected{};
  };

  LoopClock(RunState& run, World& world, Replicas& replicas)
      : run_(run), world_(world), replicas_(replicas), images_(world.placement().ImagesPerNode()) {}

  std::uint32_t TemplateIndex() const { return world_.pods()[cycle_.record.pod].pod_template; }
  /// Somebody asked about the pod of this attempt.
  bool Watched() const { return run_.watch && run_.watch->Is(cycle_.record.pod); }

  /// To be called when an attempt begins: what its steps cost follows the conditions.
  void Price() {
    if (priced_ == run_.conditions) return;
    priced_ = run_.conditions;
    by_template_.clear();
    for (std::size_t i = 0; i < run_.scenario.templates.size(); ++i) {
      by_template_.emplace_back(world_.placement().ShapeOf(i), world_.placement().PluginsOf(i),
                                priced_->units);
    }
  }

  int Workers(int nodes) const { return cost::WorkersFor(nodes, run_.scenario.parallelism); }
  bool Computed(Cost cost) const { return run_.CostOf(cost, TemplateIndex()).computed; }
  const cost::AttemptCosts& Steps() const { return by_template_[TemplateIndex()]; }
  /// CPU work of the loop: advances the attempt's clock. `labour` is asked where it is computed.
  template <typename LabourOf>
  Nanos Spend(Cost cost, int nodes, int workers, const LabourOf& labour) {
    return Advance(Computed(cost) ? Take(labour()) : Draw(cost, nodes, workers), workers);
  }
  // A step that is nothing but its share of what every attempt costs.
  Nanos SpendFixed(Cost cost, int nodes = 0) {
    return Spend(cost, nodes, 1, [&] {
      return cost::Labour{cost::FixedUs(cost, run_.conditions->units), 0, 0};
    });
  }
  // Waiting on the loop for somebody else.
  Nanos Wait(Cost cost) {
    const Nanos d = run_.Sample(cost, TemplateIndex(), run_.random.loop);
    cycle_.time += d;
    return d;
  }
  // What the loop starts and does not wait for: binding, or the failure's event.
  void ChargeRest(std::initializer_list<Cost> steps) {
    double us = 0;
    for (const Cost step : steps) us += cost::FixedUs(step, run_.conditions->units);
    cycle_.record.cpu += FromSeconds(us * 1e-6);
  }

  // What the attempt looked at is known: the rest of its costs, its garbage, recording plugins.
  void NoteWork(const PlacementDecision& decision) {
    cost::AttemptWork& work = cycle_.work;
    static_cast<cost::SearchWork&>(work) = decision;
    cycle_.time += Collect();
    if (!cycle_.sampled || !Computed(Cost::kFilter)) return;
    cycle_.record[AttemptStage::kRecording] =
        Spend(Cost::kFilter, work.evaluated, Workers(work.evaluated),
              [&] { return Steps().Recording(work, static_cast<int>(PluginRecorder::kCapacity)); });
  }

  // What plugins from outside the tree took in the algorithm.
  Nanos SpendPlugins(ExtensionPoint point, int workers) {
    return SpendTimes(world_.placement().TakeTimes(point), workers);
  }

  // Calls them at a point that the algorithm does not have.
  Nanos RunPlugins(ExtensionPoint point) {
    core::PointAnswer answer = world_.placement().RunPlugins(point, cycle_.record.pod,
                                                             TemplateIndex(), cycle_.record.node);
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

  void Observe(const PointResult& result) {
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

  // Up to 1.19, of attempts that find a node.
  void ObserveOldParts() {
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

  // One after the other. False: a call failed and the extender is not ignorable.
  bool FilterByExtenders(int nodes) {
    Random& random = run_.random.extender;
    Nanos total = 0;
    bool ok = true;
    for (const Extender& extender : run_.scenario.extenders) {
      if (!extender.filter || !extender.IsInterested(world_.TemplateOf(cycle_.record.pod)))
        continue;
      const Nanos timeout = FromSeconds(extender.timeout);
      const Nanos d = run_.Sample(Cost::kExtFilter, TemplateIndex(), random);
      const bool failed = d > timeout || random.Chance(run_.conditions->costs.ext_filter_error);
      total += std::min(d, timeout) + SpendExtender(Cost::kExtFilter, nodes, extender);
      ok = !failed || extender.ignorable;
      if (!ok) break;
    }
    cycle_.record[AttemptStage::kExtFilter] = total;
    cycle_.time += total;
    return ok;
  }

  // All at once; a call that fails only loses its scores.
  void PrioritizeByExtenders() {
    Nanos longest = 0;
    for (const Extender& extender : run_.scenario.extenders) {
      if (!extender.IsInterested(world_.TemplateOf(cycle_.record.pod))) continue;
      replicas_.leader().prioritized = true;
      if (!extender.prioritize) continue;
      const Nanos d = run_.Sample(Cost::kExtPrioritize, TemplateIndex(), run_.random.extender);
      const Nanos own = SpendExtender(Cost::kExtPrioritize, cycle_.record.feasible, extender);
      longest = std::max(longest, std::min(d, FromSeconds(extender.timeout)) + own);
    }
    cycle_.record[AttemptStage::kExtPrioritize] = longest;
    cycle_.time += longest;
  }

  RunState& run_;
  World& world_;
  Replicas& replicas_;
  Cycle cycle_;

 private:
  /// Time on the clock, and CPU seconds of the scheduler in it.
  struct Spent {
    Nanos elapsed = 0;
    double cpu_seconds = 0;
  };

  void Charge(double cpu_seconds) {
    replicas_.leader().cpu_seconds += cpu_seconds;
    cycle_.record.cpu += FromSeconds(cpu_seconds);
  }
  // A slow machine slows everything, but a pause does not grow with the work it interrupts.
  static Nanos WithNoise(Nanos plain, double noise) {
    constexpr Nanos kPaused = 2 * kMillisecond;
    constexpr double kSlow = 2;
    return FromSeconds(ToSeconds(plain) * std::min(noise, kSlow) +
                       ToSeconds(std::min(plain, kPaused)) * std::max(0.0, noise - kSlow));
  }

  Spent Draw(Cost cost, int nodes, int workers) {
    const Nanos plain = run_.Sample(cost, TemplateIndex(), run_.random.loop, nodes, workers);
    if (plain == 0) return {};
    const Nanos elapsed = WithNoise(plain, cycle_.noise);
    return {elapsed, ToSeconds(elapsed) * run_.Effective(workers)};
  }

  Spent Take(const cost::Labour& labour) {
    const cost::Machine machine = run_.machine();
    const double spread = run_.Spread(run_.random.loop), us = labour.ElapsedUs(machine) * spread;
    const Nanos elapsed = WithNoise(FromSeconds(us * 1e-6), cycle_.noise);
    const double slower = us > 0 ? ToSeconds(elapsed) / (us * 1e-6) : 1;
    cycle_.slow = spread * slower;
    Spent out{elapsed, labour.cpu_us() * 1e-6 * spread * slower};
    if (run_.conditions->gc) {
      const double shared = (us - labour.serial_us * spread) * slower;
      const double late = garbage_.DelayUs(us * slower, std::max(0.0, shared), machine.cores);
      out.elapsed += FromSeconds(late * 1e-6);
    }
    return out;
  }

  Nanos Advance(const Spent& spent, int workers) {
    if (spent.elapsed == 0 && spent.cpu_seconds == 0) return 0;
    replicas_.leader().work.segments.push_back({cycle_.time, cycle_.time + spent.elapsed, workers});
    Charge(spent.cpu_seconds);
    cycle_.time += spent.elapsed;
    return spent.elapsed;
  }

  // CPU work of the loop's workers; a noisy machine is in what the plugin says.
  Nanos SpendTimes(std::vector<core::OwnTime> times, int workers) {
    double seconds = 0;
    for (const core::OwnTime& time : times) seconds += time.seconds;
    cycle_.plugin_times.insert(cycle_.plugin_times.end(), times.begin(), times.end());
    const Nanos d = FromSeconds(seconds / run_.Effective(workers));
    return d <= 0 ? 0 : Advance({d, seconds}, workers);
  }

  // The scheduler's own part of an extender's call; none where the scenario gives the call's cost.
  Nanos SpendExtender(Cost call, int nodes, const Extender& extender) {
    const double us =
        cost::ExtenderUs(run_.conditions->units, call, nodes, images_, extender.names_only);
    if (!Computed(call) || us <= 0) return 0;
    const Nanos elapsed = WithNoise(FromSeconds(us * 1e-6), cycle_.noise);
    Charge(ToSeconds(elapsed));
    return elapsed;
  }

  // The attempt's garbage, once it is known what it looked at. Returns how long the world stops;
  // the collector's CPU time is no single attempt's.
  Nanos Collect() {
    if (!run_.conditions->gc) return 0;
    const cost::AttemptWork& work = cycle_.work;
    const auto pods = static_cast<double>(work.cluster.pods + run_.tally.pending);
    const double pause = garbage_.Allocate(cost::AllocatedBytes(work.evaluated, work.feasible),
                                           cost::LiveHeapBytes(work.cluster.nodes, pods));
    replicas_.leader().cpu_seconds += (garbage_.cpu_us() - charged_us_) * 1e-6;
    charged_us_ = garbage_.cpu_us();
    return FromSeconds(pause * 1e-6);
  }

  const Conditions* priced_ = nullptr;  // what the next one was made of
  std::vector<cost::AttemptCosts> by_template_;
  cost::GarbageCollector garbage_;
  double charged_us_ = 0;  // of what it has cost
  double images_;          // on a node, on average
};

}  // namespace schedlens::sim
