#pragma once

// The API server of a scenario that has one: what happens to a binding between the client's rate
// limiter and its answer. Without `apiserver` in the scenario it is off and does nothing.

#include "scheduler/engine/api_server_metrics.h"
#include "scheduler/engine/world.h"

namespace schedlens::sim {

/// A binding's request, and the event of whoever waits for the answer.
struct BindingCall {
  EventKind done = EventKind::kBindDone;
  std::uint32_t subject = 0, life = 0;
  PodNumber pod = 0;
  bool failed = false;  ///< it will be refused, for a reason of the scenario's
  Nanos wait = 0;       ///< in the client's rate limiter
};

class ApiServer {
 public:
  ApiServer(RunState& run, const World& world) : run_(run), world_(world) {
    if (!on_ || !run.options.scrape) return;
    constexpr double kUpFor = 86400;  // seconds before the scenario begins
    metrics_ = std::make_unique<ApiServerMetrics>(
        run.scenario.release.minor, instances_,
        static_cast<double>(run.scenario.start_time) / 1000 - kUpFor);
  }

  bool on() const { return on_; }

  /// A binding is sent now, after its wait; kBindingArrives follows, then its own event.
  void Send(const BindingCall& call) {
    const std::uint32_t index = sent_.Take();
    Sent& sent = sent_[index];
    sent.call = call;
    const std::uint32_t shape = world_.pods()[call.pod].pod_template;
    sent.network = run_.Sample(Cost::kBindClient, shape, random_) +
                   FromSeconds(run_.conditions->path.network.Sample(random_));
    by_subject_[{call.done, call.subject}] = index;
    run_.heap.Push(run_.now + call.wait + sent.network / 2, EventKind::kBindingArrives, index);
  }

  void Arrive(std::uint32_t index) {
    Sent& sent = sent_[index];
    const PodNumber pod = sent.call.pod;
    const Nanos rest = run_.Sample(Cost::kBindApi, world_.pods()[pod].pod_template, random_);
    const std::size_t instance = run_.conditions->path.spread ? InstanceOf(pod) : 0;
    sent.served = Take(ApiOperation::kBinding, instance, run_.now, rest, sent.call.failed);
    if (world_.pods()[pod].phase == PodPhase::kGone) sent.served.code = 404;
    Count(instance, sent.served);
    const Nanos back = sent.network - sent.network / 2;
    run_.heap.Push(run_.now + sent.served.Total() + sent.served.audit + back, sent.call.done,
                   sent.call.subject, sent.call.life);
  }

  /// The answer is read, `took` after the call. False if it was refused; true if never sent.
  bool End(EventKind done, std::uint32_t subject, std::uint32_t life, Nanos took) {
    const auto found = by_subject_.find({done, subject});
    if (found == by_subject_.end()) return true;
    const std::uint32_t index = found->second;
    const Sent sent = std::move(sent_[index]);
    by_subject_.erase(found);
    sent_.Free(index);
    if (sent.call.life != life) return true;
    const ServedRequest& served = sent.served;
    // What is left was spent outside the server: on the wire, and until the goroutine ran again.
    const Nanos network = took - sent.call.wait - served.Total() - served.audit;
    BindingRecord record{served, run_.now, sent.call.pod, sent.call.wait, network, "", served.code};
    Nanos slowest = 0;
    for (const WebhookCall& call : served.calls) {
      if (call.length <= slowest) continue;
      slowest = call.length;
      record.slowest_webhook = call.webhook->name;
    }
    if (run_.options.keep_attempts) run_.bindings.push_back(std::move(record));
    return served.code < 400;
  }

  /// Another request of the scheduler that arrives at `at`; `rest` is what it takes besides queues,
  /// admission and storage. Returns how long it takes.
  Nanos Serve(ApiOperation operation, Nanos at, Nanos rest) {
    const ServedRequest request = Take(operation, 0, at, rest, false);
    Count(0, request);
    return request.Total() + request.audit;
  }
  void PodCreated(PodNumber pod) { TakeOthers(ApiOperation::kPodCreate, pod); }
  void PodDeleted(PodNumber pod) { TakeOthers(ApiOperation::kPodDelete, pod); }

  /// To be called before the conditions change and after: others come by what held then.
  void Advance() {
    if (!on_) return;
    AdvanceSeats(run_.now);
    AdvanceCores();
  }
  /// Before a scrape; the run's options must ask for scrapes.
  void CatchUp() {
    AdvanceSeats(run_.now);
    metrics_->CatchUp(run_.now);
  }
  /// The metrics of an API server or, behind them, of etcd.
  const std::deque<MetricChild>& Children(std::size_t target) const {
    return metrics_->Children(target);
  }

 private:
  struct Sent {
    BindingCall call;
    Nanos network = 0;
    ServedRequest served;
  };

  static constexpr int kWakeUps = 3;
  static constexpr Nanos kApply = 300 * kMicrosecond;

  ServedRequest Take(ApiOperation operation, std::size_t instance, Nanos at, Nanos rest,
                     bool refuse) {
    const RequestPath& path = run_.conditions->path;
    ServedRequest request;
    request.operation = operation;
    request.code = refuse ? 500 : RowOf(operation).verb == "POST" ? 201 : 200;
    request.arrival = at;
    const bool of_pods = operation == ApiOperation::kPodCreate;
    // The scheduler's other requests are few: they take no seat.
    const bool on_level = operation == ApiOperation::kBinding;
    if (on_level) {
      AdvanceSeats(at);
      request.flowcontrol = seats_.Start(at) - at;
    }
    if (of_pods || on_level) CallWebhooks(on_level, &request);
    request.admission = FromSeconds(path.admission.Sample(random_));
    AdvanceCores();
    const Nanos wake_up = cores_.WakeUp(path);
    request.rest = rest;
    if (static_cast<int>(instance) + 1 == path.slow_instance) {
      request.rest += FromSeconds(path.slow_cost.Sample(random_));
    }
    if (path.cores > 0) {
      request.wake_up = wake_up;
      request.cpu_seconds = path.request_cost.Sample(random_);
      request.rest += FromSeconds(request.cpu_seconds * cores_.Stretch(path)) + kWakeUps * wake_up;
    }
    const Nanos stored_at =
        at + request.flowcontrol + request.webhook + request.admission + request.rest / 2;
    if (request.code < 400) Store(&request, stored_at);
    // The goroutine that sends to etcd and the one that reads the answer are woken too.
    if (request.writes > 0 && path.cores > 0) request.storage += kWakeUps * wake_up;
    if (on_level) seats_.Hold(at + request.Total());
    if (path.audit_blocking) request.audit = FromSeconds(path.audit.Sample(random_));
    return request;
  }

  void TakeOthers(ApiOperation operation, PodNumber pod) {
    if (!on_) return;
    const Nanos rest = FromSeconds(0.001);
    const std::size_t instance = InstanceOf(pod);
    Count(instance, Take(operation, instance, run_.now, rest, false));
  }
  /// Other clients are spread over the API servers.
  std::size_t InstanceOf(PodNumber pod) const {
    return static_cast<std::size_t>(pod) % static_cast<std::size_t>(instances_);
  }
  // Mutating webhooks run one after another, then the validating ones side by side.
  void CallWebhooks(bool subresource, ServedRequest* request) {
    Nanos longest = 0;
    for (const bool mutating : {true, false}) {
      for (const Webhook& webhook : run_.conditions->path.webhooks) {
        if (webhook.mutating != mutating || !webhook.Matches(subresource)) continue;
        WebhookCall call;
        call.webhook = &webhook;
        const Nanos timeout = FromSeconds(webhook.timeout);
        call.length = FromSeconds(webhook.cost.Sample(random_));
        call.failed = call.length >= timeout || random_.Chance(webhook.fail);
        call.length = std::min(call.length, timeout);
        request->calls.push_back(call);
        if (mutating) {
          request->webhook += call.length;
        } else {
          longest = std::max(longest, call.length);
        }
        if (call.failed && !webhook.ignore) request->code = 500;
      }
      if (request->code == 500) break;
    }
    request->webhook += longest;
  }

  void Store(ServedRequest* request, Nanos at) {
    const RequestPath& path = run_.conditions->path;
    const int writes = request->operation == ApiOperation::kPodDelete ? 2 : 1;
    std::vector<CommitLog::Fsync> caused;
    log_.Forget(run_.now);
    for (; request->writes < writes; ++request->writes) {
      const Nanos way = FromSeconds(path.etcd_network.Sample(random_) / 2);
      const Nanos there = at + request->storage + way;
      const Nanos written = log_.Write(there, path.fsync, random_, &caused);
      request->storage = written - at + kApply + way;
    }
    if (metrics_ != nullptr) metrics_->CountFsyncs(caused);
  }

  void Count(std::size_t instance, const ServedRequest& request) {
    if (metrics_) metrics_->Count(instance, request);
  }
  void AdvanceSeats(Nanos at) {
    if (run_.scenario.release.minor < 20) return;  // priority and fairness is off
    std::vector<SeatQueue::Visit> others;
    seats_.AdvanceTo(at, run_.conditions->path, others_, &others);
    if (metrics_ != nullptr) metrics_->CountVisits(others);
  }
  void AdvanceCores() {
    std::vector<SharedCores::Read> reads;
    cores_.AdvanceTo(run_.now, run_.conditions->path, readers_, &reads);
    if (metrics_ != nullptr) metrics_->CountReads(reads);
  }

  RunState& run_;
  const World& world_;
  const bool on_ = run_.scenario.At(0).path.on;
  const int instances_ = run_.scenario.At(0).path.instances;
  Random random_{run_.options.seed, 7};
  Random others_{run_.options.seed, 8};        // of its own: scrapes look at the queue too
  std::unique_ptr<ApiServerMetrics> metrics_;  // null: nobody scrapes
  Random readers_{run_.options.seed, 9};
  SeatQueue seats_;
  SharedCores cores_;
  CommitLog log_;
  Slots<Sent> sent_;
  std::map<std::pair<EventKind, std::uint32_t>, std::uint32_t> by_subject_;
};

}  // namespace schedlens::sim
