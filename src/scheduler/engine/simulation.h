#pragma once

// Runs a scenario in virtual time: scraped metrics, and the truth of every attempt.

#include "base/exposition.h"
#include "scheduler/engine/scheduling_queue.h"
#include "scheduler/framework/algorithm.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {

/// The pod enters a queue.
struct QueueMove {
  Nanos at = 0;
  QueueName to = QueueName::kActive;
  PodEvent event = PodEvent::kPodAdd;
  std::int64_t subject = -1;  ///< the pod that was bound or deleted; -1 if it was no pod
};

/// A node where preemption would help.
struct PreemptionCandidate {
  int node = -1;
  std::vector<PodNumber> victims;
  std::int64_t pdb_violations = 0;
};

struct WatchedPreemption {
  std::string why_not;  ///< empty: it was tried
  int potential_nodes = 0;
  int node = -1;  ///< nominated; -1 if none helps
  std::vector<PreemptionCandidate> candidates;
};

struct WatchedAttempt {
  Nanos start = 0;
  std::int32_t number = 0;
  /// Null if no plugin judged a node; `why` says why. Like attempts in a row share it.
  std::shared_ptr<const core::AttemptDetail> detail;
  std::string why;
  std::optional<WatchedPreemption> preemption;
};

struct PodStory {
  std::string pod;           ///< namespace/name, as asked for
  std::int64_t number = -1;  ///< index into SimulationResult::pods; -1: no such pod in the run
  Nanos created = 0;
  bool ran_from_start = false;
  int node = -1;      ///< where it is at the end
  std::string state;  ///< at the end: `bound`, `deleted`, `in flight`, or the queue it waits in
  std::vector<WatchedAttempt> attempts;
  std::vector<QueueMove> moves;
};

/// How many more pods of one manifest fit, and what stops the next.
struct FitResult {
  /// More are not tried.
  static constexpr std::int64_t kMost = 1'000'000;

  std::string pod;            ///< namespace/name
  std::string maker;          ///< whose template it is, `Deployment web`; empty: a Pod
  std::int64_t replicas = 1;  ///< that the maker asks for
  std::string profile;        ///< that schedules it
  std::int64_t count = 0;
  std::vector<std::pair<std::string, std::int64_t>> by_node;  ///< most first, those with none out
  std::vector<std::string> nodes;                             ///< names, by index
  core::AttemptDetail next;  ///< the attempt that found no node; of no use if `count` is kMost
  std::int64_t pending = 0;  ///< pods that wait and were left out
};

/// The stages of an attempt, in order: the lines of stages.txt. The algorithm is the sum of
/// kSnapshot..kSelectHost.
enum class AttemptStage {
#include "scheduler/engine/stage_ids.inc"
  kCount,
};

/// The column of the truth CSV, without its `_s`: `prefilter`, `ext_bind`, ...
std::string_view StageName(AttemptStage stage);

using kube::AttemptResult;

/// One attempt of one pod, to the nanosecond. For a scheduled one
/// e2e = algorithm + assume + ... + finish, exactly.
struct AttemptRecord {
  std::uint32_t pod = 0;                         ///< index into SimulationResult::pods
  std::int32_t number = 0;                       ///< of the pod's attempts, from 1
  AttemptResult result = AttemptResult::kError;  ///< once it has ended
  bool algorithm_done = false;                   ///< a node was found
  std::int32_t node = -1;                        ///< index into SimulationResult::nodes
  std::int32_t evaluated = 0, feasible = 0;
  Nanos start = 0, algorithm = 0;
  Nanos throttle = 0;  ///< part of kBind spent in the client's rate limiter
  Nanos e2e = 0;
  Nanos cpu = 0;  ///< CPU time of the scheduler's own that the attempt cost, binding included
  Nanos since_added = 0;  ///< of a scheduled one: since the queue first got its pod
  std::array<Nanos, static_cast<std::size_t>(AttemptStage::kCount)> stages{};

  Nanos& operator[](AttemptStage stage) { return stages[static_cast<std::size_t>(stage)]; }
  Nanos operator[](AttemptStage stage) const { return stages[static_cast<std::size_t>(stage)]; }
};

/// How long each part of a request took in an API server.
struct RequestParts {
  Nanos flowcontrol = 0;  ///< until it had a seat
  Nanos webhook = 0;      ///< all mutating ones and the longest validating one
  Nanos admission = 0, storage = 0, rest = 0;
  Nanos audit = 0;  ///< after the server's own clock has stopped
};

/// One binding's request, where the scenario has an API server. The parts are the whole call.
struct BindingRecord : RequestParts {
  Nanos end = 0;
  std::uint32_t pod = 0;
  Nanos throttle = 0;           ///< in the client's rate limiter
  Nanos network = 0;            ///< on the client's side and on the wire
  std::string slowest_webhook;  ///< "" if none was called
  int code = 0;
};

struct PodInfo {
  std::uint32_t pod_template = 0;
  std::uint32_t number = 0;  ///< per template, from 1
};

/// Counts of what happened, for the summary and for tests of conservation.
struct SimulationCounts {
  std::uint64_t pods_created = 0, pods_bound = 0;
  std::uint64_t pods_deleted_bound = 0;    ///< ended after they were bound
  std::uint64_t pods_deleted_pending = 0;  ///< deleted before they were bound
  std::uint64_t pods_pending = 0;          ///< at the end
  std::uint64_t pods_running = 0;          ///< at the end
  std::uint64_t attempts = 0, preemptions = 0, victims = 0;
  std::uint64_t restarts = 0, api_requests = 0, plugin_samples_dropped = 0, scrapes = 0;
};

struct SimulationResult {
  Exposition exposition;                ///< series with timestamps, types by family
  std::vector<AttemptRecord> attempts;  ///< in order of their end; running ones are left out
  std::vector<BindingRecord> bindings;  ///< in order of their end; none without an API server
  std::vector<PodInfo> pods;
  std::vector<std::string> object_pods;  ///< names of the first pods: those of real objects
  std::vector<std::string> nodes;
  SimulationCounts counts;
  TimeMs start_time = 0;            ///< wall-clock time of virtual time 0
  std::optional<PodStory> watched;  ///< of RunOptions::watch
};

struct RunOptions {
  std::uint64_t seed = 1;
  bool keep_attempts = true;  ///< false saves memory when only the metrics matter
  bool scrape = true;         ///< false: no samples are recorded
  /// Called now and then with the share done in 0..1; returning false stops the run there.
  std::function<bool(double)> progress = {};
  std::string watch = {};  ///< namespace/name of a pod to be explained; "" for none
  bool metrics = true;     ///< false: none are kept (the attempts are wanted), not to be scraped
  bool plugins = true;     ///< false: no metrics of plugins' calls, which are most of the series
};

/// A run that can be stopped and looked at between steps; RunScenario is the plain way.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Handles every event up to and including `t`.
  virtual void AdvanceTo(Nanos t) = 0;
  virtual Nanos now() const = 0;
  /// What GET /metrics on that replica answers now; "" while its process is down.
  virtual std::string MetricsPage(int replica) = 0;
  /// How many more pods of a manifest fit now; see Placement::Fit. Nothing may follow it.
  virtual FitResult Fit(std::string_view manifest, const std::string& file) = 0;
  /// Ends the run and hands over what was collected.
  virtual SimulationResult Finish() = 0;
  /// Every identity of the scheduling queue and the cluster's books, checked now; "" if all hold.
  virtual std::string CheckInvariants() const = 0;
};

/// The scenario is copied. Throws Error(kUsage) if it cannot be run.
std::unique_ptr<Simulation> StartSimulation(const Scenario& scenario, const RunOptions& options);

/// Runs the whole scenario. Same scenario and seed: same result, to the bit.
SimulationResult RunScenario(const Scenario& scenario, const RunOptions& options = {});

}  // namespace schedlens::sim
