#ifndef SCHEDLENS_SIM_ENGINE_API_SERVER_METRICS_H_
#define SCHEDLENS_SIM_ENGINE_API_SERVER_METRICS_H_

// What API servers and etcd count of the requests that they serve, each at the time it ends.

#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <string_view>
#include <vector>

#include "sim/engine/request_model.h"
#include "sim/metrics/registry.h"

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

/// One call of one webhook.
struct WebhookCall {
  const Webhook* webhook = nullptr;
  Nanos length = 0;
  bool failed = false;
};

/// One request in an API server: when it came, and how long each part took.
struct ServedRequest {
  ApiOperation operation = ApiOperation::kBinding;
  int code = 201;
  Nanos arrival = 0;
  Nanos flowcontrol = 0;
  Nanos webhook = 0;  ///< all mutating ones and the longest validating one
  Nanos admission = 0;
  Nanos storage = 0;
  int writes = 0;  ///< of etcd; `storage` is all of them
  Nanos rest = 0;
  Nanos audit = 0;  ///< after the server's own clock has stopped
  double cpu_seconds = 0;
  Nanos wake_up = 0;  ///< how long its goroutines waited for a processor each time; 0: not known
  std::vector<WebhookCall> calls;

  Nanos Total() const { return flowcontrol + webhook + admission + storage + rest; }
};

class ApiServerMetrics {
 public:
  /// `instances` API servers and one etcd of Kubernetes 1.`minor`, started at `start` (seconds).
  ApiServerMetrics(int minor, int instances, std::string_view audit_host, double start);

  void Count(std::size_t instance, const ServedRequest& request);
  void CountVisits(const std::vector<SeatQueue::Visit>& visits);
  void CountReads(const std::vector<SharedCores::Read>& reads);
  void CountFsyncs(const std::vector<CommitLog::Fsync>& fsyncs);
  /// Makes every observation that is due, and brings gauges up to date.
  void CatchUp(Nanos now, int seats);

  std::size_t instances() const { return servers_.size(); }
  const NeighbourRegistry& server(std::size_t instance) const { return *servers_[instance]; }
  const NeighbourRegistry& etcd() const { return etcd_; }

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

  void Later(Nanos at, MetricChild& child, double value);
  void CountRequest(NeighbourRegistry& server, const ServedRequest& request);
  void CountAdmission(NeighbourRegistry& server, const ServedRequest& request);
  void CountWebhook(NeighbourRegistry& server, const WebhookCall& call, Nanos end);
  void CountOwnCall(NeighbourRegistry& server, std::string_view host, std::string_view code,
                    Nanos end, Nanos length);
  void CountStorage(NeighbourRegistry& server, const ServedRequest& request);
  void CountStay(const Stay& stay);
  void ExportLevel(Nanos now, int seats);
  void ExportEtcd();

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

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_API_SERVER_METRICS_H_
