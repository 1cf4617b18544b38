#pragma once

// The API server of a scenario that has one: what happens to a binding between the client's rate
// limiter and its answer. Without `apiserver` in the scenario it is off and does nothing.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "scheduler/engine/request_model.h"
#include "scheduler/engine/run_state.h"
#include "scheduler/engine/world.h"
#include "scheduler/metrics/registry.h"

namespace schedlens::sim {

/// Requests that pods cause.
enum class ApiOperation {
  kBinding,
  kPodCreate,
  kPodDelete,
  kPodStatus,
  kClaimUpdate,
  kEventCreate,
  kEventUpdate,
};

/// A binding's request, and the event of whoever waits for the answer.
struct BindingCall {
  EventKind done = EventKind::kBindDone;
  std::uint32_t subject = 0;
  std::uint32_t life = 0;
  PodNumber pod = 0;
  bool failed = false;  ///< it will be refused, for a reason of the scenario's
  Nanos wait = 0;       ///< in the client's rate limiter
};

class ApiServer {
 public:
  ApiServer(RunState& run, const World& world);
  ~ApiServer();

  bool on() const { return on_; }

  /// A binding is sent now, after its wait; kBindingArrives follows, then its own event.
  void Send(const BindingCall& call);
  void Arrive(std::uint32_t call);
  /// The answer has been read, `took` after the call. False if the binding was refused. True for
  /// one that was never sent.
  bool End(EventKind done, std::uint32_t subject, std::uint32_t life, Nanos took);

  /// Another request of the scheduler that arrives at `at`; `rest` is what it takes besides queues,
  /// admission and storage. Returns how long it takes.
  Nanos Serve(ApiOperation operation, Nanos at, Nanos rest);
  void PodCreated(PodNumber pod) { TakeOthers(ApiOperation::kPodCreate, pod); }
  void PodDeleted(PodNumber pod) { TakeOthers(ApiOperation::kPodDelete, pod); }

  /// To be called before the conditions change and after: others come by what held then.
  void Advance() {
    if (!on_) return;
    AdvanceSeats(run_.now);
    AdvanceCores();
  }
  /// Before a scrape; the run's options must ask for scrapes.
  void CatchUp();
  /// The metrics of an API server or, behind them, of etcd.
  const std::deque<MetricChild>& Children(std::size_t target) const;

 private:
  class Metrics;
  struct OperationRow;
  struct WebhookCall;
  struct ServedRequest;
  struct Sent;
  static const OperationRow& RowOf(ApiOperation operation);
  ServedRequest Take(ApiOperation operation, std::size_t instance, Nanos at, Nanos rest,
                     bool refuse);
  void TakeOthers(ApiOperation operation, PodNumber pod);
  /// Other clients are spread over the API servers.
  std::size_t InstanceOf(PodNumber pod) const {
    return static_cast<std::size_t>(pod) % static_cast<std::size_t>(instances_);
  }
  void CallWebhooks(bool subresource, ServedRequest* request);
  void Store(ServedRequest* request, Nanos at);
  void Count(std::size_t instance, const ServedRequest& request);
  void AdvanceSeats(Nanos at);
  void AdvanceCores();

  RunState& run_;
  const World& world_;
  const bool on_;
  const int instances_;
  Random random_;
  Random others_;                     // of its own: scrapes look at the queue too
  std::unique_ptr<Metrics> metrics_;  // null: nobody scrapes
  Random readers_;
  SeatQueue seats_;
  SharedCores cores_;
  CommitLog log_;
  std::unique_ptr<Slots<Sent>> sent_;
  std::map<std::pair<EventKind, std::uint32_t>, std::uint32_t> by_subject_;
};

}  // namespace schedlens::sim
