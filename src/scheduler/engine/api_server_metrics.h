#pragma once

// Queues past an API server's door, and what API servers and etcd count of requests.

#include <queue>

#include "scheduler/engine/simulation.h"
#include "scheduler/metrics/registry.h"

namespace schedlens::sim {

/// The seats of the scheduler's priority level, shared with others; who comes first sits first.
class SeatQueue {
 public:
  /// A request of somebody else.
  struct Visit {
    Nanos arrival = 0, start = 0;
    Nanos end = 0;  ///< `start` if it gave up
    bool gave_up = false;
  };
  /// Somebody else's requests wait no longer than this, and leave.
  static constexpr Nanos kPatience = 15 * kSecond;

  /// Lets in what came until `t`, never before an earlier call's; tells of each in `others`.
  void AdvanceTo(Nanos t, const RequestPath& path, Random& random, std::vector<Visit>* others) {
    Resize(path.seats);
    const auto gap = [&] { return FromSeconds(random.Exponential() / path.neighbours_rate); };
    if (rate_ != path.neighbours_rate) {
      rate_ = path.neighbours_rate;
      if (rate_ > 0) next_other_ = t + gap();
    }
    while (rate_ > 0 && next_other_ <= t) {
      Visit visit{next_other_, Start(next_other_), 0, false};
      const Nanos cost = FromSeconds(path.neighbours_cost.Sample(random));
      visit.gave_up = visit.start - visit.arrival > kPatience;
      visit.end = visit.gave_up ? visit.start : visit.start + cost;
      if (!visit.gave_up) Hold(visit.end);
      others->push_back(visit);
      next_other_ += gap();
    }
  }
  /// When a request that came at `t`, the last AdvanceTo's, gets its seat.
  Nanos Start(Nanos t) const { return free_at_.empty() ? t : std::max(t, free_at_.front()); }

  /// That request keeps the seat until `end`.
  void Hold(Nanos end) {
    if (free_at_.empty()) return;
    free_at_.erase(free_at_.begin());
    free_at_.insert(std::upper_bound(free_at_.begin(), free_at_.end(), end), end);
  }

 private:
  void Resize(int seats) {
    const auto wanted = static_cast<std::size_t>(seats);
    if (wanted == free_at_.size()) return;
    // The idle ones come and go; a held seat is given up last.
    if (wanted < free_at_.size()) {
      free_at_.erase(free_at_.begin(), free_at_.end() - static_cast<std::ptrdiff_t>(wanted));
    } else {
      free_at_.insert(free_at_.begin(), wanted - free_at_.size(), 0);
    }
  }

  std::vector<Nanos> free_at_;  // ascending; empty: no limit
  Nanos next_other_ = 0;
  double rate_ = 0;
};

/// The API server's processors: everything that runs gets an equal share of them.
class SharedCores {
 public:
  /// A list by somebody else that has ended.
  struct Read {
    Nanos end = 0, length = 0;
    double cpu_seconds = 0;
  };
  /// More of them at a time are turned away.
  static constexpr std::size_t kMostReaders = 64;

  /// Plays others until `t`, never before an earlier call's; `reads` are those that ended.
  void AdvanceTo(Nanos t, const RequestPath& path, Random& random, std::vector<Read>* reads) {
    if (path.cores <= 0) return;
    const auto gap = [&] { return FromSeconds(random.Exponential() / path.readers_rate); };
    if (rate_ != path.readers_rate) {
      rate_ = path.readers_rate;
      next_ = rate_ > 0 ? t + gap() : 0;
    }
    while (rate_ > 0 && next_ <= t) {
      Run(next_, path.cores, reads);
      const double cost = path.readers_cost.Sample(random);
      if (readers_.size() < kMostReaders) readers_.push_back({next_, cost, cost});
      next_ += gap();
    }
    Run(t, path.cores, reads);
  }
  /// How many times longer a request's work takes, if it starts at the last AdvanceTo's time.
  double Stretch(const RequestPath& path) const {
    if (path.cores <= 0) return 1;
    return std::max(1.0, static_cast<double>(readers_.size() + 1) / path.cores);
  }

  /// How long a goroutine that is woken then waits for a processor, on average.
  Nanos WakeUp(const RequestPath& path) const {
    constexpr double kSlice = 0.01;  // a goroutine is not put aside before
    constexpr double kIdle = 10e-6;
    return FromSeconds(kIdle + (Stretch(path) - 1) * kSlice / 2);
  }

 private:
  struct Reader {
    Nanos start = 0;
    double cost = 0, left = 0;
  };

  // All readers run at one speed; whoever has least left ends first.
  void Run(Nanos until, int cores, std::vector<Read>* reads) {
    while (now_ < until && !readers_.empty()) {
      const double speed = std::min(1.0, cores / static_cast<double>(readers_.size()));
      const auto first = std::ranges::min_element(readers_, {}, &Reader::left);
      const Nanos end = now_ + std::max<Nanos>(1, FromSeconds(first->left / speed));
      const double done = ToSeconds(std::min(end, until) - now_) * speed;
      now_ = std::min(end, until);
      const Reader ending = *first;
      if (end <= until) readers_.erase(first);
      for (Reader& reader : readers_) reader.left = std::max(0.0, reader.left - done);
      if (end <= until) reads->push_back({end, end - ending.start, ending.cost});
    }
    now_ = std::max(now_, until);
  }

  std::vector<Reader> readers_;
  Nanos now_ = 0, next_ = 0;
  double rate_ = 0;
};

/// Group commit: a write waits for the fsync that runs, then for the one that takes all the writes
/// that have come meanwhile. Writes need not come in order of time.
class CommitLog {
 public:
  struct Fsync {
    Nanos end = 0, length = 0;
  };

  /// When a write that comes at `t` is on disk; tells of an fsync that it caused in `caused`. A
  /// write whose own fsync would still run when one begins that is known already joins that one.
  Nanos Write(Nanos t, const Distribution& fsync, Random& random, std::vector<Fsync>* caused) {
    auto next = fsyncs_.upper_bound(t);  // the first that begins later
    Nanos start = t;
    if (next != fsyncs_.begin()) start = std::max(t, std::prev(next)->second);
    if (next != fsyncs_.end() && next->first <= start) return next->second;
    const Nanos length = std::max<Nanos>(1, FromSeconds(fsync.Sample(random)));
    if (next != fsyncs_.end() && next->first < start + length) return next->second;
    fsyncs_.emplace_hint(next, start, start + length);
    caused->push_back({start + length, length});
    return start + length;
  }
  /// No write will come before `t` any more.
  void Forget(Nanos t) {
    while (!fsyncs_.empty() && fsyncs_.begin()->second < t) fsyncs_.erase(fsyncs_.begin());
  }

 private:
  std::map<Nanos, Nanos> fsyncs_;  // start to end, one at a time
};

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

struct OperationRow {
  std::string_view verb, group, resource, subresource;
  std::string_view admission;          // what admission calls the operation
  std::vector<std::string_view> etcd;  // the writes
  std::string_view type;               // etcd's label up to 1.25
};

inline const OperationRow& RowOf(ApiOperation operation) {
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
struct WebhookCall {
  const Webhook* webhook = nullptr;
  Nanos length = 0;
  bool failed = false;
};

// One request in an API server: when it came, and how long each part took.
struct ServedRequest : RequestParts {
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
class ApiServerMetrics {
 public:
  /// `instances` API servers and one etcd of Kubernetes 1.`minor`, started at `start` (seconds).
  ApiServerMetrics(int minor, int instances, double start)
      : minor_(minor), etcd_(kube::Component::kEtcd, minor) {
    for (int i = 0; i < instances; ++i) {
      servers_.push_back(
          std::make_unique<ControlPlaneRegistry>(kube::Component::kApiServer, minor));
      ControlPlaneRegistry& server = *servers_.back();
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
    etcd_.Get(Metric::kEtcdServerLeaderChangesSeen, {}).value = 1;
  }

  void Count(std::size_t instance, const ServedRequest& request) {
    ControlPlaneRegistry& server = *servers_[instance];
    CountRequest(server, request);
    CountAdmission(server, request);
    CountStorage(server, request);
    const Nanos end = request.arrival + request.Total();
    if (request.operation == ApiOperation::kBinding) {
      CountWait(kScheduler, request.arrival, request.arrival + request.flowcontrol);
    }
    if (request.wake_up > 0) {
      Later(end, server.Get(Metric::kGoSchedLatencies, {}), ToSeconds(request.wake_up));
      Later(end, server.Get(Metric::kProcessCpu, {}), request.cpu_seconds);
    }
    if (request.audit > 0) {
      CountOwnCall(server, kAuditHost, "200", end + request.audit, request.audit);
    }
  }

  void CountVisits(const std::vector<SeatQueue::Visit>& visits) {
    for (const SeatQueue::Visit& visit : visits) {
      if (!visit.gave_up) CountWait(kOthers, visit.arrival, visit.start);
    }
  }

  void CountReads(const std::vector<SharedCores::Read>& reads) {
    ControlPlaneRegistry& server = *servers_.front();
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
      Later(fsync.end, etcd_.Get(Metric::kEtcdDiskWalFsyncDuration, {}), ToSeconds(fsync.length));
      // The backend commits ten times a second while there is anything to commit.
      const Nanos commit = (fsync.end / kCommitEvery + 1) * kCommitEvery;
      if (commit <= last_commit_) continue;
      last_commit_ = commit;
      Later(commit + fsync.length, etcd_.Get(Metric::kEtcdDiskBackendCommitDuration, {}),
            ToSeconds(fsync.length));
    }
  }

  /// Makes every observation that is due, and brings gauges up to date.
  void CatchUp(Nanos now) {
    while (!due_.empty() && due_.top().at <= now) {
      const Due next = due_.top();
      due_.pop();
      next.child->Add(next.value);
    }
    ExportEtcd();
  }

  /// Of an API server, or behind them of etcd.
  const std::deque<MetricChild>& Children(std::size_t target) const {
    return target < servers_.size() ? servers_[target]->children() : etcd_.children();
  }

 private:
  /// The scheduler's priority level.
  static constexpr std::string_view kLevel = "workload-high";
  static constexpr std::string_view kItself = "[::1]:6443";
  static constexpr std::string_view kAuditHost = "audit.example";
  static constexpr std::string_view kScheduler = "kube-scheduler";
  static constexpr std::string_view kOthers = "kube-controller-manager";
  static constexpr Nanos kCommitEvery = 100 * kMillisecond;  // of etcd's backend

  static std::string_view Bool(bool value) { return value ? "true" : "false"; }

  struct Due {
    Nanos at;
    std::uint64_t order;
    MetricChild* child;
    double value;
    friend auto operator<=>(const Due&, const Due&) = default;
  };

  void Later(Nanos at, MetricChild& child, double value) {
    if (child.row != nullptr) due_.push({at, order_++, &child, value});
  }

  using LabelList = std::initializer_list<NamedLabel>;

  // `sli` is the part of `total` that the server itself is to blame for.
  void CountServed(ControlPlaneRegistry& server, LabelList labels, Nanos end, Nanos total,
                   Nanos sli) {
    Later(end, server.Get(Metric::kApiserverRequestDuration, labels), ToSeconds(total));
    Later(end, server.Get(Metric::kApiserverRequestSloDuration, labels), ToSeconds(sli));
    Later(end, server.Get(Metric::kApiserverRequestSliDuration, labels), ToSeconds(sli));
    Later(end, server.Get(Metric::kApiserverRequest, labels), 1);
  }

  void CountRequest(ControlPlaneRegistry& server, const ServedRequest& request) {
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

  void CountAdmission(ControlPlaneRegistry& server, const ServedRequest& request) {
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
      Later(end, server.Get(Metric::kApiserverAdmissionStepAdmissionDuration, labels),
            ToSeconds(webhooks + request.admission / 2));
    };
    step(true, mutating);
    if (!refused[0]) step(false, request.webhook - mutating);
  }

  void CountWebhook(ControlPlaneRegistry& server, const WebhookCall& call, Nanos end) {
    const Webhook& webhook = *call.webhook;
    const bool rejected = call.failed && !webhook.ignore;
    const bool late = call.length >= FromSeconds(webhook.timeout);
    const std::string_view type = webhook.mutating ? "admit" : "validating";
    const std::string_view code = !call.failed ? "200" : late ? "0" : "500";
    const auto get = [&](ControlPlaneMetric metric) -> MetricChild& {
      return server.Get(metric, {{"name", webhook.name},
                                 {"type", type},
                                 {"operation", "CREATE"},
                                 {"rejected", Bool(rejected)},
                                 {"error_type", "calling_webhook_error"},
                                 {"rejection_code", code}});
    };
    Later(end, get(Metric::kApiserverAdmissionWebhookAdmissionDuration), ToSeconds(call.length));
    CountOwnCall(server, webhook.name, code, end, call.length);
    if (rejected) Later(end, get(Metric::kApiserverAdmissionWebhookRejectionCount), 1);
  }

  // What the API server asks of others, it asks as a client.
  void CountOwnCall(ControlPlaneRegistry& server, std::string_view host, std::string_view code,
                    Nanos end, Nanos length) {
    Later(end, server.Get(Metric::kRestRequest, {{"verb", "POST"}, {"host", host}, {"url", host}}),
          ToSeconds(length));
    Later(end,
          server.Get(Metric::kRestRequests, {{"code", code}, {"method", "POST"}, {"host", host}}),
          1);
  }

  void CountStorage(ControlPlaneRegistry& server, const ServedRequest& request) {
    if (request.writes == 0) return;
    const OperationRow& row = RowOf(request.operation);
    const Nanos end = request.arrival + request.Total() - request.rest / 2;
    const std::string_view type = minor_ < 26 ? row.type : row.resource;
    for (const std::string_view operation : row.etcd) {
      const auto labels = {NamedLabel{"operation", operation}, NamedLabel{"type", type},
                           NamedLabel{"resource", row.resource}};
      Later(end, server.Get(Metric::kEtcdRequestDuration, labels),
            ToSeconds(request.storage) / request.writes);
      ++writes_;
    }
  }

  void CountWait(std::string_view schema, Nanos arrival, Nanos start) {
    const auto get = [&](ControlPlaneMetric metric) -> MetricChild& {
      return servers_.front()->Get(
          metric, {{"priority_level", kLevel}, {"flow_schema", schema}, {"execute", "true"}});
    };
    Later(start, get(Metric::kApiserverFlowcontrolRequestWaitDuration), ToSeconds(start - arrival));
    Later(start, get(Metric::kApiserverFlowcontrolDispatchedRequests), 1);
  }

  void ExportEtcd() {
    const auto writes = static_cast<double>(writes_);
    constexpr double kEmpty = 20e6;
    constexpr double kPerWrite = 1500;
    etcd_.Get(Metric::kEtcdMvccDbTotalSizeInBytes, {}).value = kEmpty + kPerWrite * writes;
  }

  int minor_;
  std::vector<std::unique_ptr<ControlPlaneRegistry>> servers_;
  ControlPlaneRegistry etcd_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t order_ = 0;
  std::uint64_t writes_ = 0;
  Nanos last_commit_ = -1;
};

}  // namespace schedlens::sim
