// The main loop: events in order of time, processes that start and die, scrapes.

#include "sim/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlens::sim {
namespace {

constexpr Nanos kUnschedulableFlush = 30 * kSecond;
constexpr Nanos kFlushTakes = 3 * kMillisecond;

}  // namespace

Simulation::Engine::Engine(const Scenario& scenario, const RunOptions& options)
    : scenario_(scenario),
      options_(options),
      async_api_(scenario.AsyncApiCalls()),
      arrivals_(options.seed, 1),
      lives_(options.seed, 2),
      loop_random_(options.seed, 3),
      api_random_(options.seed, 4),
      extender_random_(options.seed, 5),
      bind_random_(options.seed, 6),
      placement_(scenario_, options.seed),
      numbers_(scenario.templates.size()) {
  conditions_ = &scenario_.At(0);
  CreateObjectPods();
  for (int i = 0; i < scenario_.running; ++i) {
    PutBound(CreatePod(0, -1, -1), i % placement_.node_slots());
  }
  replicas_.resize(static_cast<std::size_t>(scenario_.replicas));
  for (std::uint32_t i = 0; i < replicas_.size(); ++i) {
    Replica& replica = replicas_[i];
    replica.jitter = Random(options.seed, 100 + i);
    replica.scraper =
        std::make_unique<Scraper>("kube-scheduler", fmt::format("10.0.1.{}:10259", i + 1),
                                  fmt::format("kube-scheduler-{}", i));
    replica.offset = static_cast<Nanos>(replica.jitter.Uniform() *
                                        static_cast<double>(scenario_.scrape_interval));
    StartProcess(i);
    if (options_.scrape) heap_.Push(replica.offset, EventKind::kScrape, i);
  }
  BecomeLeader(0, true);
  for (std::uint32_t i = 0; i < scenario_.segments.size(); ++i) {
    heap_.Push(scenario_.segments[i].start, EventKind::kSegment, i);
  }
  first_action_ = heap_.Reserve(scenario_.actions.size());
  PushAction(0);
  heap_.Push(kSecond, EventKind::kRecorderFlush);
  heap_.Push(kSecond, EventKind::kBackoffFlush);
  heap_.Push(kUnschedulableFlush, EventKind::kUnschedulableFlush);
}

// Actions are in order of time: one at a time is enough.
void Simulation::Engine::PushAction(std::uint32_t index) {
  if (index >= scenario_.actions.size()) return;
  heap_.PushAs(first_action_ + index, scenario_.actions[index].at, EventKind::kAction, index);
}

void Simulation::Engine::AdvanceTo(Nanos t) {
  while (!stopped_ && !heap_.empty() && heap_.next_time() <= t) {
    const HeapEvent event = heap_.Pop();
    now_ = event.at;
    Handle(event);
  }
  now_ = std::max(now_, t);
}

void Simulation::Engine::Handle(const HeapEvent& event) {
  const bool current = event.life == process_life_ && has_leader();
  switch (event.kind) {
    case EventKind::kSegment:
      conditions_ = &scenario_.segments[event.subject].conditions;
      StartArrivals();
      break;
    case EventKind::kArrival:
      if (event.life == arrival_life_) Arrive();
      break;
    case EventKind::kMember:
      CreatePod(gangs_[event.subject].pod_template, static_cast<std::int32_t>(event.subject), -1);
      break;
    case EventKind::kAction:
      PushAction(event.subject + 1);
      Act(scenario_.actions[event.subject]);
      break;
    case EventKind::kProcessBack:
      StartProcess(event.subject);
      // After a restart nobody else leads; after a leader change a standby does, or will.
      if (!leading_ && event.subject == leader_) BecomeLeader(event.subject, true);
      break;
    case EventKind::kTakeOver:
      if (leading_) break;
      if (replicas_[event.subject].process == nullptr) StartProcess(event.subject);
      BecomeLeader(event.subject, false);
      break;
    case EventKind::kScrape:
      Scrape(event.subject);
      break;
    case EventKind::kRecorderFlush: {
      const bool first_half = event.subject == 0;
      for (Replica& replica : replicas_) {
        if (replica.process == nullptr) continue;
        replica.process->CatchUp(now_);
        replica.process->FlushRecorders(first_half);
      }
      heap_.Push(first_half ? now_ + kFlushTakes : now_ + kSecond - kFlushTakes,
                 EventKind::kRecorderFlush, first_half ? 1 : 0);
      break;
    }
    case EventKind::kBackoffFlush:
      if (has_leader()) leader().queue.FlushBackoff(now_);
      WakeLoop();
      heap_.Push(now_ + kSecond, EventKind::kBackoffFlush);
      break;
    case EventKind::kUnschedulableFlush:
      if (has_leader()) leader().queue.FlushUnschedulable(now_);
      WakeLoop();
      heap_.Push(now_ + kUnschedulableFlush, EventKind::kUnschedulableFlush);
      break;
    case EventKind::kLoop:
      if (current) {
        busy_ = false;
        StartCycle();
      }
      break;
    case EventKind::kVictims:
      if (current) DeleteVictims();
      break;
    case EventKind::kVictimGone:
      if (pods_[event.subject].life == event.life) RemovePod(event.subject);
      break;
    case EventKind::kAttemptFailed:
      if (current) AttemptFailed();
      break;
    case EventKind::kBindStart:
      if (Live(event)) BindStart(event.subject);
      break;
    case EventKind::kPermitOver:
      if (Live(event) && jobs_[event.subject].waiting) {
        const std::int32_t gang = pods_[jobs_[event.subject].attempt.pod].gang;
        if (gang < 0) {
          PermitWaited(event.subject, true);
        } else {
          ReleaseGang(gangs_[static_cast<std::size_t>(gang)], false);
        }
      }
      break;
    case EventKind::kPreBindDone:
      if (Live(event)) PreBindDone(event.subject);
      break;
    case EventKind::kBindDone:
      if (Live(event)) BindDone(event.subject);
      break;
    case EventKind::kFinished:
      if (Live(event)) Finished(event.subject);
      break;
    case EventKind::kApiCallDone:
      if (current) ApiCallDone(event.subject);
      free_calls_.push_back(event.subject);
      break;
    case EventKind::kEventSent:
      if (current) {
        const ApiCall& call = calls_[event.subject];
        const bool created =
            call.request == Request::kEventPost || call.request == Request::kEventPatch;
        leader().ObserveRequest(call.request, created ? 201 : 200, call.wait, call.total);
      }
      free_calls_.push_back(event.subject);
      break;
    case EventKind::kClaimSeen:
      if (has_leader()) leader().queue.MoveOnEvent(QueueEvent::kClaimAdd, now_);
      WakeLoop();
      break;
    case EventKind::kConfirmed:
      if (pods_[event.subject].life == event.life && !pods_[event.subject].confirmed) {
        pods_[event.subject].confirmed = true;
        --assumed_;
        ++confirmed_;
        if (has_leader()) {
          const std::uint32_t assigned = pods_[event.subject].pod_template;
          leader().queue.MoveOnEvent(QueueEvent::kAssignedPodAdd, now_, [&](PodId waiting) {
            return placement_.Attracts(assigned, pods_[waiting].pod_template);
          });
          WakeLoop();
        }
      }
      break;
    case EventKind::kPodEnds:
      PodEnds(event);
      break;
  }
}

void Simulation::Engine::StartProcess(std::uint32_t replica) {
  replicas_[replica].process = std::make_unique<SchedulerProcess>(
      scenario_, placement_.features(),
      Random(options_.seed, 1000 + replica + 64 * counts_.restarts), now_);
  // An idle process watches pods too.
  replicas_[replica].process->standby_adds = Unbound();
}

// A fresh process has just listed the pods; a standby has seen each when it was created.
void Simulation::Engine::BecomeLeader(std::uint32_t replica, bool fresh) {
  leader_ = replica;
  leading_ = true;
  ++process_life_;
  busy_ = false;
  SchedulerProcess& process = leader();
  std::uint64_t added = 0;
  for (PodId pod = 0; pod < pods_.size(); ++pod) {
    if (pods_[pod].phase != PodPhase::kPending) continue;
    const PodTemplate& shape = scenario_.templates[pods_[pod].pod_template];
    process.queue.Add(pod, shape.priority, fresh ? now_ : pods_[pod].created);
    ++added;
  }
  process.standby_adds -= std::min(process.standby_adds, added);
  WakeLoop();
}

std::size_t Simulation::Engine::Unbound() const {
  return pods_.size() - counts_.pods_deleted_bound - counts_.pods_deleted_pending - bound_;
}

void Simulation::Engine::KillLeader() {
  ++counts_.restarts;
  replicas_[leader_].process.reset();
  leading_ = false;
  ++process_life_;
  busy_ = false;
  cpu_.clear();
  // What it had not finished binding is pending again.
  for (PodId pod = 0; pod < pods_.size(); ++pod) {
    if (pods_[pod].phase != PodPhase::kInFlight) continue;
    placement_.Remove(pod);
    if (pods_[pod].node >= 0) --assumed_;
    pods_[pod].node = -1;
    pods_[pod].nominated = -1;
    pods_[pod].phase = PodPhase::kPending;
    ++pending_;
  }
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
    if (jobs_[job].used) FreeJob(job);
  }
  for (Gang& gang : gangs_) gang.waiting.clear();
  victims_.clear();
}

void Simulation::Engine::RefreshGauges(Replica& replica, bool leads) {
  replica.process->CatchUp(now_);
  const std::size_t assumed = leads ? assumed_ : 0;
  const std::size_t cached = leads ? confirmed_ + assumed_ : bound_;
  replica.process->idle_pending = leads ? 0 : Unbound();
  replica.process->ExportGauges(now_, cached, static_cast<std::size_t>(placement_.node_count()),
                                assumed);
}

void Simulation::Engine::Scrape(std::uint32_t index) {
  Replica& replica = replicas_[index];
  const TimeMs t = scenario_.start_time + now_ / kMillisecond;
  if (replica.process == nullptr || now_ < unreachable_until_) {
    replica.scraper->Miss(t);
  } else {
    RefreshGauges(replica, index == leader_ && leading_);
    replica.scraper->Scrape(replica.process->registry, t);
  }
  ++replica.scrapes;
  ++counts_.scrapes;
  const Nanos due =
      replica.offset + static_cast<Nanos>(replica.scrapes) * scenario_.scrape_interval;
  const auto late =
      static_cast<Nanos>(replica.jitter.Uniform() * static_cast<double>(scenario_.scrape_jitter));
  heap_.Push(std::max(now_ + kMillisecond, due + late), EventKind::kScrape, index);
  const double done = static_cast<double>(now_) / static_cast<double>(scenario_.duration);
  if (options_.progress && done - last_progress_ > 0.01) {
    last_progress_ = done;
    if (!options_.progress(std::min(done, 1.0))) stopped_ = true;
  }
}

std::string Simulation::Engine::MetricsPage(int index) {
  Replica& replica = replicas_.at(static_cast<std::size_t>(index));
  if (replica.process == nullptr) return "";
  RefreshGauges(replica, static_cast<std::uint32_t>(index) == leader_ && leading_);
  return WriteMetricsPage(replica.process->registry);
}

void Simulation::Engine::AddSummary(SimulationResult* result) const {
  for (const Pod& pod : pods_) result->pods.push_back({pod.pod_template, pod.number});
  for (int node = 0; node < placement_.node_slots(); ++node) {
    result->nodes.push_back(placement_.NodeName(node));
  }
  result->counts.pods_created = pods_.size();
  result->counts.pods_running = bound_;
  result->counts.pods_pending = Unbound();
}

SimulationResult Simulation::Engine::Finish() {
  SimulationResult result;
  result.counts = counts_;
  AddSummary(&result);
  result.object_pods = std::move(object_names_);
  result.attempts = std::move(attempts_);
  result.start_time = scenario_.start_time;
  result.incident = {scenario_.start_time + scenario_.incident_start / kMillisecond,
                     scenario_.start_time + scenario_.incident_end / kMillisecond};
  for (Replica& replica : replicas_) {
    if (replica.process != nullptr) {
      result.counts.plugin_samples_dropped += replica.process->dropped_samples();
    }
    replica.scraper->MoveInto(&result.exposition);
  }
  result.exposition.types = ExpositionTypes();
  return result;
}

std::string Simulation::Engine::CheckInvariants() const {
  std::size_t pending = 0;
  std::size_t bound = 0;
  std::size_t in_flight = 0;
  std::size_t unconfirmed = 0;
  for (PodId pod = 0; pod < pods_.size(); ++pod) {
    const Pod& p = pods_[pod];
    const bool queued =
        has_leader() && replicas_[leader_].process->queue.Where(pod) != QueueKind::kNone;
    if (has_leader() && queued != (p.phase == PodPhase::kPending)) {
      return fmt::format("pod {} is {}in a queue but its phase is {}", pod, queued ? "" : "not ",
                         static_cast<int>(p.phase));
    }
    pending += p.phase == PodPhase::kPending;
    bound += p.phase == PodPhase::kBound;
    in_flight += p.phase == PodPhase::kInFlight;
    unconfirmed += (p.phase == PodPhase::kInFlight && p.node >= 0) ||
                   (p.phase == PodPhase::kBound && !p.confirmed);
    if (p.phase == PodPhase::kBound && !placement_.alive(p.node)) {
      return fmt::format("pod {} is bound to a deleted node", pod);
    }
  }
  if (pending != pending_) return fmt::format("{} pending pods, counted {}", pending, pending_);
  if (bound != bound_) return fmt::format("{} bound pods, counted {}", bound, bound_);
  if (unconfirmed != assumed_)
    return fmt::format("{} assumed pods, counted {}", unconfirmed, assumed_);
  std::size_t jobs = 0;
  for (const Job& job : jobs_) jobs += job.used;
  if (in_flight > jobs + (busy_ ? 1 : 0)) {
    return fmt::format("{} pods in flight but {} binding cycles", in_flight, jobs);
  }
  if (!placement_.WithinCapacity()) return "a node is over capacity";
  return "";
}

}  // namespace schedlens::sim
