#include "scheduler/engine/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <string>
#include <vector>

#include "scheduler/metrics/registry.h"

namespace schedlens::sim {
namespace {

constexpr int kWakeUps = 3;
constexpr Nanos kApply = 300 * kMicrosecond;
constexpr std::string_view kAuditHost = "audit.example";

constexpr std::string_view kItself = "[::1]:6443";
constexpr std::string_view kScheduler = "kube-scheduler";
constexpr std::string_view kOthers = "kube-controller-manager";

std::string_view Bool(bool value) { return value ? "true" : "false"; }

constexpr Nanos kCommitEvery = 100 * kMillisecond;

}  // namespace

struct ApiServer::OperationRow {
  std::string_view verb, group, resource, subresource;
  std::string_view admission;          // what admission calls the operation
  std::vector<std::string_view> etcd;  // the writes
  std::string_view type;               // etcd's label up to 1.25
};

const ApiServer::OperationRow& ApiServer::RowOf(ApiOperation operation) {
  constexpr std::string_view kPod = "*core.Pod", kEvent = "*core.Event";
  constexpr std::string_view kClaims = "persistentvolumeclaims";
  constexpr std::string_view kEvents = "events.k8s.io";
  static const OperationRow rows[] = {
      {"POST", "", "pods", "binding", "CREATE", {"update"}, kPod},
      {"POST", "", "pods", "", "CREATE", {"create"}, kPod},
      {"DELETE", "", "pods", "", "DELETE", {"update", "delete"}, kPod},
      {"PATCH", "", "pods", "status", "UPDATE", {"update"}, kPod},
      {"PUT", "", kClaims, "", "UPDATE", {"update"}, "*core.PersistentVolumeClaim"},
      {"POST", kEvents, "events", "", "CREATE", {"create"}, kEvent},
      {"PATCH", kEvents, "events", "", "UPDATE", {"update"}, kEvent}};
  return rows[static_cast<std::size_t>(operation)];
}

// One call of one webhook.
struct ApiServer::WebhookCall {
  const Webhook* webhook = nullptr;
  Nanos length = 0;
  bool failed = false;
};

// One request in an API server: when it came, and how long each part took.
struct ApiServer::ServedRequest : RequestParts {
  ApiOperation operation = ApiOperation::kBinding;
  int code = 201;
  Nanos arrival = 0;
  int writes = 0;  // of etcd; `storage` is all of them
  double cpu_seconds = 0;
  Nanos wake_up = 0;  // how long its goroutines waited for a processor each time; 0: not known
  std::vector<WebhookCall> calls;

  Nanos Total() const { return flowcontrol + webhook + admission + storage + rest; }
};

// What API servers and etcd count of the requests that they serve, each at the time it ends.
class ApiServer::Metrics {
 public:
  /// `instances` API servers and one etcd of Kubernetes 1.`minor`, started at `start` (seconds).
  Metrics(int minor, int instances, std::string_view audit_host, double start)
      : minor_(minor), audit_host_(audit_host), etcd_(kube::Component::kEtcd, minor) {
    for (int i = 0; i < instances; ++i) {
      servers_.push_back(std::make_unique<NeighbourRegistry>(kube::Component::kApiServer, minor));
      NeighbourRegistry& server = *servers_.back();
      server.Get(Metric::kProcessStart, {}).value = start;
      const std::string number = fmt::format("{}", minor);
      server
          .Get(Metric::kBuildInfo, {{"major", "1"},
                                    {"minor", number},
                                    {"git_version", fmt::format("v1.{}.0", minor)},
                                    {"platform", "linux/amd64"}})
          .value = 1;
      // It reads its own configuration as its own client when it starts.
      server.Get(Metric::kRestRequest, {{"verb", "GET"}, {"host", kItself}, {"url", kItself}})
          .Observe(0.005);
    }
    etcd_.Get(Metric::kProcessStart, {}).value = start;
    etcd_.Get(Neighbour::kEtcdServerHasLeader, {}).value = 1;
    etcd_.Get(Neighbour::kEtcdServerIsLeader, {}).value = 1;
    etcd_.Get(Neighbour::kEtcdServerLeaderChangesSeen, {}).value = 1;
    etcd_.Get(Neighbour::kEtcdServerProposalsFailed, {}).value = 0;
    etcd_
        .Get(Neighbour::kEtcdServerVersion,
             {{"server_version", fmt::format("3.{}.0", kube::EtcdOf(minor))}})
        .value = 1;
  }

  void Count(std::size_t instance, const ServedRequest& request) {
    NeighbourRegistry& server = *servers_[instance];
    CountRequest(server, request);
    CountAdmission(server, request);
    CountStorage(server, request);
    const Nanos end = request.arrival + request.Total();
    if (request.operation == ApiOperation::kBinding) {
      CountStay({kScheduler, request.arrival, request.arrival + request.flowcontrol, end});
    }
    Later(end, server.Get(Neighbour::kApiserverAuditEvent, {}), 1);
    if (request.wake_up > 0) {
      Later(end, server.Get(Neighbour::kGoSchedLatencies, {}), ToSeconds(request.wake_up));
      Later(end, server.Get(Metric::kProcessCpu, {}), request.cpu_seconds);
    }
    if (request.audit > 0) {
      CountOwnCall(server, audit_host_, "200", end + request.audit, request.audit);
    }
  }

  void CountVisits(const std::vector<SeatQueue::Visit>& visits) {
    for (const SeatQueue::Visit& visit : visits) {
      if (!visit.gave_up) {
        CountStay({kOthers, visit.arrival, visit.start, visit.end});
        continue;
      }
      Later(visit.arrival + SeatQueue::kPatience,
            servers_.front()->Get(
                Neighbour::kApiserverFlowcontrolRejectedRequests,
                {{"priority_level", kLevel}, {"flow_schema", kOthers}, {"reason", "time-out"}}),
            1);
    }
  }

  void CountReads(const std::vector<SharedCores::Read>& reads) {
    NeighbourRegistry& server = *servers_.front();
    for (const SharedCores::Read& read : reads) {
      CountServed(server,
                  {{"verb", "LIST"},
                   {"version", "v1"},
                   {"resource", "pods"},
                   {"scope", "cluster"},
                   {"component", "apiserver"},
                   {"code", "200"}},
                  read.end, read.length, read.length);
      Later(read.end, server.Get(Metric::kProcessCpu, {}), read.cpu_seconds);
    }
  }

  void CountFsyncs(const std::vector<CommitLog::Fsync>& fsyncs) {
    for (const CommitLog::Fsync& fsync : fsyncs) {
      Later(fsync.end, etcd_.Get(Neighbour::kEtcdDiskWalFsyncDuration, {}),
            ToSeconds(fsync.length));
      // The backend commits ten times a second while there is anything to commit.
      const Nanos commit = (fsync.end / kCommitEvery + 1) * kCommitEvery;
      if (commit <= last_commit_) continue;
      last_commit_ = commit;
      Later(commit + fsync.length, etcd_.Get(Neighbour::kEtcdDiskBackendCommitDuration, {}),
            ToSeconds(fsync.length));
    }
  }

  /// Makes every observation that is due, and brings gauges up to date.
  void CatchUp(Nanos now, int seats) {
    while (!due_.empty() && due_.top().at <= now) {
      const Due next = due_.top();
      due_.pop();
      next.child->Add(next.value);
    }
    ExportLevel(now, seats);
    ExportEtcd();
  }

  /// Of an API server, or behind them of etcd.
  const std::deque<MetricChild>& Children(std::size_t target) const {
    return target < servers_.size() ? servers_[target]->children() : etcd_.children();
  }

 private:
  /// The scheduler's priority level.
  static constexpr std::string_view kLevel = "workload-high";

  struct Due {
    Nanos at;
    std::uint64_t order;
    MetricChild* child;
    double value;
    bool operator>(const Due& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  /// A stay on the scheduler's level.
  struct Stay {
    std::string_view schema;
    Nanos arrival, start, end;
  };

  void Later(Nanos at, MetricChild& child, double value) {
    if (child.row != nullptr) due_.push({at, order_++, &child, value});
  }

  using LabelList = std::initializer_list<NamedLabel>;

  // `sli` is the part of `total` that the server itself is to blame for.
  void CountServed(NeighbourRegistry& server, LabelList labels, Nanos end, Nanos total, Nanos sli) {
    Later(end, server.Get(Neighbour::kApiserverRequestDuration, labels), ToSeconds(total));
    Later(end, server.Get(Neighbour::kApiserverRequestSloDuration, labels), ToSeconds(sli));
    Later(end, server.Get(Neighbour::kApiserverRequestSliDuration, labels), ToSeconds(sli));
    Later(end, server.Get(Neighbour::kApiserverRequest, labels), 1);
  }

  void CountRequest(NeighbourRegistry& server, const ServedRequest& request) {
    const OperationRow& row = RowOf(request.operation);
    const std::string code = fmt::format("{}", request.code);
    // Before 1.20 the clock starts behind the queue.
    const Nanos total = request.Total() - (minor_ < 20 ? request.flowcontrol : 0);
    const Nanos sli = total - request.webhook - (minor_ >= 27 ? request.flowcontrol : 0);
    CountServed(server,
                {{"verb", row.verb},
                 {"group", row.group},
                 {"version", "v1"},
                 {"resource", row.resource},
                 {"subresource", row.subresource},
                 {"scope", minor_ < 20 ? "namespace" : "resource"},
                 {"component", "apiserver"},
                 {"contentType", "application/vnd.kubernetes.protobuf"},
                 {"code", code}},
                request.arrival + request.Total(), total, sli);
  }

  void CountAdmission(NeighbourRegistry& server, const ServedRequest& request) {
    const OperationRow& row = RowOf(request.operation);
    const Nanos begin = request.arrival + request.flowcontrol;
    Nanos mutating = 0;
    bool refused[2] = {false, false};
    for (const WebhookCall& call : request.calls) {
      if (call.webhook->mutating) mutating += call.length;
      if (call.failed && !call.webhook->ignore) refused[call.webhook->mutating ? 0 : 1] = true;
      CountWebhook(server, call, begin + request.webhook);
    }
    const auto step = [&](bool admit, Nanos webhooks) {
      const bool rejected = refused[admit ? 0 : 1];
      const std::string_view type = admit ? "admit" : "validate";
      const Nanos end = begin + request.webhook + request.admission;
      const auto labels = {NamedLabel{"type", type}, NamedLabel{"operation", row.admission},
                           NamedLabel{"rejected", Bool(rejected)}};
      Later(end, server.Get(Neighbour::kApiserverAdmissionStepAdmissionDuration, labels),
            ToSeconds(webhooks + request.admission / 2));
      if (request.calls.empty()) return;
      Later(end,
            server.Get(Neighbour::kApiserverAdmissionControllerAdmissionDuration,
                       {{"name", admit ? "MutatingAdmissionWebhook" : "ValidatingAdmissionWebhook"},
                        {"type", type},
                        {"operation", row.admission},
                        {"rejected", Bool(rejected)}}),
            ToSeconds(webhooks));
    };
    step(true, mutating);
    if (!refused[0]) step(false, request.webhook - mutating);
  }

  void CountWebhook(NeighbourRegistry& server, const WebhookCall& call, Nanos end) {
    const Webhook& webhook = *call.webhook;
    const bool rejected = call.failed && !webhook.ignore;
    const bool late = call.length >= FromSeconds(webhook.timeout);
    const std::string_view type = webhook.mutating ? "admit" : "validating";
    const std::string_view code = !call.failed ? "200" : late ? "0" : "500";
    const auto get = [&](Neighbour metric) -> MetricChild& {
      return server.Get(metric, {{"name", webhook.name},
                                 {"type", type},
                                 {"operation", "CREATE"},
                                 {"rejected", Bool(rejected)},
                                 {"code", code},
                                 {"error_type", "calling_webhook_error"},
                                 {"rejection_code", code}});
    };
    Later(end, get(Neighbour::kApiserverAdmissionWebhookAdmissionDuration), ToSeconds(call.length));
    CountOwnCall(server, webhook.name, code, end, call.length);
    Later(end, get(Neighbour::kApiserverAdmissionWebhookRequest), 1);
    if (rejected) Later(end, get(Neighbour::kApiserverAdmissionWebhookRejectionCount), 1);
    if (call.failed && webhook.ignore) {
      Later(end, get(Neighbour::kApiserverAdmissionWebhookFailOpenCount), 1);
    }
  }

  // What the API server asks of others, it asks as a client.
  void CountOwnCall(NeighbourRegistry& server, std::string_view host, std::string_view code,
                    Nanos end, Nanos length) {
    Later(end, server.Get(Metric::kRestRequest, {{"verb", "POST"}, {"host", host}, {"url", host}}),
          ToSeconds(length));
    Later(end,
          server.Get(Metric::kRestRequests, {{"code", code}, {"method", "POST"}, {"host", host}}),
          1);
  }

  void CountStorage(NeighbourRegistry& server, const ServedRequest& request) {
    if (request.writes == 0) return;
    const OperationRow& row = RowOf(request.operation);
    const Nanos end = request.arrival + request.Total() - request.rest / 2;
    const std::string_view type = minor_ < 26 ? row.type : row.resource;
    for (const std::string_view operation : row.etcd) {
      const auto labels = {NamedLabel{"operation", operation}, NamedLabel{"type", type},
                           NamedLabel{"resource", row.resource}};
      Later(end, server.Get(Neighbour::kEtcdRequestDuration, labels),
            ToSeconds(request.storage) / request.writes);
      Later(end, server.Get(Neighbour::kEtcdRequests, labels), 1);
      Later(end,
            etcd_.Get(Neighbour::kEtcdServerApplyDuration,
                      {{"version", "v3"}, {"op", "Txn"}, {"success", "true"}}),
            200e-6);
      ++writes_;
    }
  }

  void CountStay(const Stay& stay) {
    NeighbourRegistry& server = *servers_.front();
    const auto get = [&](Neighbour metric) -> MetricChild& {
      return server.Get(metric, {{"priority_level", kLevel},
                                 {"flow_schema", stay.schema},
                                 {"execute", "true"},
                                 {"type", "regular"}});
    };
    Later(stay.start, get(Neighbour::kApiserverFlowcontrolRequestWaitDuration),
          ToSeconds(stay.start - stay.arrival));
    Later(stay.start, get(Neighbour::kApiserverFlowcontrolDispatchedRequests), 1);
    Later(stay.end, get(Neighbour::kApiserverFlowcontrolRequestExecution),
          ToSeconds(stay.end - stay.start));
    stays_.push_back(stay);
    if (std::find(schemas_.begin(), schemas_.end(), stay.schema) == schemas_.end()) {
      schemas_.push_back(stay.schema);
    }
  }

  void ExportLevel(Nanos now, int seats) {
    NeighbourRegistry& server = *servers_.front();
    std::erase_if(stays_, [&](const Stay& stay) { return stay.end <= now; });
    for (const std::string_view schema : schemas_) {
      int waiting = 0;
      int running = 0;
      for (const Stay& stay : stays_) {
        if (stay.schema != schema || stay.arrival > now) continue;
        ++(stay.start > now ? waiting : running);
      }
      const auto set = [&](Neighbour metric, int value) {
        server.Get(metric, {{"priority_level", kLevel}, {"flow_schema", schema}}).value = value;
      };
      set(Neighbour::kApiserverFlowcontrolCurrentInqueueRequests, waiting);
      set(Neighbour::kApiserverFlowcontrolCurrentInqueueSeats, waiting);
      set(Neighbour::kApiserverFlowcontrolCurrentExecutingRequests, running);
      set(Neighbour::kApiserverFlowcontrolCurrentExecutingSeats, running);
      set(Neighbour::kApiserverFlowcontrolRequestConcurrencyInUse, running);
    }
    constexpr int kDefaultSeats = 98;  // 40 of 245 shares of 600
    for (const Neighbour metric : {Neighbour::kApiserverFlowcontrolNominalLimitSeats,
                                   Neighbour::kApiserverFlowcontrolCurrentLimitSeats,
                                   Neighbour::kApiserverFlowcontrolRequestConcurrencyLimit}) {
      server.Get(metric, {{"priority_level", kLevel}}).value = seats > 0 ? seats : kDefaultSeats;
    }
  }

  void ExportEtcd() {
    const auto writes = static_cast<double>(writes_);
    etcd_.Get(Neighbour::kEtcdServerProposalsCommitted, {}).value = writes;
    etcd_.Get(Neighbour::kEtcdServerProposalsApplied, {}).value = writes;
    etcd_.Get(Neighbour::kEtcdServerProposalsPending, {}).value = 0;
    constexpr double kEmpty = 20e6;
    constexpr double kPerWrite = 1500;
    etcd_.Get(Neighbour::kEtcdMvccDbTotalSizeInBytes, {}).value = kEmpty + kPerWrite * writes;
    etcd_.Get(Neighbour::kEtcdMvccDbTotalSizeInUseInBytes, {}).value = kEmpty;
  }

  int minor_;
  std::string_view audit_host_;
  std::vector<std::unique_ptr<NeighbourRegistry>> servers_;
  NeighbourRegistry etcd_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t order_ = 0;
  std::deque<Stay> stays_;
  std::vector<std::string_view> schemas_;
  std::uint64_t writes_ = 0;
  Nanos last_commit_ = -1;
};

struct ApiServer::Sent {
  BindingCall call;
  Nanos network = 0;
  ServedRequest served;
};

ApiServer::ApiServer(RunState& run, const World& world)
    : run_(run),
      world_(world),
      on_(run.scenario.At(0).path.on),
      instances_(run.scenario.At(0).path.instances),
      random_(run.options.seed, 7),
      others_(run.options.seed, 8),
      readers_(run.options.seed, 9),
      sent_(std::make_unique<Slots<Sent>>()) {
  if (!on_ || !run.options.scrape) return;
  constexpr double kUpFor = 86400;  // seconds before the scenario begins
  metrics_ =
      std::make_unique<Metrics>(run.scenario.release.minor, instances_, kAuditHost,
                                static_cast<double>(run.scenario.start_time) / 1000 - kUpFor);
}

ApiServer::~ApiServer() = default;

void ApiServer::Count(std::size_t instance, const ServedRequest& request) {
  if (metrics_ != nullptr) metrics_->Count(instance, request);
}

void ApiServer::Send(const BindingCall& call) {
  const std::uint32_t index = sent_->Take();
  Sent& sent = (*sent_)[index];
  sent.call = call;
  const std::uint32_t shape = world_.pods()[call.pod].pod_template;
  sent.network = run_.Sample(Cost::kBindClient, shape, random_) +
                 FromSeconds(run_.conditions->path.network.Sample(random_));
  by_subject_[{call.done, call.subject}] = index;
  run_.heap.Push(run_.now + call.wait + sent.network / 2, EventKind::kBindingArrives, index);
}

void ApiServer::Arrive(std::uint32_t index) {
  Sent& sent = (*sent_)[index];
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

bool ApiServer::End(EventKind done, std::uint32_t subject, std::uint32_t life, Nanos took) {
  const auto found = by_subject_.find({done, subject});
  if (found == by_subject_.end()) return true;
  const std::uint32_t index = found->second;
  const Sent sent = std::move((*sent_)[index]);
  by_subject_.erase(found);
  sent_->Free(index);
  if (sent.call.life != life) return true;
  const ServedRequest& served = sent.served;
  BindingRecord record;
  record.end = run_.now;
  record.pod = sent.call.pod;
  record.throttle = sent.call.wait;
  static_cast<RequestParts&>(record) = served;
  record.code = served.code;
  // What is left was spent outside the server: on the wire, and until the goroutine ran again.
  record.network = took - record.throttle - served.Total() - served.audit;
  Nanos slowest = 0;
  for (const WebhookCall& call : served.calls) {
    if (call.length <= slowest) continue;
    slowest = call.length;
    record.slowest_webhook = call.webhook->name;
  }
  if (run_.options.keep_attempts) run_.bindings.push_back(std::move(record));
  return served.code < 400;
}

// Mutating webhooks run one after another, then the validating ones side by side.
void ApiServer::CallWebhooks(bool subresource, ServedRequest* request) {
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

void ApiServer::Store(ServedRequest* request, Nanos at) {
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

void ApiServer::AdvanceSeats(Nanos at) {
  if (run_.scenario.release.minor < 20) return;  // priority and fairness is off
  std::vector<SeatQueue::Visit> others;
  seats_.AdvanceTo(at, run_.conditions->path, others_, &others);
  if (metrics_ != nullptr) metrics_->CountVisits(others);
}

void ApiServer::AdvanceCores() {
  std::vector<SharedCores::Read> reads;
  cores_.AdvanceTo(run_.now, run_.conditions->path, readers_, &reads);
  if (metrics_ != nullptr) metrics_->CountReads(reads);
}

ApiServer::ServedRequest ApiServer::Take(ApiOperation operation, std::size_t instance, Nanos at,
                                         Nanos rest, bool refuse) {
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

Nanos ApiServer::Serve(ApiOperation operation, Nanos at, Nanos rest) {
  const ServedRequest request = Take(operation, 0, at, rest, false);
  Count(0, request);
  return request.Total() + request.audit;
}

void ApiServer::TakeOthers(ApiOperation operation, PodNumber pod) {
  if (!on_) return;
  const Nanos rest = FromSeconds(0.001);
  const std::size_t instance = InstanceOf(pod);
  Count(instance, Take(operation, instance, run_.now, rest, false));
}

void ApiServer::CatchUp() {
  AdvanceSeats(run_.now);
  metrics_->CatchUp(run_.now, run_.conditions->path.seats);
}

const std::deque<MetricChild>& ApiServer::Children(std::size_t target) const {
  return metrics_->Children(target);
}

}  // namespace schedlens::sim
