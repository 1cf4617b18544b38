// What API servers and etcd bring up to date for a scrape, and what others do there.

#include <algorithm>

#include "sim/engine/api_server_metrics.h"

namespace schedlens::sim {
namespace {

constexpr Nanos kCommitEvery = 100 * kMillisecond;

}  // namespace

void ApiServerMetrics::CountReads(const std::vector<SharedCores::Read>& reads) {
  NeighbourRegistry& server = *servers_.front();
  for (const SharedCores::Read& read : reads) {
    for (const Neighbour metric :
         {Neighbour::kApiserverRequestDuration, Neighbour::kApiserverRequestSloDuration,
          Neighbour::kApiserverRequestSliDuration, Neighbour::kApiserverRequest}) {
      Later(read.end,
            server.Get(metric, {{"verb", "LIST"},
                                {"version", "v1"},
                                {"resource", "pods"},
                                {"scope", "cluster"},
                                {"component", "apiserver"},
                                {"code", "200"}}),
            metric == Neighbour::kApiserverRequest ? 1 : ToSeconds(read.length));
    }
    Later(read.end, server.Get(Metric::kProcessCpu, {}), read.cpu_seconds);
  }
}

void ApiServerMetrics::CountFsyncs(const std::vector<CommitLog::Fsync>& fsyncs) {
  for (const CommitLog::Fsync& fsync : fsyncs) {
    Later(fsync.end, etcd_.Get(Neighbour::kEtcdDiskWalFsyncDuration, {}), ToSeconds(fsync.length));
    // The backend commits ten times a second while there is anything to commit.
    const Nanos commit = (fsync.end / kCommitEvery + 1) * kCommitEvery;
    if (commit <= last_commit_) continue;
    last_commit_ = commit;
    Later(commit + fsync.length, etcd_.Get(Neighbour::kEtcdDiskBackendCommitDuration, {}),
          ToSeconds(fsync.length));
  }
}

void ApiServerMetrics::ExportLevel(Nanos now, int seats) {
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

void ApiServerMetrics::ExportEtcd() {
  const auto writes = static_cast<double>(writes_);
  etcd_.Get(Neighbour::kEtcdServerProposalsCommitted, {}).value = writes;
  etcd_.Get(Neighbour::kEtcdServerProposalsApplied, {}).value = writes;
  etcd_.Get(Neighbour::kEtcdServerProposalsPending, {}).value = 0;
  constexpr double kEmpty = 20e6;
  constexpr double kPerWrite = 1500;
  etcd_.Get(Neighbour::kEtcdMvccDbTotalSizeInBytes, {}).value = kEmpty + kPerWrite * writes;
  etcd_.Get(Neighbour::kEtcdMvccDbTotalSizeInUseInBytes, {}).value = kEmpty;
}

void ApiServerMetrics::CatchUp(Nanos now, int seats) {
  while (!due_.empty() && due_.top().at <= now) {
    const Due next = due_.top();
    due_.pop();
    if (next.child->bounds->empty()) {
      next.child->value += next.value;
    } else {
      next.child->Observe(next.value);
    }
  }
  ExportLevel(now, seats);
  ExportEtcd();
}

}  // namespace schedlens::sim
